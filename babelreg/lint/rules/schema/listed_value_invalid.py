"""A value in `enum`, `default` or `examples` that its own schema refuses.

A listed value of the wrong type can never be sent, although the schema suggests it: `enum: [a, null]` beside `type:
string` admits no null. A default or an example that is not valid teaches producers to send what is refused.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        channel: {type: string, enum: [web, app, null]}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        channel: {type: [string, "null"], enum: [web, app, null]}

Fix::

    Correct the value, or make the schema allow it. Admitting more breaks no producer, but consumers may not expect it;
    `babelreg breaking` names them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from babelreg.errors import SchemaError
from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema import pointer
from babelreg.schema.dialects import identify
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.pointer import Pointer
from babelreg.schema.types import KINDS, declared_kinds, kind_of
from babelreg.schema.validation_cost import TooComplexError, bounded

severity = Severity.WARNING
profile = "standard"

_PLAIN_TYPES = {"string": str, "boolean": bool, "integer": int}
# With no other keywords, a value of the declared type is valid.
_SILENT = frozenset(
    {"type", "enum", "default", "examples", "description", "title", "$comment", "deprecated", "readOnly", "writeOnly"}
)
_MOST_VALUES = 1000
_MOST_PARTS = 2000
_MOST_WITH_REFERENCES = 500  # each is validated with all definitions of its file
_LONGEST = 160


def check(scope: Scope) -> Iterator[Problem]:
    budget = _MOST_WITH_REFERENCES
    for field in scope.fields_with("enum", "default", "examples"):
        values = [(at, value) for at, value in field.listed() if at != (*field.pointer, "const")]
        if values and not _is_trivially_valid(field, values):
            refers = _refers(field.schema)
            budget -= refers is True
            if budget >= 0 and refers is not None:
                yield from _refused(field, values[:_MOST_VALUES], refers)


def _is_trivially_valid(field: SchemaField, values: list[tuple[Pointer, Any]]) -> bool:
    """Return True when a cheap check shows that all values are valid."""
    schema = field.schema
    if ("default" in schema and "enum" in schema) or not all(key in _SILENT or key.startswith("x-") for key in schema):
        return False
    if "type" not in schema:
        return "enum" not in schema or len(values) == len(schema["enum"])
    expected = _PLAIN_TYPES.get(str(schema["type"]))
    return expected is not None and all(type(value) is expected for _, value in values)


def _refers(schema: Any) -> bool | None:
    """Return True for a schema with a ``$ref``; None for one that is too large to validate against."""
    pending = [schema]
    has_reference = False
    for _ in range(_MOST_PARTS):
        if not pending:
            return has_reference
        part = pending.pop()
        if isinstance(part, dict):
            has_reference = has_reference or "$ref" in part
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return None


def _refused(field: SchemaField, values: list[tuple[Pointer, Any]], refers: bool) -> Iterator[Problem]:
    validators = {True: _validator(field, refers, without="enum"), False: _validator(field, refers)}
    admitted = declared_kinds(field.schema)
    listed = [value for at, value in values if "enum" in at[-2:-1]]
    none_fits = not any(kind_of(value) in admitted for value in listed)
    for at, value in values:
        keyword = str(at[len(field.pointer)])
        if keyword == "enum" and none_fits:
            continue  # reported by schema-unsatisfiable
        validator = validators[keyword == "enum"]
        try:
            error = None if validator is None else next(islice(validator.iter_errors(value), 1), None)
            reason = "" if error is None else str(error.message)
        except TooComplexError as err:
            reason = str(err)
        if reason:
            reason = reason if len(reason) <= _LONGEST else f"{reason[: _LONGEST - 1]}…"
            fault = "is listed but never valid" if keyword == "enum" else f"is not a valid {_label(keyword)}"
            text = f"a value of {field.shown} {fault}: {reason}"
            yield Problem(text, field.source, at, fix=_fix(field, value, admitted), urn=field.urn)


def _label(keyword: str) -> str:
    return "example" if keyword == "examples" else keyword


def _fix(field: SchemaField, value: Any, admitted: frozenset[str]) -> str:
    types = field.types
    if value is None and len(types) == 1 and admitted != KINDS:
        return f'type: [{types[0]}, "null"]'
    if types == ("string",) and isinstance(value, bool | int | float):
        return "quote it if it is a string"
    return "correct the value, or make the schema allow it"


def _validator(field: SchemaField, refers: bool, without: str = "") -> Any:
    """Return a validator of the field alone, or None."""
    root = field.bundled
    if not isinstance(root, dict):
        return None
    try:
        schema = pointer.find(root, field.inside)
    except KeyError:
        return None
    own = {key: value for key, value in schema.items() if key not in ("$schema", without)}
    shared = {key: root[key] for key in ("$schema", *(DEFINITIONS if refers else ())) if key in root}
    try:
        dialect, whole = identify(root), {**shared, "allOf": [own]}
        return bounded(dialect.validator_for(whole), whole, dialect)
    except SchemaError:
        return None
