"""Every code that babelreg prints, for ``babelreg rules`` and ``babelreg explain``: rules, checks and reasons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from babelreg.lint.manual.catalog import RuleEntry
    from babelreg.report import RuleText


class Listed(NamedTuple):
    """One rule and the command that reports it."""

    verb: str
    entry: RuleEntry


def entries() -> dict[str, Listed]:
    """Return the rules by unique id: of ``lint`` in the order of its table, of other commands, then checks."""
    from babelreg.analysis.drift import rules as drift_rules
    from babelreg.breaking import rules as breaking_rules
    from babelreg.cli.manual.check_pages import CHECKS
    from babelreg.cli.manual.import_pages import IMPORT_CHECKS
    from babelreg.lint.manual.catalog import ENTRIES, RuleEntry
    from babelreg.scan import rules as scan_rules

    listed = {rule: Listed("lint", entry) for rule, entry in ENTRIES.items()}
    for verb, table in (("breaking", breaking_rules), ("scan", scan_rules), ("drift", drift_rules)):
        for rule, page in table.PAGES.items():
            listed[rule] = Listed(verb, RuleEntry(rule, table.SEVERITIES[rule], page))
    for code, check in (CHECKS | IMPORT_CHECKS).items():
        listed[code] = Listed(check.verb, RuleEntry(code, check.severity, check.docstring))
    return listed


def reason_entries() -> dict[str, Listed]:
    """Return the reasons by code: why ``validate``, a consumer or ``lake ingest`` refused a message."""
    from babelreg.cli.manual.reason_pages import page, reasons
    from babelreg.finding import Severity
    from babelreg.lint.manual.catalog import RuleEntry

    return {code: Listed("validate", RuleEntry(code, Severity.ERROR, page(code))) for code in reasons()}


def every_entry() -> dict[str, Listed]:
    """Return everything that ``babelreg explain`` has a page of."""
    return {**entries(), **reason_entries()}


def texts(rules: Iterable[str]) -> dict[str, RuleText]:
    """Return the texts that a report prints for those of ``rules`` that have a page."""
    from babelreg.report import RuleText

    entries_by_code = every_entry()
    listed = {rule: entries_by_code[rule] for rule in rules if rule in entries_by_code}
    return {rule: RuleText(item.entry.summary, _markdown(item), item.entry.severity) for rule, item in listed.items()}


_LANGUAGES = {"scan": "python", "gen": "console", "validate": "text"}


def _markdown(item: Listed) -> str:
    page, language = item.entry.page, _LANGUAGES.get(item.verb, "yaml")
    blocks = [
        f"{name}:\n\n```{language}\n{block.rstrip()}\n```" for name, block in (("Bad", page.bad), ("Good", page.good))
    ]
    return "\n\n".join([page.summary, *page.why, *blocks, *page.fix])
