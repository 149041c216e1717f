"""Tables of a data platform, one module for each table format."""
