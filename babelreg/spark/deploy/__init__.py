"""Archives and code for clusters."""
