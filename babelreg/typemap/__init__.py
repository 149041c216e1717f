"""JSON Schema in other type systems: Python, TypeScript, Spark. Text and plain data: needs no library of theirs."""
