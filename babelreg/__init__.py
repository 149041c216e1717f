"""babelreg: the URN registry and code-generation toolchain for BabelQueue messages."""

__version__ = "0.1.0"
