"""The worker command of generated packages."""
