"""What only ``babelreg gen catalog`` does: inputs from other verbs, and a server that shows the catalog."""
