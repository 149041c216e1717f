"""A URN that holds the identifier of one thing instead of naming a kind.

`urn:babel:orders:1042` is a different message for every order: nobody can register a handler for it. What
identifies one order, user or day belongs in `data`. Reported are sub-parts of digits only, UUIDs, ULIDs and
long hexadecimal ids; a number inside a word (`sha-256`, `s3`) is not.

Bad::

    urn: urn:babel:orders:1042

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}

Fix::

    Declare one message for the kind and carry the id in `data`. Where the number is part of a name that the world
    knows (a standard, a product), waive the finding for that URN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message
from babelreg.model.urn import PREFIX

severity = Severity.ERROR
profile = "standard"

_UUID = LazyPattern(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# pain.001 and iso-20022 are names: of messages of ISO 20022, and of standards.
_NAMES = LazyPattern(
    r"(?<![^._:-])(?:[a-z]{4}\.0[0-9]{2}|(?:iso|iec|ieee|din|en|rfc|nist|ansi|ifrs)[-_.]?[0-9]+)(?![^._:-])"
)
_PIECES = {
    "a number": LazyPattern(r"(?<![^.:])[0-9]+(?![^.:])|(?<![^._:-])[0-9]{5,}(?![^._:-])"),
    "a date": LazyPattern(r"(?<![^._:-])(?:19|20)[0-9]{2}[-_](?:0[1-9]|1[0-2])[-_](?:[0-2][0-9]|3[01])(?![^._:-])"),
    "the number of one thing": LazyPattern(
        r"(?<![^._:-])(?:order|invoice|user|customer|account|ticket|shipment|tenant|device|session|payment|booking|"
        r"shop|store|product|id|no|nr)[-_](?!(?:19|20)[0-9]{2}(?![0-9]))(?P<id>[0-9]{4,})(?![^._:-])"
    ),
    # 48-bit time in the first ten characters, so the first is 0-7; Crockford's alphabet has no i, l, o, u
    "a ULID": LazyPattern(r"(?<![^._:-])(?=[a-z]*[0-9])[0-7][0-9a-hjkmnp-tv-z]{25}(?![^._:-])"),
    "a hexadecimal id": LazyPattern(r"(?<![^._:-])(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{12,}(?![^._:-])"),
}
# `created.2` is a misspelt version, reported by version-misspelt.
_VERSION = LazyPattern(r"\.[1-9][0-9]?\Z")


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if message.parsed is not None and any(c.isdigit() for c in message.urn):
            yield from _problems(message)


def identifier_in(name: str) -> tuple[str, re.Match[str]] | None:
    """Return the identifier in the name of a message, and what it is; None without one."""
    # Blanked out, so that offsets stay.
    urn = _NAMES.sub(lambda match: "x" * len(match[0]), _VERSION.sub("", name))
    if identifier := _UUID.search(urn):
        return "a UUID", identifier
    start = len(PREFIX) if name.startswith(PREFIX) else 0
    matches = ((kind, pattern.search(urn, start)) for kind, pattern in _PIECES.items())
    return next(((kind, match) for kind, match in matches if match), None)


def _problems(message: Message) -> Iterator[Problem]:
    if (found := identifier_in(message.urn)) is not None:
        kind, identifier = found
        group = "id" if "id" in identifier.re.groupindex else 0
        text = f"'{message.urn}' holds {kind}, '{identifier[group]}': a URN names a kind of message, not one of them"
        fix = f"leave '{identifier[group]}' out of the URN and carry it as a property of data"
        yield Problem(text, message.source, ("urn",), offset=identifier.start(group), fix=fix, urn=message.urn)
