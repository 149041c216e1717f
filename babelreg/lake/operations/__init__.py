"""Operation of runs: thresholds, metrics and lineage of a run, and the rows of the quarantine."""
