"""Rules about versions, status and dates."""
