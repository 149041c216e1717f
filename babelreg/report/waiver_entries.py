"""Entries of waivers for findings, with a placeholder as the reason; each style spells them in its own syntax."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babelreg.finding import Finding
from babelreg.load.files.defect import DEFECTS
from babelreg.model import Urn, UrnError
from babelreg.report.run_info import RunInfo

PLACEHOLDER = "TODO: say why"
"""The reader of the settings treats it as a missing reason."""
_BREAKING = "breaking"

Entry = tuple[tuple[str, str], ...]


def section(run_info: RunInfo) -> str:
    """Return the settings section that holds the waivers of the command: ``breaking`` or ``lint``."""
    return _BREAKING if run_info.command.rpartition(" ")[2] == _BREAKING else "lint"


def entries(findings: Sequence[Finding], section: str = "lint") -> list[Entry]:
    """Return the keys and values of one waiver per place and rule, in the order of ``findings``, for ``section``.

    Findings that cannot be waived are left out: defects of files, and findings about waivers. The paths of ``findings``
    are relative to the registry.
    """
    if section == _BREAKING:
        return list(dict.fromkeys(entry for finding in findings for entry in _change_entries(finding)))
    waivable = (f for f in findings if f.rule not in DEFECTS and not f.rule.startswith("waiver-"))
    return list(dict.fromkeys(tuple(_entry(finding)) for finding in waivable))


def _entry(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "rule", finding.rule
    if finding.urn is not None and _path_of(finding.urn) == finding.place.path:
        yield "urn", finding.urn
    else:
        yield "path", finding.place.path
    if finding.pointer is not None:
        yield "pointer", finding.pointer
    yield "reason", PLACEHOLDER


def _change_entries(finding: Finding) -> Iterator[Entry]:
    """Yield one entry per message that the change breaks; none where the finding is not about a change."""
    shared = bool(finding.messages)
    changes = [(use.urn, use.change) for use in finding.messages] if shared else [(finding.urn, finding.change)]
    pointer = f"{finding.place.path}#{finding.pointer}" if shared else finding.pointer
    location = (("pointer", pointer),) if pointer is not None else ()
    for urn, change in changes:
        if urn is not None and change is not None:
            name = "path" if _path_of(urn) is None else "urn"  # a plain schema has no URN
            head = (("rule", finding.rule), (name, urn), *location)
            yield *head, ("change", change), *_reason(finding)


def _reason(finding: Finding) -> Entry:
    """Return the reason of an entry: recorded messages where they show that none would be refused, until a day."""
    traffic = finding.traffic
    if traffic is None:
        return (("reason", PLACEHOLDER),)
    evidence = f"{traffic} would have been refused"
    return (("expires", traffic.expires), ("reason", f"{PLACEHOLDER}; {evidence}" if traffic.refused else evidence))


def _path_of(urn: str) -> str | None:
    try:
        return Urn.parse(urn).path
    except UrnError:
        return None
