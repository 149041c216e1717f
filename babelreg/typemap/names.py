"""Names of types in generated code, in any language, and the visible form of a registry's texts.

Names consist of ASCII letters and digits, whatever the registry says. Each language adds what its own keywords,
literals and comments need.
"""

from __future__ import annotations

import re
import unicodedata

from babelreg.model import Urn

_WORDS = re.compile(r"[A-Za-z0-9]+")


def pascal(text: str) -> str:
    """Return ``text`` as part of a class name: ``ship_to-address`` is ``ShipToAddress``. Never empty."""
    words = _WORDS.findall(in_ascii(text))
    return "".join(word[0].upper() + word[1:] for word in words) or "Field"


def class_name(urn: Urn) -> str:
    """Return the class name: ``urn:babel:orders:invoice.requested.v2`` is ``OrdersInvoiceRequestedV2``."""
    version = f"V{urn.version}" if urn.version > 1 else ""
    name = pascal(urn.context) + pascal(urn.name) + version
    return name if name[0].isalpha() else f"Message{name}"


def singular(text: str) -> str:
    """Return the singular: ``lines`` is ``line``. A word that does not look like an English plural is unchanged."""
    for ending, replacement in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if text.endswith(ending) and len(text) > len(ending) + 1:
            return text[: -len(ending)] + replacement
    if text.endswith("s") and not text.endswith(("ss", "us", "is")) and len(text) > 2:
        return text[:-1]
    return text


def in_ascii(text: str) -> str:
    """Return the ASCII characters of ``text``, compatible ones folded into them: ``ﬁ`` is ``fi``, ``é`` is ``e``."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def visible(text: str) -> str:
    """Return ``text`` with characters escaped (``\\u202e``) that are invisible, or displayed out of order.

    Newlines stay. Source: Trojan Source; PEP 672.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == "\n" or is_plain(c) else " " if c in "\t\r" else escaped(c) for c in text)


def is_plain(character: str) -> bool:
    """Return True for a character that is displayed as itself, in its place."""
    if character.isascii():
        return character.isprintable()
    return unicodedata.category(character)[0] not in "CZ" and unicodedata.is_normalized("NFC", character)


def escaped(character: str) -> str:
    """Return the escape sequence of ``character`` in Python: ``\\n``, ``\\x7f``, ``\\u202e``, ``\\U000e0001``."""
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character)
    if short:
        return short
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
