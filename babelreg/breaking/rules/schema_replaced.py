"""A schema was replaced by another, which breaks several things.

A `$ref` to another definition, other members of an `allOf`, another schema for the items of a list: each is one edit,
and one finding. It lists what breaks, each part with its own rule. A waiver of this rule accepts all parts; a waiver of
a part's rule accepts that part.

Bad::

    # before
    data:
      type: object
      properties:
        sender: {$ref: "#/$defs/person"}
      $defs:
        person: {type: object, properties: {name: {type: string}, age: {type: integer}}}
        company: {type: object, required: [vat], properties: {name: {type: string, maxLength: 20}, vat: {type: string}}}
    # after
    data:
      type: object
      properties:
        sender: {$ref: "#/$defs/company"}
      $defs:
        person: {type: object, properties: {name: {type: string}, age: {type: integer}}}
        company: {type: object, required: [vat], properties: {name: {type: string, maxLength: 20}, vat: {type: string}}}

Good::

    # before
    data:
      type: object
      properties:
        sender: {$ref: "#/$defs/person"}
      $defs:
        person: {type: object, properties: {name: {type: string}, age: {type: integer}}}
    # after
    data:
      type: object
      properties:
        sender: {$ref: "#/$defs/human"}
      $defs:
        human: {type: object, properties: {name: {type: string}, age: {type: integer}}}

Fix::

    Keep the published schema, and add a new property with the new one. Or mint the next version.
"""

from __future__ import annotations

from typing import Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.changes.replacements import ReplacedKeyword
from babelreg.breaking.rules.rule import Change, definition_name
from babelreg.containment.fields import field_path
from babelreg.finding import Severity
from babelreg.model import Message
from babelreg.schema import pointer as pointers
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR


def change(pair: Pair, edit: ReplacedKeyword) -> Change:
    """Return the change that ``edit`` is, without what breaks."""
    assert pair.new is not None
    field = field_path(edit.place)
    subject = f"'{field}'" if field else "the data"
    values = [_value(message, (*node, edit.keyword)) for message, node in ((pair.old, edit.old), (pair.new, edit.new))]
    if edit.keyword in REFERENCES:
        names = [_named(*side) for side in zip((pair.old, pair.new), values, strict=True)]
        if names[0] == names[1]:  # Definitions of one name at two places.
            names = [f"'{reference}'" for reference in values]
        message = _of_reference(subject, *names)
    elif None in values:
        message = f"{edit.keyword} {'was added to' if values[0] is None else 'was removed from'} {subject}"
    else:
        message = f"{edit.keyword} of {subject} was replaced"
    return Change(
        f"{message}, which breaks in several ways",
        (*edit.new, *(() if values[1] is None else (edit.keyword,))),
        (*edit.old, *(() if values[0] is None else (edit.keyword,))),
        keep=f"keep the published {edit.keyword}",
        fields=(field,),
    )


def _of_reference(subject: str, before: str | None, after: str | None) -> str:
    if before is None:
        return f"{subject} refers to {after} now"
    return f"{subject} no longer refers to {before}" if after is None else f"{subject} refers to {after}, not {before}"


def _named(message: Message, reference: Any) -> str | None:
    """Return the name of a definition, or the file of a fragment."""
    if reference is None:
        return None
    name = definition_name(reference)
    origin = message.origins.get(name) if name is not None else None
    return f"'{origin.path if origin is not None else name or reference}'"


def _value(message: Message, pointer: Pointer) -> Any:
    try:
        return pointers.find(message.schema, pointer)
    except KeyError:
        return None
