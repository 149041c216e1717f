"""The finding about a message whose schema no validator can be built from, at the keyword that is wrong."""

from __future__ import annotations

from babelreg.finding import Finding, Place, Severity
from babelreg.lint.metaschema import faults
from babelreg.model import Message
from babelreg.schema.pointer import Pointer

__all__ = ["place_in_bundle", "unusable_schema"]

_RULE = "schema-invalid"


def unusable_schema(message: Message, reason: str, state: str) -> Finding:
    """Return the finding that ``message`` is in ``state``, such as "cannot be generated".

    ``reason`` holds where the meta-schema finds no fault.
    """
    fault = next(iter(faults(message.schema)), None)
    fix, place = "correct the schema; `babelreg lint` checks it", place_in_bundle(message, ())
    if fault is not None:
        reason, fix, place = fault.message, fault.fix, place_in_bundle(message, fault.pointer)
    return Finding(_RULE, Severity.ERROR, f"{message.urn} {state}: {reason}", place, message.urn, fix=fix)


def place_in_bundle(message: Message, pointer: Pointer, *, key: bool = False) -> Place:
    """Return the place of ``pointer`` into the bundled schema, in the file that it was written in; or of its key."""
    origin = message.origins.get(str(pointer[1])) if len(pointer) > 1 and pointer[0] == "$defs" else None
    if origin is not None:
        return origin.place(pointer[2:], key=key and len(pointer) > 2)
    return message.source.place(("data", *pointer), key=key or not pointer)
