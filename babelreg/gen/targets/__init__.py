"""The table of targets: the name a user types, and the module that writes it."""

from __future__ import annotations

from babelreg.gen.target import Target
from babelreg.gen.targets import docs, python, spark

__all__ = ["TARGETS"]

TARGETS: dict[str, Target] = {
    "python": python,
    "spark": spark,
    "docs": docs,
}
