"""The write-ahead log of a lake: manifests, checkpoints, segments, the log of sources."""
