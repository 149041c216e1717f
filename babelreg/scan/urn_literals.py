"""URNs in the text of one file: string literals, and quoted texts inside them.

Comments, docstrings and prose mention URNs without using them. A URN built at run time (``"urn:babel:" + name``,
``f"urn:babel:orders:{x}"``) does not count. In plain text (YAML, JSON) a URN counts where it is an entire value or key.
The name of a constant (``URN = "…"``) takes the role of the calls that use it further down (``publish(URN, data)``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from babelreg.scan.language import Language
from babelreg.scan.service_role import is_part, queue_of, role_of

MAX_USES = 10_000
"""A file with more is not code."""

URN = re.compile(r"urn:babel:[^\s\"'`<>(){}\[\]\\,;|:]+:[^\s\"'`<>(){}\[\]\\,;|]*", re.IGNORECASE)
_DISTINCT = re.compile(r"[a-z0-9][.:/_\\-]+[a-z0-9]", re.IGNORECASE)
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
_MAX_ASSIGNMENT = 120
_MAX_NAMES = 50
_MAX_OCCURRENCES = 1_000
# URN = …, urn := …, URN: Final[str] = …, private const string Urn = …, $urn = …
_ASSIGNED = re.compile(r"(?<![\w.>\]])([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]{0,9}(?::[^=\n]{0,40})?=[ \t\n]{0,40}\Z")
_OPENS, _CLOSES = frozenset("=:,[({-|"), frozenset(",])}:;#|")


@dataclass(frozen=True, slots=True)
class UrnLiteral:
    """A URN at the offset ``start``; its role, its queue and the name of its constant, as far as code shows them."""

    urn: str
    start: int
    role: str | None
    name: str | None = None
    queue: str | None = None


def urn_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of URNs and of ``names``, except for plain words, which mean other things in most code."""
    distinct = [name for name in names if _DISTINCT.search(name) and not URN.fullmatch(name)]
    if not distinct:
        return URN
    longest_first = sorted(distinct, key=lambda name: (-len(name), name))
    listed = "|".join(re.escape(name) for name in longest_first)
    return re.compile(rf"(?i:{URN.pattern})|(?<![\w.:/-])(?:{listed})(?![\w.:/-])")


def urn_literals(text: str, language: Language, pattern: re.Pattern[str] = URN) -> list[UrnLiteral]:
    """Return the URNs that ``text`` uses, in their order; at most :data:`MAX_USES`. See :func:`urn_pattern`."""
    found = _in_code(text, language, pattern) if language.tokens else _in_lines(text, language, pattern)
    literals = list(islice(found, MAX_USES))
    roles = _roles_of_names(text, language, (literal.name for literal in literals if literal.name))
    return [replace(literal, role=roles.get(literal.name)) if literal.name else literal for literal in literals]


def _in_code(text: str, language: Language, pattern: re.Pattern[str]) -> Iterator[UrnLiteral]:
    assert language.tokens is not None
    previous_end = -1
    for token in language.tokens.finditer(text):
        if token.lastgroup is None or token.lastgroup.startswith("c"):
            continue
        start, end = token.span()
        joined = language.adjacent and previous_end >= 0 and not text[previous_end:start].strip(f"\\{_PREFIXES} \t\r\n")
        previous_end = end
        body = token[0]
        if pattern is URN and "urn:babel:" not in body and "urn:babel:" not in body.lower():
            continue
        yield from _in_string(text, start, end, language, pattern, joined=joined)


def _in_string(
    text: str, start: int, end: int, language: Language, pattern: re.Pattern[str], *, joined: bool
) -> Iterator[UrnLiteral]:
    if language.name == "python" and text[start : start + 3] in _TRIPLE and _begins_statement(text, start):
        return  # a docstring
    for match in pattern.finditer(text, start, end):
        urn, first, last = match[0], match.start(), match.end()
        if _PART_OF_MORE.search(urn) or text[last : last + 1] in ("{", "(", "[", "<"):
            continue
        if text[start:first] in _QUOTES and text[last:end] in _QUOTES:
            if not joined and not _is_combined(text, start, end, language) and not is_part(text, start):
                role = role_of(text, start, end)
                yield UrnLiteral(urn, first, role, None if role else _name_of(text, start), queue_of(text, end))
        elif text[first - 1] in "\"'" and text[last : last + 1] in ("'", '"', "\\"):
            yield UrnLiteral(urn, first, None)


def _begins_statement(text: str, start: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return _PREFIX.match(line.strip()) is not None


def _is_combined(text: str, start: int, end: int, language: Language) -> bool:
    """Return True when the literal is concatenated, or a method of it computes another text."""
    after = text[end : end + 200]
    if language.adjacent and _STRING.match(after):
        return True
    if language.name == "shell":
        return bool(after[:1].strip("; \t\r\n)|&>"))
    before = text[max(start - 80, 0) : start].rstrip(_PREFIXES).rstrip()
    bare = after.lstrip()
    return before.endswith(language.joins) or bare.startswith(language.joins) or _COMPUTED.match(after) is not None


def _in_lines(text: str, language: Language, pattern: re.Pattern[str]) -> Iterator[UrnLiteral]:
    for match in pattern.finditer(text):
        start, end = match.span()
        # A file may be a single line: search a bounded window of it.
        near, far = max(start - _WINDOW, 0), min(end + _WINDOW, len(text))
        before = text[text.rfind("\n", near, start) + 1 or near : start]
        after = text[end:far].partition("\n")[0]
        if language.remark and language.remark.search(before):
            continue
        urn = match[0]
        if urn.endswith(":") and not after[:1].strip():
            urn, after = urn[:-1], ":"  # a key of a mapping
        quoted = before[-1:] in ("'", '"') and after[:1] in ("'", '"', "\\")
        if not _PART_OF_MORE.search(urn) and (quoted or _is_entire_value(before, after)):
            yield UrnLiteral(urn, start, None)


def _is_entire_value(before: str, after: str) -> bool:
    """Return True when nothing else is part of the value."""
    before, after = before.rstrip(), after.lstrip()
    opens = not before or before[-1] in _OPENS or before.endswith(">")
    return opens and (not after or after[0] in _CLOSES or after.startswith("</"))


def _name_of(text: str, start: int) -> str | None:
    """Return the name that the literal at ``start`` is assigned to, or None."""
    match = _ASSIGNED.search(text[max(start - _MAX_ASSIGNMENT, 0) : start])
    return match[1] if match else None


def _roles_of_names(text: str, language: Language, names: Iterable[str]) -> Mapping[str, str]:
    """Return the role of each of ``names`` that the code uses in exactly one role."""
    wanted = sorted(set(names))[:_MAX_NAMES]
    if not wanted or language.tokens is None:
        return {}
    code = language.tokens.sub(_blank, text)  # a name in a comment is not a use
    roles: dict[str, set[str]] = {}
    for number, match in enumerate(re.finditer(rf"\b(?:{'|'.join(wanted)})\b", code)):
        if number == _MAX_OCCURRENCES:
            break
        role = role_of(code, *match.span())
        if role is not None:
            roles.setdefault(match[0], set()).add(role)
    return {name: next(iter(shown)) for name, shown in roles.items() if len(shown) == 1}


def _blank(token: re.Match[str]) -> str:
    return "\n".join(" " * len(line) for line in token[0].split("\n"))
