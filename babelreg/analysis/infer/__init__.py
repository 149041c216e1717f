"""Inference of a registry from sketches of recorded messages."""
