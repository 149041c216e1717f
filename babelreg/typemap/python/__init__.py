"""JSON Schema as Python types."""
