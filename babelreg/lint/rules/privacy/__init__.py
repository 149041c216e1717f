"""Rules about personal data."""
