"""New versions of messages and shared fragments."""
