"""Every rule of every verb that has rules, for ``babelreg rules`` and ``babelreg explain``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from babelreg.lint.manual import Entry
    from babelreg.report import RuleText

__all__ = ["Listed", "entries", "texts"]


class Listed(NamedTuple):
    """One rule and the command that reports it."""

    verb: str
    entry: Entry


def entries() -> dict[str, Listed]:
    """The rules by id: those of ``lint`` in the order of its table, then ``breaking``, then ``scan``. No id twice."""
    from babelreg.breaking import rules as breaking_rules
    from babelreg.lint.manual import ENTRIES, Entry
    from babelreg.scan import rules as scan_rules

    found = {rule: Listed("lint", entry) for rule, entry in ENTRIES.items()}
    for verb, table in (("breaking", breaking_rules), ("scan", scan_rules)):
        for rule, page in table.PAGES.items():
            found[rule] = Listed(verb, Entry(rule, table.SEVERITIES[rule], page))
    return found


def texts(rules: Iterable[str]) -> dict[str, RuleText]:
    """What a report says of those of ``rules`` that have a page."""
    from babelreg.report import RuleText

    known = entries()
    listed = {rule: known[rule] for rule in rules if rule in known}
    return {rule: RuleText(one.entry.summary, _markdown(one), one.entry.severity) for rule, one in listed.items()}


def _markdown(one: Listed) -> str:
    page, language = one.entry.page, "python" if one.verb == "scan" else "yaml"
    blocks = [
        f"{name}:\n\n```{language}\n{block.rstrip()}\n```" for name, block in (("Bad", page.bad), ("Good", page.good))
    ]
    return "\n\n".join([page.summary, *page.why, *blocks, *page.fix])
