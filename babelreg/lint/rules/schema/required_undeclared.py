"""A required property that no schema describes.

Usually a mistake: `required` has `order-id`, `properties` has `order_id`, and now every producer must send a
meaningless field while the intended one may be missing. Otherwise the field may hold anything, and no generated class,
table or page shows it. Combined schemas (`allOf`, `$ref`, `anyOf`) are checked together, and so are objects that
describe additional properties.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      required: [order-id]
      properties:
        order_id: {type: integer}
    examples: [{order_id: 1, order-id: 1}]

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      required: [order_id]
      properties:
        order_id: {type: integer}
    examples: [{order_id: 1}]

Fix::

    Spell it as `properties` does, or describe it there. If messages are already sent, look at them first: if some lack
    the property, requiring it needs a new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.enclosing_object import EnclosingObject, enclosing_object
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    known: dict[tuple[str, Pointer], EnclosingObject] = {}
    for field in scope.fields_with("required"):
        required, properties = field.schema["required"], field.schema.get("properties")
        if isinstance(required, list):
            own = properties if isinstance(properties, dict) else ()
            missing = [(i, name) for i, name in enumerate(required) if isinstance(name, str) and name not in own]
            if missing:
                yield from _undeclared(scope, field, missing, enclosing_object(field, known))


def _undeclared(
    scope: Scope, field: SchemaField, missing: list[tuple[int, str]], near: EnclosingObject
) -> Iterator[Problem]:
    if not near.names or near.others:
        return
    for index, name in missing:
        if name in near.names:
            continue
        suggestion = scope.nearest(name, near.names)
        if suggestion is None and near.shared:
            continue
        text = f"'{name}' is required but not declared: any value is accepted"
        fix = f"declare '{name}' below 'properties', or do not require it"
        if suggestion:
            fix = f"did you mean '{suggestion}'?"
        yield Problem(text, field.source, (*field.pointer, "required", index), fix=fix, urn=field.urn)
