"""The URNs in the text of one file: whole string literals, and what stands in quotes inside of them.

Comments, docstrings and prose mention URNs; they do not use them. A URN that is put together (``"urn:babel:" + name``,
``f"urn:babel:orders:{x}"``) is none yet. In plain text (YAML, JSON) a URN counts where it is a value or a key alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from babelreg.scan.constants import name_of, roles
from babelreg.scan.language import Language
from babelreg.scan.role import is_part, role_of

__all__ = ["MOST", "UrnLiteral", "uses_in"]

MOST = 10_000
"""More in one file are no code."""

_URN = re.compile(r"urn:babel:[^\s\"'`<>(){}\[\]\\,;|:]+:[^\s\"'`<>(){}\[\]\\,;|]*", re.IGNORECASE)
_PART_OF_MORE = re.compile(r"[%$*#?&=/@]|[:.-]\Z|\.\.")
_COMPUTED = re.compile(
    r"\s*\.\s*(?:format|formatted|concat|replace|replaceall|join|substr|insert)\w*\s*\(", re.IGNORECASE
)
_WINDOW = 400
_PREFIXES = "rRbBuUfF"
_PREFIX = re.compile(rf"[{_PREFIXES}]{{0,2}}\Z")
_STRING = re.compile(rf"[\s\\]*[{_PREFIXES}]{{0,2}}['\"]")
_TRIPLE = ('"""', "'''")
_QUOTES = ('"', "'", "`", *_TRIPLE, '@"', '$@"', '@$"')
_OPENS, _CLOSES = frozenset("=:,[({-|"), frozenset(",])}:;#|")


@dataclass(frozen=True, slots=True)
class UrnLiteral:
    """A URN at the offset ``start``, the role that its surroundings show, and the name that it is given, if any."""

    urn: str
    start: int
    role: str | None
    name: str | None = None


def uses_in(text: str, language: Language) -> list[UrnLiteral]:
    """The URNs that ``text`` uses, in their order; no more than :data:`MOST`."""
    every = list(islice(_in_code(text, language) if language.tokens else _in_lines(text, language), MOST))
    known = roles(text, language, (found.name for found in every if found.name))
    return [replace(found, role=known.get(found.name)) if found.name else found for found in every]


def _in_code(text: str, language: Language) -> Iterator[UrnLiteral]:
    assert language.tokens is not None
    ended = -1  # where the string before ended
    for token in language.tokens.finditer(text):
        if token.lastgroup is None or token.lastgroup.startswith("c"):
            continue
        start, end = token.span()
        joined = language.adjacent and ended >= 0 and not text[ended:start].strip(f"\\{_PREFIXES} \t\r\n")
        ended = end
        body = token[0]
        if "urn:babel:" not in body and "urn:babel:" not in body.lower():
            continue
        yield from _in_string(text, start, end, language, joined=joined)


def _in_string(text: str, start: int, end: int, language: Language, *, joined: bool) -> Iterator[UrnLiteral]:
    if language.name == "python" and text[start : start + 3] in _TRIPLE and _begins_statement(text, start):
        return  # a docstring
    for found in _URN.finditer(text, start, end):
        urn, at, behind = found[0], found.start(), found.end()
        if _PART_OF_MORE.search(urn) or text[behind : behind + 1] in ("{", "(", "[", "<"):
            continue
        if text[start:at] in _QUOTES and text[behind:end] in _QUOTES:
            if not joined and not _joined(text, start, end, language) and not is_part(text, start):
                role = role_of(text, start, end)
                yield UrnLiteral(urn, at, role, None if role else name_of(text, start))
        elif text[at - 1] in "\"'" and text[behind : behind + 1] in ("'", '"', "\\"):
            yield UrnLiteral(urn, at, None)


def _begins_statement(text: str, start: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return _PREFIX.match(line.strip()) is not None


def _joined(text: str, start: int, end: int, language: Language) -> bool:
    """True where the literal is put together with something, or something is made of it."""
    after = text[end : end + 200]
    if language.adjacent and _STRING.match(after):
        return True
    if language.name == "shell":
        return bool(after[:1].strip("; \t\r\n)|&>"))
    before = text[max(start - 80, 0) : start].rstrip(_PREFIXES).rstrip()
    bare = after.lstrip()
    return before.endswith(language.joins) or bare.startswith(language.joins) or _COMPUTED.match(after) is not None


def _in_lines(text: str, language: Language) -> Iterator[UrnLiteral]:
    for found in _URN.finditer(text):
        start, end = found.span()
        # A file may be one line: no more of it is looked at than a person would.
        near, far = max(start - _WINDOW, 0), min(end + _WINDOW, len(text))
        before = text[text.rfind("\n", near, start) + 1 or near : start]
        after = text[end:far].partition("\n")[0]
        if language.remark and language.remark.search(before):
            continue
        urn = found[0]
        if urn.endswith(":") and not after[:1].strip():
            urn, after = urn[:-1], ":"  # a key of a mapping
        quoted = before[-1:] in ("'", '"') and after[:1] in ("'", '"', "\\")
        if not _PART_OF_MORE.search(urn) and (quoted or _alone(before, after)):
            yield UrnLiteral(urn, start, None)


def _alone(before: str, after: str) -> bool:
    """True where nothing else is part of the value."""
    left, right = before.rstrip(), after.lstrip()
    opens = not left or left[-1] in _OPENS or left.endswith(">")
    return opens and (not right or right[0] in _CLOSES or right.startswith("</"))
