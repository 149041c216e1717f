"""The commands of ``babelreg spark``, one module each."""
