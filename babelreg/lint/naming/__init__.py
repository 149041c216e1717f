"""Spelling of names, paths and URNs."""
