"""A published message is no longer read under one of its aliases.

An alias is a name that producers really send. Without it, their messages have an unknown URN: consumers dead-letter
them, and tables quarantine them. Recorded messages keep the name forever, so a replay needs it, too. Using the name as
an alias or URN of another message is worse: it changes the meaning.

Bad::

    # before
    aliases: [com.shop.orders.created]
    # after
    aliases: []

Good::

    # before
    aliases: [com.shop.orders.created]
    # after
    aliases: [com.shop.orders.created, Orders.Created]

Fix::

    Restore the alias. A tombstone keeps the aliases of its message, like its URN. If nothing was ever sent under the
    name, waive the finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.finding import Severity

severity = Severity.ERROR


def check(pair: Pair) -> Iterator[Change]:
    if pair.new is None:
        return
    for index, alias in enumerate(pair.old.aliases):
        if alias in pair.new.aliases or alias == pair.new.urn:
            continue
        other = pair.new_registry.by_name.get(alias)
        now = f", and names {other.urn} now" if other is not None else ""
        message = (
            f"{pair.urn} lost its alias '{alias}'{now}: messages sent under that name are no longer read as this one"
        )
        keep = f"restore '{alias}' in `aliases`" + (f", and remove it from {other.source.path}" if other else "")
        place = ("aliases",) if pair.new.aliases else ("urn",)
        yield Change(message, ("aliases", index), place, in_file=True, keep=keep, mint=False)
