"""Comparison of a registry with sketches of its traffic: what is declared and not sent, and the reverse."""
