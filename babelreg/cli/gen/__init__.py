"""``babelreg gen``: a command for each target."""
