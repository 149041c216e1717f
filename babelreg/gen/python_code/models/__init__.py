"""Data models of messages: the model generator, and one module per kind of model."""
