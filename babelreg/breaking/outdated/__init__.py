"""The distance of a service's pinned messages from the registry."""
