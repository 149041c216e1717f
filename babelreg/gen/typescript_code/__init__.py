"""TypeScript code that targets show: usage examples."""
