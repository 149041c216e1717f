"""The unit of a property changed.

The number stays valid but means something else: cents become euros, milliseconds become seconds. No validator notices,
and every reader misinterprets it.

Bad::

    # before
    data:
      type: object
      properties:
        timeout: {type: integer, x-unit: ms}
    # after
    data:
      type: object
      properties:
        timeout: {type: integer, x-unit: s}

Good::

    # before
    data:
      type: object
      properties:
        timeout: {type: integer, x-unit: ms}
    # after
    data:
      type: object
      properties:
        timeout: {type: integer, x-unit: ms}
        timeout_seconds: {type: integer, x-unit: s}

Fix::

    Keep the unit, and add a property with the new unit in its name. Or mint the next version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.finding import Severity

severity = Severity.ERROR
_UNIT = "x-unit"


def check(pair: Pair) -> Iterator[Change]:
    if not pair.data_changed:
        return
    for path, new in pair.new_fields.items():
        old = pair.old_fields.get(path)
        before, after = (old.keyword_value(_UNIT) if old else None), new.keyword_value(_UNIT)
        if old and before is not None and before != after:
            message = f"the unit of property '{path}' changed from {before} to {'nothing' if after is None else after}"
            keep = f"keep `{_UNIT}: {before}`" + ("" if after is None else " and add a property for the new unit")
            yield Change(message, (*new.pointer, _UNIT), (*old.pointer, _UNIT), keep=keep, fields=(path,), first="none")
