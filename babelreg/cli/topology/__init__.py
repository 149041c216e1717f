"""``babelreg topology``: queues, subscriptions and groups of the registry, and those of a broker."""
