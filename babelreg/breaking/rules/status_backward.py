"""The status of a message went backwards: from active to draft, from deprecated to active, or out of retirement.

Others rely on what a published message promises; a draft promises nothing. A retired URN is never used again, because
old messages and logs still carry its old meaning.

Bad::

    # before
    status: active
    # after
    status: draft

Good::

    # before
    status: active
    # after
    status: deprecated
    sunset: "2099-12-31"

Fix::

    Restore the published status. If the message should not have been published, deprecate it with a sunset.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.finding import Severity
from babelreg.model.message import STATUSES

severity = Severity.ERROR


def check(pair: Pair) -> Iterator[Change]:
    old, new = pair.old.status, pair.new.status if pair.new else pair.old.status
    if old in STATUSES and new in STATUSES and STATUSES.index(new) < STATUSES.index(old):
        message = f"{pair.urn} went back from {old} to {new}"
        keep = f"set `status: {old}` again"
        yield Change(message, ("status",), ("status",), in_file=True, keep=keep, mint=False)
