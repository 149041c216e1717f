"""Strict YAML: parsing, editing and formatting with every comment kept."""
