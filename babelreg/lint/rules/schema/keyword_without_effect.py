"""A keyword that has no effect in its schema.

`minLength` beside `type: integer` refuses no integer, and `then` without `if` checks nothing: validators silently
ignore them, so the author believes in a limit that does not exist. In draft-07 the same holds for everything beside a
`$ref`. The rule reports only what the declared type rules out.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer, minLength: 1}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer, minimum: 1}

Fix::

    Write the keyword of that type: minimum for numbers, minItems for lists, minLength for text. Or remove it. Once it
    takes effect, it may refuse messages that are sent today: `babelreg breaking` tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.model import Source
from babelreg.schema.keywords import COMBINED, CONDITIONS
from babelreg.schema.keywords_by_type import APPLIES_TO, EXTENSIONS, FORMATS, PARTNERS
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import ref_siblings

severity = Severity.WARNING
profile = "standard"

_SIZES = {"string": "Length", "array": "Items", "object": "Properties"}
# A type beside a $ref usually repeats that of the target.
_EFFECTIVE = frozenset({"enum", "const", *COMBINED, *CONDITIONS, *EXTENSIONS})
_TYPES = frozenset({"array", "boolean", "integer", "number", "object", "string"})
_BOUNDS = ("integer", "number")


def check(scope: Scope) -> Iterator[Problem]:
    for keyword, applicable in APPLIES_TO.items():
        for field in scope.fields_with(keyword):
            if field.types and applicable.isdisjoint(field.types) and _TYPES.issuperset(field.types):
                if keyword == "format" and not _is_text_format(field.schema["format"]):
                    continue
                if keyword == "required" and isinstance(field.schema["required"], bool):
                    continue  # reported by schema-invalid
                text = f"'{keyword}' has no effect on {_with_type(field)}"
                yield _problem(field, keyword, text, _replacement(keyword, field))
    for keyword, partner in PARTNERS.items():
        for field in scope.fields_with(keyword):
            if partner not in field.schema:
                yield _problem(field, keyword, f"'{keyword}' has no effect without '{partner}'", f"add '{partner}'")
    written: list[tuple[Any, Source, Pointer, str | None]]
    written = [(message.data, message.source, ("data",), message.urn) for message in scope.messages]
    written += [(fragment.schema, fragment.source, (), None) for fragment in scope.fragments]
    for schema, source, base, urn in written:
        for at, keyword in ref_siblings(schema):
            if keyword in APPLIES_TO or keyword in _EFFECTIVE:
                text = f"'{keyword}' has no effect beside $ref in draft-07"
                fix = "allOf: [{$ref: ...}, {" + keyword + ": ...}]"
                yield Problem(text, source, (*base, *at, keyword), key=True, fix=fix, urn=urn)


def _is_text_format(form: object) -> bool:
    """Return True for formats of text; others, such as int64 or unix-time, may apply to numbers."""
    return isinstance(form, str) and form in FORMATS


def _with_type(field: SchemaField) -> str:
    types = " or ".join(field.types)
    return f"{field.shown}, which is {'an' if types[0] in 'aio' else 'a'} {types}"


def _replacement(keyword: str, field: SchemaField) -> str:
    """Return the fix: the keyword with the same meaning for the declared type."""
    bound = next((bound for bound in ("min", "max") if keyword.startswith(bound)), None)
    own = field.types[0]
    if keyword == "format" and own in _BOUNDS:
        return f"type: string, if it is a {field.schema['format']}; else remove the format"
    if bound is not None and own in _SIZES:
        return f"{bound}{_SIZES[own]}: {field.schema[keyword]}"
    if bound is not None and own in _BOUNDS:
        return f"remove it, or limit the number with {bound}imum"
    if keyword in ("items", "properties") and own != "null":
        return f"type: {next(iter(APPLIES_TO[keyword]))}, or remove '{keyword}'"
    return f"remove '{keyword}', or correct the type"


def _problem(field: SchemaField, keyword: str, text: str, fix: str) -> Problem:
    return Problem(text, field.source, (*field.pointer, keyword), key=True, fix=fix, urn=field.urn)
