"""Interface of a rule: a module with a severity and a ``check``, whose docstring is its page in the manual.

A rule yields :class:`Problem` values without line numbers and configured severities: the engine locates each problem
and makes the finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from babelreg.finding import Place, Severity
from babelreg.lint.scope import Scope
from babelreg.model import Edit, Source
from babelreg.schema.pointer import Pointer

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
"""Each includes all rules of the one before it."""


class Problem(NamedTuple):
    """Problem that a rule reports, at the value (with ``key``: the key) at ``pointer`` in ``source``.

    ``offset`` counts characters into a scalar. ``fix`` is a line to paste or an instruction. ``against`` is the other
    place involved. ``edits`` together apply the ``fix``; they are present only where they cannot change the meaning of
    a message.
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
    """Interface of a module of ``lint/rules/``. ``manual/catalog.py`` describes the layout of its docstring.

    Its folder is one of :data:`FAMILIES`; its file name is its id. ``profile`` is the smallest of
    :data:`PROFILES` that includes the rule.
    """

    __name__: str
    severity: Severity
    profile: str

    def check(self, scope: Scope) -> Iterator[Problem]:
        """Yield the problems in ``scope``, in any order; none in doubt: users switch off a rule that is often wrong."""
        ...


def id_of(rule: Rule) -> str:
    """Return the id of ``rule``: its file name in kebab-case."""
    return rule.__name__.rpartition(".")[2].replace("_", "-")


def family_of(rule: Rule) -> str:
    """Return the family of ``rule``: the name of its folder."""
    return rule.__name__.split(".")[-2]
