"""Sketches of recorded traffic: recordings and lakes, read in parallel by an engine."""
