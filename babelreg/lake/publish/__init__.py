"""Projections of a lake: its tables as Delta and Iceberg tables, by metadata alone.

The manifest of the lake is the write-ahead log. A projection follows it, one commit a table, each with the number of
the batch in the same transaction, so that a run that was stopped is caught up and nothing is committed twice. No file
of rows is copied, and neither Spark nor Java is needed.
"""
