"""Mergeable sketches of recorded messages: counts, types and names, without the values."""
