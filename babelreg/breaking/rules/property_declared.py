"""A property that could be sent with any value so far is declared now, with limits.

Where the published schema sets `additionalProperties` to `true`, or lists no properties at all, producers may send more
than it lists, whatever that is. What one of them sends under this name need not be what is declared now. Where a schema
lists its properties and says nothing of others, a new optional property breaks nobody.

Many owners of open schemas accept this risk. `compatibility: {open_objects: lenient}` in `babelreg.yaml`, or in the
`_context.yaml` of one context, makes it a warning: the verdict stays breaking, and `--fail-on error` passes.

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

    Where nobody has sent this name, say so in a waiver. Else declare the property without limits, or mint the next
    version; without `additionalProperties: true` it can grow from then on. Where the whole context takes that risk, set
    `open_objects: lenient`.
"""

from __future__ import annotations

from dataclasses import replace

from babelreg.breaking.containment.accepted_types import accepted_types
from babelreg.breaking.containment.fields import schemas_at
from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR

_OPEN = ("additionalProperties", "patternProperties", "properties")


def name(example: RefusedDocument) -> Change | None:
    """See NamingRule."""
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
    message = f"property '{path}' is declared now, and could be sent with {values} so far"
    lenient = _is_lenient(example)
    message += " (no error, as open_objects is lenient)" if lenient else ""
    holders = schemas_at(example.pair.old.schema, instance[:-1])
    open_keywords = ((*node.pointer, keyword) for keyword in _OPEN for node in holders if keyword in node.schema)
    old = next(open_keywords, holders[0].pointer if holders else ())
    keep = f"declare '{path}' without limits"
    change = Change(message, example.pair.new_fields[path].pointer, old, key=True, keep=keep, fields=(path,))
    return replace(change, severity=Severity.WARNING) if lenient else change


def _is_lenient(example: RefusedDocument) -> bool:
    new, registry = example.pair.new, example.pair.new_registry
    return new is not None and registry.compatibility(new.context).open_objects == "lenient"
