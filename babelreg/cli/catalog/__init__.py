"""Parts of ``babelreg gen catalog`` alone: inputs from other verbs, and a server that shows the catalog."""
