"""The lake folder: commits, tables, the id index, the lock of writers."""
