"""``python -m babelreg``."""

from babelreg.cli import main

main()
