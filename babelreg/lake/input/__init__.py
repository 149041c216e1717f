"""Input of a lake: files and quarantine that no batch has read yet."""
