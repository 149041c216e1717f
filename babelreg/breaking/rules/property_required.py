"""A property became required.

Producers with the published schema may omit it, and queued and stored messages may lack it. New readers refuse all of
these.

Bad::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
        total: {type: integer}
    # after
    data:
      type: object
      required: [total]
      properties:
        order_id: {type: integer}
        total: {type: integer}

Good::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
        total: {type: integer}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}
        total: {type: integer, default: 0}

Fix::

    Make it optional, or mint the next version. A `default` in the schema does not fill it in: validators ignore it.
"""

from __future__ import annotations

from dataclasses import replace

from babelreg.breaking.rules.rule import Change, OfSeveral, RefusedDocument
from babelreg.containment.fields import field_path
from babelreg.finding import Severity

severity = Severity.ERROR


def name(example: RefusedDocument) -> Change | None:
    missing = example.missing
    if missing is None or not example.backward:
        return None
    known = missing in example.pair.old_fields
    beside = _beside(example)
    message = f"property '{missing}' became required" if known else f"required property '{missing}' was added"
    of_several = "properties {} became required" if known else "required properties {} were added"
    where, again = f" where there is '{beside}'" if beside else "", " again" if known else ""
    change = example.change(f"{message}{where}", "required", keep=f"make it optional{again}", fields=(missing,))
    several = OfSeveral(f"{of_several}{where}", f"make them optional{again}", change.new)
    return replace(change, several=several)


def _beside(example: RefusedDocument) -> str | None:
    """Return the property that asks for the missing one; None where it is required in any case."""
    asking = example.limit if example.refusal.pointer[-1:] == ("dependentRequired",) else None
    if not isinstance(asking, dict):
        return None
    lacking = example.refusal.missing
    name = next((name for name, needs in asking.items() if isinstance(needs, list) and lacking in needs), None)
    return None if name is None else field_path((*example.refusal.instance, name))
