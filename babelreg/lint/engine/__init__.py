"""The run of all rules over a registry, with caching, fixes and results."""
