"""A published property was renamed: a new one with the same schema replaced it.

In JSON, a rename is a removal and an addition. Tolerant readers silently accept it, find nothing under the old name,
and stop doing what they did with the value.

Bad::

    # before
    data:
      type: object
      properties:
        amount: {type: integer, minimum: 0}
    # after
    data:
      type: object
      properties:
        amount_minor: {type: integer, minimum: 0}

Good::

    # before
    data:
      type: object
      properties:
        amount: {type: integer, minimum: 0}
    # after
    data:
      type: object
      properties:
        amount: {type: integer, minimum: 0, deprecated: true}
        amount_minor: {type: integer, minimum: 0}

Fix::

    Send both: add the new property beside the old one, and mark the old one `deprecated: true`. Or mint the next
    version; its `upcast` has the rename.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from babelreg.breaking.changes.pairs import Pair, renamed_fields
from babelreg.breaking.rules.rule import Change, OfSeveral
from babelreg.finding import Severity

severity = Severity.ERROR


def check(pair: Pair) -> Iterator[Change]:
    for old, new in renamed_fields(pair):
        message = f"property '{old.path}' was renamed to '{new.path}'"
        keep = f"keep '{old.path}' next to '{new.path}'"
        fields = (old.path, new.path)
        change = Change(
            message, new.pointer, old.pointer, key=True, keep=keep, fields=fields, answers=True, first="consumers"
        )
        texts = ("properties {} were renamed to {}", "keep the published names next to the new ones")
        yield replace(change, several=OfSeveral(*texts, new.pointer[:-1]))
