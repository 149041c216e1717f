"""The git command: how it is called, and what it may run, read and contact."""
