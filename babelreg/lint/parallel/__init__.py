"""The second process that validates examples of large registries."""
