"""Rules about the registry's files and settings."""
