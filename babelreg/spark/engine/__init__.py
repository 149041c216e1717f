"""Engines: Spark, or a pool of processes without a JVM, that run the tasks of a batch."""
