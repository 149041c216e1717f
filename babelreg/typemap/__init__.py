"""JSON Schema in other type systems, Python and Spark. Text and plain data: needs neither pydantic nor pyspark."""
