"""Redaction of text from messages: a report shows its shape, not its content.

A report is sent to others. So letters become ``x`` and digits ``9``; length, case and punctuation remain, which reveal
a misspelling, a wrong format or a truncated message.
"""

from __future__ import annotations

import re
import unicodedata

from babelreg.model import Urn, UrnError

LONGEST = 64
"""Number of characters of a text that are shown."""

_HEAD_BYTES = 240
_TAIL_BYTES = 80
_BOM = b"\xef\xbb\xbf"
_NAME = re.compile(r"[A-Za-z_][A-Za-z_-]{0,31}[0-9]{0,2}\Z")
_ID = re.compile(
    r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z|[0-9a-fA-F]{32}\Z|[0-7][0-9A-HJKMNP-TV-Z]{25}\Z"
)
_NUMBERED = re.compile(r"[0-9]{3,}|(?=[0-9a-f-]*[0-9])[0-9a-f]{8}[0-9a-f-]*")
_WORDS = re.compile(r"\b(?:true|false|null|NaN|Infinity)\b")


def shape(text: str, most: int = LONGEST) -> str:
    """Return ``text`` with every letter as ``x`` or ``X`` and every digit as ``9``, cut after ``most`` characters.

    Of other characters only those of ASCII that print are kept; the rest are ``·``.
    """
    cut = "".join(map(_sign, text[:most]))
    return cut if len(text) <= most else f"{cut}…"


def _sign(character: str) -> str:
    if character.isascii():
        if character.isalpha():
            return "X" if character.isupper() else "x"
        if character.isdigit():
            return "9"
        return character if character.isprintable() else "·"
    kind = unicodedata.category(character)
    if kind == "Lu":
        return "X"
    return "x" if kind[0] == "L" else "9" if kind[0] == "N" else "·"


def identifier(name: str) -> bool:
    """Return whether ``name`` looks like the name of a field: short, and without an identifying number."""
    return _NAME.match(name) is not None


def shown_id(text: str | None) -> str | None:
    """Return an id as it is where it is one of the usual kinds (UUID, ULID, 32 hex digits), else its shape."""
    return None if text is None else text if _ID.match(text) else shape(text, 36)


def shown_urn(text: str) -> str:
    """Return a URN as it is, but for numbers that tell one thing from others (U7); anything else by its shape."""
    try:
        Urn.parse(text)
    except UrnError:
        return shape(text)
    return _NUMBERED.sub("…", text)


def head(body: bytes) -> list[str]:
    """Return the beginning and end of bytes that are not a message as redacted lines; JSON's own words are kept.

    The first byte that is not UTF-8 is shown as a number, such as ``⟨e9⟩``, which hints at the encoding.
    """
    mark = "⟨BOM⟩" if body.startswith(_BOM) else ""
    start = body[len(_BOM) if mark else 0 :]
    lines = [mark + _bytes(start[:_HEAD_BYTES])]
    if len(start) > _HEAD_BYTES + _TAIL_BYTES:
        return [f"{lines[0]}…", f"…{_bytes(start[-_TAIL_BYTES:])}"]
    if len(start) > _HEAD_BYTES:
        lines[0] += _bytes(start[_HEAD_BYTES:])
    return lines


def _bytes(body: bytes) -> str:
    text = body.decode("utf-8", "surrogateescape")
    literals = {at: match[0] for match in _WORDS.finditer(text) for at in (match.start(),)}
    shown, odd, at = [], 0, 0
    while at < len(text):
        if at in literals:
            shown.append(literals[at])
            at += len(literals[at])
            continue
        if "\udc80" <= text[at] <= "\udcff":
            odd += 1
            shown.append(f"⟨{ord(text[at]) - 0xDC00:02x}⟩" if odd == 1 else "⟨··⟩")
        else:
            shown.append(_sign(text[at]))
        at += 1
    return "".join(shown)
