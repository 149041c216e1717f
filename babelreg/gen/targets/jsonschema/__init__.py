"""The target ``jsonschema``: JSON Schema files."""
