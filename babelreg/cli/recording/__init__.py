"""``babelreg drain`` and ``babelreg tap``: messages of a broker into files."""
