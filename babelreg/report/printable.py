"""Escapes for characters that move a terminal's cursor, or hide or reorder text: messages quote untrusted files."""

from __future__ import annotations

import re
import unicodedata

from babelreg.lazy_pattern import LazyPattern

# Controls, formats (bidi marks, zero widths), surrogates, line and paragraph separators, private use.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co"})
_UNDECODED = LazyPattern("[\udc80-\udcff]+")  # PEP 383


def printable(text: str) -> str:
    """Return ``text`` with an escape in place of every character that has no glyph of its own.

    Bytes of a path that the locale could not decode are shown as UTF-8 where they are UTF-8.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _UNDECODED.sub(_decoded, text)
    return "".join(_escaped(c) if unicodedata.category(c) in _UNPRINTABLE else c for c in text)


def _decoded(undecoded: re.Match[str]) -> str:
    return undecoded[0].encode("ascii", "surrogateescape").decode("utf-8", "surrogateescape")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
