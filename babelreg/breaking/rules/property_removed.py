"""A property that was published is gone.

Whoever reads it gets nothing from then on, and most readers notice late: a missing optional property refuses no
message, it is simply data lost. That is why this counts as breaking even where every document stays valid.

Bad::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
        email: {type: string}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}

Good::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
        email: {type: string}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}
        email: {type: string, deprecated: true}

Fix::

    Put it back and mark it `deprecated: true`. It goes in the next version, when nobody reads this one any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.breaking.vanished import renames, vanished
from babelreg.finding import Severity

severity = Severity.ERROR


def check(pair: Pair) -> Iterator[Change]:
    """See ContractRule."""
    if not pair.data_changed:
        return
    renamed = {old.path for old, _ in renames(pair)}
    for field in vanished(pair):
        if field.path not in renamed:
            message = f"property '{field.path}' was removed"
            keep = f"put '{field.path}' back and mark it `deprecated: true`"
            where = field.pointer
            yield Change(
                message, where, where, key=True, keep=keep, fields=(field.path,), answers=True, first="consumers"
            )
