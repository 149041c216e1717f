"""The archive of Spark's classes that shortens a start."""
