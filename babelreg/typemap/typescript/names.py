"""TypeScript spelling of names and texts: property keys, string literals, JSDoc comments.

Type names consist of ASCII letters and digits. All other texts of a registry become string literals or comments here,
in which characters that are invisible, or displayed out of order, are escaped.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable

from babelreg.typemap.names import visible

RESERVED = frozenset(["Array", "Object", "Promise", "Readonly", "ReadonlyArray", "Record"])
"""Global types that generated modules use, or that a reader takes a name for."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_TAG = re.compile(r"(?m)^([ \t]*)@|\{@")
_LONGEST = 110


def key(name: str) -> str:
    """Return ``name`` as a property key: bare where it is an ASCII identifier; keywords are allowed there."""
    return name if _IDENTIFIER.match(name) else literal(name)


def literal(text: str) -> str:
    """Return ``text`` as a string literal in double quotes; all but plain printable text is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    if quoted.isascii() and quoted.isprintable():
        return quoted
    return "".join(_escaped(character) for character in quoted)


def _escaped(character: str) -> str:
    if character != "\x7f" and (character.isascii() or visible(character) == character):
        return character  # json.dumps has escaped the other controls
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def jsdoc(paragraphs: Iterable[str | None], tags: Iterable[str] = (), indent: str = "") -> str:
    """Return a JSDoc comment with its indent and newline, or "" where nothing is to be said.

    ``tags`` are lines of our own, such as ``@deprecated``; a ``@`` in ``paragraphs`` begins no tag.
    """
    texts = [_TAG.sub(_untagged, visible(text).strip()) for text in paragraphs if text and text.strip()]
    lines = [piece for text in texts for line in (*text.split("\n"), "") for piece in _wrapped(line, len(indent))]
    while lines and not lines[-1]:
        lines.pop()
    lines += ["@" + _TAG.sub(_untagged, visible(tag[1:]).replace("\n", " ")) for tag in tags]
    # The end of a comment, also where its two characters come from two places.
    safe = [line.replace("*/", "*\\/") for line in lines]
    if not safe:
        return ""
    if len(safe) == 1 and len(safe[0]) + len(indent) < _LONGEST:
        return f"{indent}/** {safe[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in safe)
    return f"{indent}/**\n{body}{indent} */\n"


def _untagged(match: re.Match[str]) -> str:
    return "{\\@" if match[0] == "{@" else f"{match[1]}\\@"


def _wrapped(line: str, indent: int) -> list[str]:
    if len(line) + indent <= _LONGEST:
        return [line]
    # A wrapped line must not begin with a sign that begins a tag there, so it is checked again.
    pieces = textwrap.wrap(line, _LONGEST - indent, break_on_hyphens=False) or [""]
    return [_TAG.sub(_untagged, piece) for piece in pieces]
