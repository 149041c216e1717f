"""What a rule is: a module with a severity and a ``check``, whose docstring is its page in the manual.

A rule yields :class:`Problem` values and knows neither line numbers nor severities in force: the engine places each
problem and makes the finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from babelreg.finding import Place, Severity
from babelreg.lint.scope import Scope
from babelreg.model import Source
from babelreg.schema.pointer import Pointer

__all__ = ["Problem", "Rule"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a rule has to say, at the value (or, with ``key``, the key) at ``pointer`` in ``source``.

    ``offset`` counts characters into a scalar. ``fix`` is a line that can be pasted or followed. ``against`` is the
    other place that has a part in it.
    """

    message: str
    source: Source
    pointer: Pointer = ()
    key: bool = False
    offset: int = 0
    fix: str | None = None
    urn: str | None = None
    against: Place | None = None


class Rule(Protocol):
    """A module of ``lint/rules/``. Its docstring is laid out as ``lint/page.py`` says."""

    severity: Severity

    def check(self, scope: Scope) -> Iterator[Problem]:
        """Every problem in ``scope``, in any order. Doubt is no problem: a rule that is often wrong is switched off."""
        ...
