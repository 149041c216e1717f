"""The commands of ``babelreg spark``."""
