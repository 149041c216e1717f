"""Files and folders: trees, defects, positions, atomic writes."""
