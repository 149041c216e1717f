"""Is the registry in order? ``lint.run(registry)`` returns findings; ``lint.examine`` also what was waived.

``engine`` runs the rules of ``rules/``, one module each, over a ``Scope``. A rule's docstring is its page in the
manual (``manual``, ``page``); the defects that ``load`` reports have their pages in ``defects``. ``cache`` keeps what
was found for the same files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.lint.config import Config
    from babelreg.lint.engine.run import LintResult, examine, run

__all__ = ["Config", "LintResult", "examine", "run"]


def __getattr__(name: str) -> Any:
    """The rules, when they are asked for: a verdict from the cache needs none of them."""
    if name in ("LintResult", "examine", "run"):
        from babelreg.lint.engine import run as engine

        return getattr(engine, name)
    if name == "Config":
        from babelreg.lint.config import Config

        return Config
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
