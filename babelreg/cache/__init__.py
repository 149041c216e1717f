"""The store of results computed by earlier runs."""
