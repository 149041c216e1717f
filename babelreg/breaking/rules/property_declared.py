"""A property that could have any value is now declared with limits.

If the published schema sets `additionalProperties` to `true`, or lists no properties at all, producers may send any
other property. What they send under this name may differ from what is declared now. If a schema lists its properties
and does not mention others, a new optional property breaks nobody.

Many owners of open schemas accept this risk. `compatibility: {open_objects: lenient}` in `babelreg.yaml`, or in the
`_context.yaml` of one context, makes it a warning: the verdict stays breaking, and `--fail-on error` passes. It remains
an error if an example of the message has the property with another type: then somebody does send it.

Bad::

    # before
    data:
      type: object
      additionalProperties: true
      properties:
        order_id: {type: integer}
    # after
    data:
      type: object
      additionalProperties: true
      properties:
        order_id: {type: integer}
        note: {type: string}

Good::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}
        note: {type: string}

Fix::

    If nobody has sent this property, state it in a waiver. Otherwise declare the property without limits, or mint the
    next version; without `additionalProperties: true`, you can add properties from then on. If the whole context
    accepts this risk, set `open_objects: lenient`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from babelreg.breaking.changes.abbreviation import short
from babelreg.breaking.rules.rule import Change, OfSeveral, RefusedDocument
from babelreg.containment.accepted_types import accepted_types
from babelreg.containment.fields import schemas_at
from babelreg.finding import Severity
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.schema.field_path import OTHERS
from babelreg.schema.pointer import Pointer
from babelreg.schema.types import KINDS, kind_of

severity = Severity.ERROR

_OPEN = ("additionalProperties", "patternProperties", "properties")
_SETTING = f"`compatibility: {{open_objects: lenient}}` in {SETTINGS}"
_WORDS = {
    **{kind: frozenset({kind}) for kind in KINDS},
    "integer": frozenset({"integer", "number"}),
    "fraction": frozenset({"number"}),
}
"""The words of ``type`` that accept a value of each kind."""


def name(example: RefusedDocument) -> Change | None:
    if not example.backward:
        return None
    instance = example.refusal.instance
    for end in range(1, len(instance) + 1):
        if isinstance(instance[end - 1], str) and _declared_now(example, instance[:end]):
            return _change(example, instance[:end])
    return None


def _declared_now(example: RefusedDocument, instance: Pointer) -> bool:
    path, pair = example.path_of(instance), example.pair
    if path in pair.old_fields or path not in pair.new_fields:
        return False
    return _could_be_anything(example, instance) or not accepted_types(pair.old.schema, instance)


def _could_be_anything(example: RefusedDocument, instance: Pointer) -> bool:
    return not any(node.schema for node in schemas_at(example.pair.old.schema, instance))


def _change(example: RefusedDocument, instance: Pointer) -> Change:
    path = example.path_of(instance)
    values = "any value" if _could_be_anything(example, instance) else "a value of any type"
    lenient, used = _is_lenient(example), _used_otherwise(example, instance)
    so_far = f"declared now, but could be sent with {values} before"
    if used:
        so_far += f"; an example has {short(used[0])} there"
    elif lenient:
        so_far += " (no error, as open_objects is lenient)"
    accept = "" if lenient or used else f", or accept all of them with {_SETTING}"
    holders = schemas_at(example.pair.old.schema, instance[:-1])
    open_keywords = ((*node.pointer, keyword) for keyword in _OPEN for node in holders if keyword in node.schema)
    old = next(open_keywords, holders[0].pointer if holders else ())
    new = example.pair.new_fields[path].pointer
    change = Change(
        f"property '{path}' is {so_far}",
        new,
        old,
        key=True,
        keep=f"declare '{path}' without limits{accept}",
        fields=(path,),
        several=OfSeveral(f"properties {{}} are {so_far}", f"declare them without limits{accept}", new[:-1]),
    )
    return replace(change, severity=Severity.WARNING) if lenient and not used else change


def _used_otherwise(example: RefusedDocument, instance: Pointer) -> list[Any]:
    """Return the values that examples of either version have at ``instance`` and whose type the new schema refuses."""
    pair = example.pair
    accepted = accepted_types(pair.new.schema, instance) if pair.new is not None else []
    documents = [each.data for message in (pair.old, pair.new) if message is not None for each in message.examples]
    values = [value for document in documents for value in _values_at(document, example, instance)]
    return [value for value in values if accepted and not _WORDS[kind_of(value)].intersection(accepted)]


def _values_at(document: Any, example: RefusedDocument, instance: Pointer) -> list[Any]:
    """Return the values of ``document`` at ``instance``, where a number is any item, and a name may be any name."""
    values = [document]
    for end, step in enumerate(instance, 1):
        if isinstance(step, int):
            values = [item for value in values if isinstance(value, list) for item in value]
        elif example.path_of(instance[:end]).endswith(f".{OTHERS}"):
            values = [item for value in values if isinstance(value, dict) for item in value.values()]
        else:
            values = [value[step] for value in values if isinstance(value, dict) and step in value]
    return values


def _is_lenient(example: RefusedDocument) -> bool:
    new, registry = example.pair.new, example.pair.new_registry
    return new is not None and registry.compatibility(new.context).open_objects == "lenient"
