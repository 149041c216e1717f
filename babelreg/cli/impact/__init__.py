"""``babelreg impact``: the command and the styles of its report."""
