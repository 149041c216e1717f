"""``data`` as Arrow columns."""
