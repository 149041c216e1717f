"""Rules about descriptions."""
