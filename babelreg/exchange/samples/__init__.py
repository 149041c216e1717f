"""New messages from samples of their data."""
