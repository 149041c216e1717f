"""How a schema node is spelled in another type system. Text and plain data: neither pydantic nor pyspark is needed."""
