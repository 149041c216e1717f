"""The target ``python``: typed data, producers and consumers."""
