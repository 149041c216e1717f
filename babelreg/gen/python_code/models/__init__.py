"""Data models of a message, one module per kind of model."""
