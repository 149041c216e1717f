"""A URN with the identifier of a single entity instead of a kind of message.

`urn:babel:orders:1042` is a different message for every order: nobody can register a handler for it. What identifies
one order, user or day belongs in `data`. The rule reports sub-parts that are all digits, UUIDs, ULIDs and long
hexadecimal ids; a number inside a word (`sha-256`, `s3`) is fine.

Bad::

    urn: urn:babel:orders:1042

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}

Fix::

    Declare one message for the kind and carry the id in `data`. If the number is part of a name that the world
    knows (a standard, a product), waive the finding for that URN.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.naming.urn_identifiers import identifier_in
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message

severity = Severity.ERROR
profile = "standard"

_DIGITS = frozenset("0123456789")


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if message.parsed is not None and not _DIGITS.isdisjoint(message.urn):
            yield from _problems(message)


def _problems(message: Message) -> Iterator[Problem]:
    if (found := identifier_in(message.urn)) is not None:
        kind, identifier = found
        group = "id" if "id" in identifier.re.groupindex else 0
        text = (
            f"'{message.urn}' contains {kind}, '{identifier[group]}': a URN names a kind of message, not a single one"
        )
        fix = f"remove '{identifier[group]}' from the URN and send it as a property of data"
        yield Problem(text, message.source, ("urn",), offset=identifier.start(group), fix=fix, urn=message.urn)
