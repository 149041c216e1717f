"""Code that runs in Spark's workers; imports no pyspark."""
