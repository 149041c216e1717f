"""Two versions of one message, one an event and the other a command.

An event says that something happened, a command asks for it. A new version may have another shape, never
another meaning: that is a new message, with a new name.

Bad::

    # file: media/thumbnail.generated.yaml
    urn: urn:babel:media:thumbnail.generated
    kind: event
    # file: media/thumbnail.generated.v2.yaml
    urn: urn:babel:media:thumbnail.generated.v2
    kind: command

Good::

    # file: media/thumbnail.generated.yaml
    urn: urn:babel:media:thumbnail.generated
    kind: event
    # file: media/thumbnail.generate.yaml
    urn: urn:babel:media:thumbnail.generate
    kind: command

Fix::

    If the kind was mistyped, correct it in the newer file before anybody depends on it. Otherwise the newer message
    gets a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message, Urn

severity = Severity.ERROR
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    versions: dict[Urn, list[tuple[int, Message]]] = {}
    for message in scope.registry.messages:
        if message.parsed and message.kind:  # a tombstone has none
            versions.setdefault(message.parsed.first, []).append((message.parsed.version, message))
    for family in versions.values():
        family.sort(key=lambda version: version[0])
        for (_, earlier), (_, later) in pairwise(family):
            if later.kind != earlier.kind:
                text = f"'{later.urn}' is {_a(later.kind)}, but '{earlier.urn}' is {_a(earlier.kind)}"
                fix = f"kind: {earlier.kind}, or give it a different name"
                there = earlier.source.place(("kind",))
                yield Problem(text, later.source, ("kind",), fix=fix, urn=later.urn, against=there)


def _a(kind: str | None) -> str:
    return "an event" if kind == "event" else f"a {kind}"
