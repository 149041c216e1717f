"""Engines: what runs the tasks of a batch."""
