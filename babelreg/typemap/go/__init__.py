"""JSON Schema as Go types."""
