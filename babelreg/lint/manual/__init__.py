"""Manual pages of the rules and of the defects of files."""
