"""JSON Schema as TypeScript types."""
