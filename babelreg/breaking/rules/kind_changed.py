"""An event became a command, or a command an event.

The kind determines who owns the meaning: an event reports what happened to any number of consumers, a command asks one
receiver to act. Producers and consumers are written for one of the two; the same URN cannot serve both.

Bad::

    # before
    kind: event
    # after
    kind: command

Good::

    # before
    kind: event
    # after
    kind: event

Fix::

    Restore the published kind, and declare a separate message for the other one.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.finding import Severity

severity = Severity.ERROR


def check(pair: Pair) -> Iterator[Change]:
    old, new = pair.old.kind, pair.new.kind if pair.new else None
    if old and new and old != new:
        keep = f"set `kind: {old}` again, and declare a separate message for the {new}"
        message = f"{pair.urn} was {_a(old)} and is now {_a(new)}"
        yield Change(message, ("kind",), ("kind",), in_file=True, keep=keep, mint=False, first="none")


def _a(kind: str) -> str:
    return f"an {kind}" if kind[:1] in "aeiou" else f"a {kind}"
