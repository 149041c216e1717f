"""The write-ahead log of a lake: manifests of batches, checkpoints, the log of input files."""
