"""Source files in, uses and findings out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from babelreg.finding import Finding, Place
from babelreg.scan.files import SourceFiles, read
from babelreg.scan.language import language_of
from babelreg.scan.literals import uses_in
from babelreg.scan.rules import RULES
from babelreg.scan.rules.rule import Declared
from babelreg.scan.use import UrnUse

__all__ = ["Scanned", "judged", "scan", "uses_of"]

_SIGN = b"urn:babel:"
_ALLOWED = re.compile(r"babelreg:\s*allow\s+(used-urn-[a-z]+)\s+--\s*\S")
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Scanned:
    """``uses`` stand in the order of their places; ``files`` is how many were read."""

    uses: tuple[UrnUse, ...]
    files: int


def scan(files: SourceFiles) -> Scanned:
    """Every URN that ``files`` use. What cannot be read is passed over."""
    uses: list[UrnUse] = []
    number = 0
    for path in files.paths:
        body = read(path, files)
        if body is None:
            continue
        number += 1
        if _SIGN in body or _SIGN in body.lower():
            uses.extend(uses_of(path, body.decode("utf-8-sig", "replace")))
    return Scanned(tuple(uses), number)


def uses_of(path: str, text: str) -> Iterator[UrnUse]:
    """The URNs that one file uses."""
    line, begins, told = 1, 0, 0  # ``told``: line breaks before it were counted
    remarks = "babelreg:" in text
    for found in uses_in(text, language_of(path)):
        breaks = text.count("\n", told, found.start)
        if breaks:
            line, begins = line + breaks, text.rindex("\n", told, found.start) + 1
        told = found.start
        allowed = frozenset(_ALLOWED.findall(_line(text, begins, told))) if remarks else frozenset()
        yield UrnUse(found.urn, Place(path, line, found.start - begins + 1), found.role, allowed)


def _line(text: str, begins: int, at: int) -> str:
    """The line around ``at``, where it is no longer than a person writes."""
    return text[max(begins, at - _LONGEST) : at + _LONGEST].partition("\n")[0]


def judged(scanned: Scanned, declared: Declared) -> list[Finding]:
    """What is wrong with the uses: of each what the first rule says that has something to say."""
    return [finding for use in scanned.uses if (finding := _judged(use, declared)) is not None]


def _judged(use: UrnUse, declared: Declared) -> Finding | None:
    for rule, module in RULES.items():
        problem = module.check(use, declared)
        if problem is not None and rule not in use.allowed:
            message = declared.message(use)
            found = Finding(rule, module.severity, problem.message, use.place, urn=use.urn, fix=problem.fix)
            return replace(found, against=message.source.place(("urn",))) if message else found
    return None
