"""Formats that are imported: one module each, with a function ``read`` that returns their sources."""
