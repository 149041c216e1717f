"""Files of the registry that an import writes: new ones in the standard format, existing ones by edits in place."""
