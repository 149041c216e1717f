"""Every code that babelreg prints, for ``babelreg rules`` and ``babelreg explain``: rules, checks and reasons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from babelreg.lint.manual.catalog import RuleEntry
    from babelreg.report import RuleText

__all__ = ["Listed", "entries", "every_entry", "reason_entries", "texts"]


class Listed(NamedTuple):
    """One rule and the command that reports it."""

    verb: str
    entry: RuleEntry


def entries() -> dict[str, Listed]:
    """The rules by id: of ``lint`` in the order of its table, ``breaking``, ``scan``, then checks; no id twice."""
    from babelreg.breaking import rules as breaking_rules
    from babelreg.cli.manual.check_pages import CHECKS
    from babelreg.lint.manual.catalog import ENTRIES, RuleEntry
    from babelreg.scan import rules as scan_rules

    found = {rule: Listed("lint", entry) for rule, entry in ENTRIES.items()}
    for verb, table in (("breaking", breaking_rules), ("scan", scan_rules)):
        for rule, page in table.PAGES.items():
            found[rule] = Listed(verb, RuleEntry(rule, table.SEVERITIES[rule], page))
    for code, check in CHECKS.items():
        found[code] = Listed(check.verb, RuleEntry(code, check.severity, check.docstring))
    return found


def reason_entries() -> dict[str, Listed]:
    """Return the reasons by code: why ``validate``, a consumer or ``spark ingest`` refused a message."""
    from babelreg.cli.manual.reason_pages import page, reasons
    from babelreg.finding import Severity
    from babelreg.lint.manual.catalog import RuleEntry

    return {code: Listed("validate", RuleEntry(code, Severity.ERROR, page(code))) for code in reasons()}


def every_entry() -> dict[str, Listed]:
    """Return everything that ``babelreg explain`` has a page of."""
    return {**entries(), **reason_entries()}


def texts(rules: Iterable[str]) -> dict[str, RuleText]:
    """What a report says of those of ``rules`` that have a page."""
    from babelreg.report import RuleText

    known = every_entry()
    listed = {rule: known[rule] for rule in rules if rule in known}
    return {rule: RuleText(one.entry.summary, _markdown(one), one.entry.severity) for rule, one in listed.items()}


_LANGUAGES = {"scan": "python", "gen": "console", "validate": "text"}


def _markdown(one: Listed) -> str:
    page, language = one.entry.page, _LANGUAGES.get(one.verb, "yaml")
    blocks = [
        f"{name}:\n\n```{language}\n{block.rstrip()}\n```" for name, block in (("Bad", page.bad), ("Good", page.good))
    ]
    return "\n\n".join([page.summary, *page.why, *blocks, *page.fix])
