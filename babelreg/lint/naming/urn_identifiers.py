"""Identifiers of single things in URNs and names of messages: UUIDs, ULIDs, dates, numbers of orders."""

from __future__ import annotations

import re

from babelreg.lazy_pattern import LazyPattern
from babelreg.model.urn import PREFIX

_UUID = LazyPattern(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# pain.001 and iso-20022 are names: of messages of ISO 20022, and of standards.
_NAMES = LazyPattern(
    r"(?<![^._:-])(?:[a-z]{4}\.0[0-9]{2}|(?:iso|iec|ieee|din|en|rfc|nist|ansi|ifrs)[-_.]?[0-9]+)(?![^._:-])"
)
_PIECES = {
    "a number": LazyPattern(r"(?<![^.:])[0-9]+(?![^.:])|(?<![^._:-])[0-9]{5,}(?![^._:-])"),
    "a date": LazyPattern(r"(?<![^._:-])(?:19|20)[0-9]{2}[-_](?:0[1-9]|1[0-2])[-_](?:[0-2][0-9]|3[01])(?![^._:-])"),
    "the number of a single entity": LazyPattern(
        r"(?<![^._:-])(?:order|invoice|user|customer|account|ticket|shipment|tenant|device|session|payment|booking|"
        r"shop|store|product|id|no|nr)[-_](?!(?:19|20)[0-9]{2}(?![0-9]))(?P<id>[0-9]{4,})(?![^._:-])"
    ),
    # 48-bit time in the first ten characters, so the first is 0-7; Crockford's alphabet has no i, l, o, u
    "a ULID": LazyPattern(r"(?<![^._:-])(?=[a-z]*[0-9])[0-7][0-9a-hjkmnp-tv-z]{25}(?![^._:-])"),
    "a hexadecimal id": LazyPattern(r"(?<![^._:-])(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{12,}(?![^._:-])"),
}
# `created.2` is a misspelt version, reported by version-misspelt.
_VERSION = LazyPattern(r"\.[1-9][0-9]?\Z")


def identifier_in(name: str) -> tuple[str, re.Match[str]] | None:
    """Return the identifier in the name of a message, and what it is; None without one."""
    # Blanked out, so that offsets stay.
    urn = _NAMES.sub(lambda match: "x" * len(match[0]), _VERSION.sub("", name))
    if identifier := _UUID.search(urn):
        return "a UUID", identifier
    start = len(PREFIX) if name.startswith(PREFIX) else 0
    matches = ((kind, pattern.search(urn, start)) for kind, pattern in _PIECES.items())
    return next(((kind, match) for kind, match in matches if match), None)
