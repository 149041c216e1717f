"""An object that may be empty, in a message that a PHP service consumes.

PHP's SDK decodes JSON objects as arrays, and PHP cannot distinguish an empty object from an empty list: when the
service retries a message, dead-letters it, or sends it from an outbox, `{}` becomes `[]`. The next reader refuses the
message, because a list is not an object. Nothing fails in the PHP service.

The rule reports objects that may be empty: without a required property and without `minProperties`. An object that
carries `allOf`, `$ref` and the like may be bounded elsewhere, and is not reported.

Bad::

    urn: urn:babel:billing:payment.captured
    producers: [billing-worker]
    consumers: [orders-api]
    data:
      type: object
      required: [labels]
      properties:
        labels: {type: object, additionalProperties: {type: string}}
    examples: [{labels: {}}]

Good::

    urn: urn:babel:billing:payment.captured
    producers: [billing-worker]
    consumers: [orders-api]
    data:
      type: object
      required: [order_id]
      properties:
        order_id: {type: string}
        labels: {type: object, additionalProperties: {type: string}, minProperties: 1}
    examples: [{order_id: "4711"}]

Fix::

    Write `minProperties: 1`, make the object optional, and leave it out where it would be empty. On a published message
    `babelreg breaking` says whether that needs a new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope

severity = Severity.INFO
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("type"):
        if "object" not in field.types or not _may_be_empty(field) or field.may_be_limited_elsewhere:
            continue
        reader = scope.consumer_in("php", field)
        if reader is not None:
            text = f"{field.shown} may be empty, and '{reader}' (PHP) sends an empty object on as a list"
            at = (*field.pointer, "type")
            yield Problem(text, field.source, at, fix="minProperties: 1, and omit it where it is empty", urn=field.urn)


def _may_be_empty(field: SchemaField) -> bool:
    schema = field.schema
    if schema.get("required") or schema.get("minProperties"):
        return False
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    return not isinstance(listed, list) or {} in listed
