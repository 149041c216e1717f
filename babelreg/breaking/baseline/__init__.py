"""The published registry: git revisions, folders and archives, and the history of a message."""
