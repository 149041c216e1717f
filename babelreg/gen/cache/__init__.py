"""Caches of generated files, keyed by what they are made from."""
