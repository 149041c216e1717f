"""Base classes of generated data models."""
