"""Analysis of schemas and their fields for several rules."""
