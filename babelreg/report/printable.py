"""Escapes for characters that move a terminal's cursor, or hide or reorder text: messages quote untrusted files."""

from __future__ import annotations

import unicodedata

__all__ = ["printable"]

# Controls, formats (bidi marks, zero widths), surrogates, line and paragraph separators, private use.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co"})


def printable(text: str) -> str:
    """Return ``text`` with an escape in place of every character that has no glyph of its own."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _UNPRINTABLE else c for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
