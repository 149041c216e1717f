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
from babelreg.model import Edit, Source
from babelreg.schema.pointer import Pointer

__all__ = ["FAMILIES", "PROFILES", "Problem", "Rule", "family_of", "id_of"]

FAMILIES = (
    "urn",
    "registry",
    "ownership",
    "topology",
    "lifecycle",
    "schema",
    "examples",
    "documentation",
    "privacy",
)
PROFILES = ("minimal", "standard", "strict")
"""Each holds all rules of the one before it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a rule has to say, at the value (or, with ``key``, the key) at ``pointer`` in ``source``.

    ``offset`` counts characters into a scalar. ``fix`` is a line that can be pasted or followed. ``against`` is the
    other place that has a part in it. ``edits`` do, together, what ``fix`` says; there are some only where they cannot
    change what a message means.
    """

    message: str
    source: Source
    pointer: Pointer = ()
    key: bool = False
    offset: int = 0
    fix: str | None = None
    urn: str | None = None
    against: Place | None = None
    edits: tuple[Edit, ...] = ()


class Rule(Protocol):
    """A module of ``lint/rules/``. Its docstring is laid out as ``lint/page.py`` says.

    Its folder is one of :data:`FAMILIES`; its file name is its id. ``profile`` is the smallest of
    :data:`PROFILES` that has the rule.
    """

    __name__: str
    severity: Severity
    profile: str

    def check(self, scope: Scope) -> Iterator[Problem]:
        """Every problem in ``scope``, in any order. Doubt is no problem: a rule that is often wrong is switched off."""
        ...


def id_of(rule: Rule) -> str:
    """Return the id of ``rule``: its file name in kebab-case."""
    return rule.__name__.rpartition(".")[2].replace("_", "-")


def family_of(rule: Rule) -> str:
    """Return the family of ``rule``: the name of its folder."""
    return rule.__name__.split(".")[-2]
