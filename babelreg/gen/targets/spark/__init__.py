"""The target ``spark``: schemas, views, jobs."""
