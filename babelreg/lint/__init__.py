"""Linter of a registry. ``lint.run(registry)`` returns findings; ``lint.examine`` also the waived ones.

``engine`` runs the rules of ``rules/``, one module each, over a ``Scope``. A rule's docstring is its manual page; the
pages of the defects that ``load`` reports are in ``manual/defects``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.lint.config import Config
    from babelreg.lint.engine.run import LintResult, examine, run

__all__ = ["Config", "LintResult", "examine", "run"]


def __getattr__(name: str) -> Any:
    """Import the rules on first use: a cached result does not need them."""
    if name in ("LintResult", "examine", "run"):
        from babelreg.lint.engine import run as engine

        return getattr(engine, name)
    if name == "Config":
        from babelreg.lint.config import Config

        return Config
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
