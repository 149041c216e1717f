"""JSON Schema as PHP classes."""
