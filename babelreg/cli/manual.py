"""Every rule of every verb that has rules, for ``babelreg rules`` and ``babelreg explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from babelreg.lint.manual import Entry

__all__ = ["Listed", "entries"]


class Listed(NamedTuple):
    """One rule and the command that reports it."""

    verb: str
    entry: Entry


def entries() -> dict[str, Listed]:
    """The rules by id: those of ``lint`` in the order of its table, then those of ``breaking``. No id stands twice."""
    from babelreg.breaking.rules import PAGES, SEVERITIES
    from babelreg.lint.manual import ENTRIES, Entry

    found = {rule: Listed("lint", entry) for rule, entry in ENTRIES.items()}
    for rule, page in PAGES.items():
        found[rule] = Listed("breaking", Entry(rule, SEVERITIES[rule], page))
    return found
