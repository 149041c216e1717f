"""babelreg: the URN registry and code-generation toolchain for BabelQueue messages."""

__all__ = ["__version__"]

__version__ = "0.1.0"
