"""What waivers of findings say, but for the reasons, whichever file they are pasted into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babelreg.finding import Finding
from babelreg.load.defect import DEFECTS
from babelreg.model import Urn, UrnError

__all__ = ["PLACEHOLDER", "entries"]

PLACEHOLDER = "TODO: say why"
"""Lint takes it for no reason, until somebody has written one."""

Entry = tuple[tuple[str, str], ...]


def entries(findings: Sequence[Finding]) -> list[Entry]:
    """Keys and values of a waiver for each place and rule, in the order of ``findings``.

    Left out is what cannot be waived: the defects of files, and findings about waivers. The paths of ``findings`` are
    as the registry spells them.
    """
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


def _path(urn: str) -> str | None:
    try:
        return Urn.parse(urn).path
    except UrnError:
        return None
