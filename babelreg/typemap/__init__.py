"""JSON Schema in other type systems: Python, TypeScript, Go, Spark. Text and plain data: needs no library of theirs."""
