"""Rules about owners."""
