"""A published URN is gone, or retired while services still produce or consume it.

Messages with it are still sent, queued or stored; their readers find no contract any more. A message that nobody
uses is not deleted either: it is retired, and stays as a tombstone so that its URN is never used again.

Bad::

    # before
    status: active
    # after
    (the file is gone)

Good::

    # before
    status: active
    # after
    status: deprecated
    sunset: "2099-12-31"
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.finding import Severity

severity = Severity.ERROR


def check(pair: Pair) -> Iterator[Change]:
    """See ContractRule."""
    if pair.new is None:
        keep = f"put {pair.old.source.path} back; once nobody uses it, say `status: retired` and `retired_on: DATE`"
        yield Change(f"{pair.urn} was removed", keep=keep, in_file=True, mint=False)
    elif pair.new.status == "retired" and pair.old.status != "retired":
        users = pair.new_registry.consumers(pair.urn)
        if users:
            consume = "consumes" if len(users) == 1 else "consume"
            message = f"{pair.urn} was retired while {', '.join(users)} still {consume} it"
            keep = "let it be deprecated with a sunset until they have moved on"
            yield Change(message, ("status",), ("status",), in_file=True, keep=keep, mint=False)
