"""Recognition of files that are meant to be messages, though they are unreadable or their URN is misspelt."""

from __future__ import annotations

import re

from babelreg.lazy_pattern import LazyPattern
from babelreg.load.files.defect import Defect
from babelreg.load.yaml import parser

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# Keys at the margin that only a message has together. A manifest of Kubernetes has a kind and data, and says ConfigMap.
_KEY = LazyPattern(
    rb"^[\"']?(?:(?P<name>urn|data|producers|consumers|supersedes|retired_on|counterexamples)[\"']?[ \t]*:"
    rb"|(?P<kind>kind)[\"']?[ \t]*:[ \t]*[\"']?(?:event|command)\b)",
    re.MULTILINE,
)
_BESIDE = ("kind", "data", "producers", "consumers", "supersedes", "retired_on", "counterexamples")
_URN_KEY = LazyPattern(rb"\burn[\"']?[ \t]*:")
# The first line that is neither blank nor a comment opens a mapping: a key and a colon, or a brace.
_MAPPING = LazyPattern(
    rb"(?:[ \t]*(?:#[^\n]*|---[ \t]*|%[^\n]*)?\r?\n)*+[ \t]*(?:\{|[\"']?[\w.-]+[\"']?[ \t]*:(?:\s|\Z))"
)
_PROSE = LazyPattern(rb"^```|\n---[ \t]*\r?\n", re.MULTILINE)  # a page with an example, or with a message as its head


def like_a_message(body: bytes) -> bool:
    """Return True when ``body`` names a BabelQueue URN or has the keys of a message, even if it is not valid YAML."""
    body = _as_utf_8(body)
    return b"urn:babel:" in body or _has_keys(body)


def declares_urn(body: bytes, *, prose: bool = False) -> bool:
    """Return True when ``body`` is a mapping with a ``urn`` at its top; else the keys of a message suffice.

    A URN of another namespace, such as ``urn:isbn:…``, counts only beside a message's keys. ``prose``
    is True for a file that may be a page about a message.
    """
    body = _as_utf_8(body)
    if not _URN_KEY.search(body) or not _MAPPING.match(body):
        return False
    try:
        value = parser.read(body.decode())
    except UnicodeDecodeError:
        return False
    except Defect:
        return _has_keys(body) and not (prose and _PROSE.search(body))
    if not isinstance(value, dict) or "urn" not in value:
        return False
    urn = value["urn"]
    if not isinstance(urn, str) or (urn.startswith("urn:") and not urn.startswith("urn:babel:")):
        return not value.keys().isdisjoint(_BESIDE)
    return not any(letter.isspace() for letter in urn)  # `urn: str = "…"` is a line of source code


def _as_utf_8(body: bytes) -> bytes:
    if body.startswith(_UTF_16):
        body = body.decode("utf-16", "replace").encode()
    return body.removeprefix(b"\xef\xbb\xbf")


def _has_keys(body: bytes) -> bool:
    keys = {match["name"] or match["kind"] for match in _KEY.finditer(body)}
    return len(keys) > 1 and bool(keys & {b"urn", b"kind"})
