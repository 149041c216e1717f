"""What waivers of findings say, but for the reasons, whichever file they are pasted into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babelreg.finding import Finding
from babelreg.load.files.defect import DEFECTS
from babelreg.model import Urn, UrnError
from babelreg.report.about import About

__all__ = ["PLACEHOLDER", "entries", "section"]

PLACEHOLDER = "TODO: say why"
"""It is taken for no reason, until somebody has written one."""
_BREAKING = "breaking"

Entry = tuple[tuple[str, str], ...]


def section(about: About) -> str:
    """The key of the settings below which the waivers of a command stand."""
    return _BREAKING if about.command.rpartition(" ")[2] == _BREAKING else "lint"


def entries(findings: Sequence[Finding], wanted: str = "lint") -> list[Entry]:
    """Keys and values of a waiver for each place and rule, in the order of ``findings``, for the section ``wanted``.

    Left out is what cannot be waived: the defects of files, and findings about waivers. The paths of ``findings`` are
    as the registry spells them.
    """
    if wanted == _BREAKING:
        return list(dict.fromkeys(entry for finding in findings for entry in _of_changes(finding)))
    waivable = (f for f in findings if f.rule not in DEFECTS and not f.rule.startswith("waiver-"))
    return list(dict.fromkeys(tuple(_entry(finding)) for finding in waivable))


def _entry(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "rule", finding.rule
    if finding.urn is not None and _path(finding.urn) == finding.place.path:
        yield "urn", finding.urn
    else:
        yield "path", finding.place.path
    if finding.pointer is not None:
        yield "pointer", finding.pointer
    yield "reason", PLACEHOLDER


def _of_changes(finding: Finding) -> Iterator[Entry]:
    """One for each message that the change breaks; none where the finding is about no change."""
    shared = bool(finding.messages)
    changes = [(use.urn, use.change) for use in finding.messages] if shared else [(finding.urn, finding.change)]
    pointer = f"{finding.place.path}#{finding.pointer}" if shared else finding.pointer
    where = (("pointer", pointer),) if pointer is not None else ()
    for urn, change in changes:
        if urn is not None and change is not None:
            head = (("rule", finding.rule), ("urn", urn), *where)
            yield *head, ("change", change), ("reason", PLACEHOLDER)


def _path(urn: str) -> str | None:
    try:
        return Urn.parse(urn).path
    except UrnError:
        return None
