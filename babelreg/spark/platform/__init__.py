"""Validation and tables on the data platform's own frames: batch, streaming and Spark Connect."""
