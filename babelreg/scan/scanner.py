"""Scan of source files for uses of URNs, and the findings about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from babelreg.finding import Finding, Place
from babelreg.scan.file_selection import SourceFiles, read
from babelreg.scan.language import language_of
from babelreg.scan.rules import RULES
from babelreg.scan.rules.rule import ServiceDeclarations
from babelreg.scan.urn_literals import URN, urn_literals, urn_pattern
from babelreg.scan.urn_use import UrnUse

_URN_START = b"urn:babel:"
_ALLOWED = re.compile(r"babelreg:\s*allow\s+(used-urn-[a-z]+)\s+--\s*\S")
_MAX_LINE = 1000


@dataclass(frozen=True, slots=True)
class ScanResult:
    """``uses`` of URNs in the order of their places, and the number of ``files`` that were read."""

    uses: tuple[UrnUse, ...]
    files: int


def scan(files: SourceFiles, aliases: Mapping[str, str] = MappingProxyType({})) -> ScanResult:
    """Return the URNs that ``files`` use. Files that cannot be read are added to ``files.unreadable``.

    ``aliases`` has the URN by each other name under which a message is sent: a use of the name is one of the URN.
    """
    uses: list[UrnUse] = []
    number = 0
    pattern = urn_pattern(aliases)
    starts = [_URN_START, *(alias.lower().encode() for alias in aliases)]
    for path in files.paths:
        body = read(path, files)
        if body is None:
            continue
        number += 1
        lower = body.lower()
        if any(start in lower for start in starts):
            named = uses_in_file(path, body.decode("utf-8-sig", "replace"), pattern)
            uses.extend(replace(use, urn=aliases.get(use.urn, use.urn)) for use in named)
    return ScanResult(tuple(uses), number)


def uses_in_file(path: str, text: str, pattern: re.Pattern[str] = URN) -> Iterator[UrnUse]:
    """Yield the URNs that one file uses, or other names that ``pattern`` matches."""
    line, line_start, counted = 1, 0, 0  # line breaks up to ``counted`` are in ``line``
    remarks = "babelreg:" in text
    for literal in urn_literals(text, language_of(path), pattern):
        breaks = text.count("\n", counted, literal.start)
        if breaks:
            line, line_start = line + breaks, text.rindex("\n", counted, literal.start) + 1
        counted = literal.start
        allowed = frozenset(_ALLOWED.findall(_line(text, line_start, counted))) if remarks else frozenset()
        yield UrnUse(
            literal.urn, Place(path, line, literal.start - line_start + 1), literal.role, allowed, literal.queue
        )


def _line(text: str, line_start: int, offset: int) -> str:
    """Return the line around ``offset``, cut to a bounded length."""
    return text[max(line_start, offset - _MAX_LINE) : offset + _MAX_LINE].partition("\n")[0]


def findings_of(scanned: ScanResult, declared: ServiceDeclarations) -> list[Finding]:
    """Return the findings about the uses; each use is reported by the first rule that applies."""
    return [finding for use in scanned.uses if (finding := _finding_of(use, declared)) is not None]


def _finding_of(use: UrnUse, declared: ServiceDeclarations) -> Finding | None:
    for rule, module in RULES.items():
        problem = module.check(use, declared)
        if problem is not None and rule not in use.allowed:
            message = declared.message(use)
            finding = Finding(rule, module.severity, problem.message, use.place, urn=use.urn, fix=problem.fix)
            return replace(finding, against=message.source.place(("urn",))) if message else finding
    return None
