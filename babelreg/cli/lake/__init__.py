"""Commands that turn recorded messages into typed tables."""
