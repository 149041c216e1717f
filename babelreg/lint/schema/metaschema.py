"""Violations of the meta-schema of a schema's dialect, with messages and fixes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.errors import SchemaError
from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.schema.foreign_type_names import TYPES, suggestion
from babelreg.schema.dialects import identify
from babelreg.schema.pointer import Pointer, located

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_NUMBER = LazyPattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_NO_REGEX = ' is not a "regex"'
_MAX_FAULTS = 20
_MAX_TEXT = 200


class MetaschemaFault(NamedTuple):
    """Violation at ``pointer`` in a schema; ``repeated`` are the indexes of items that repeat another."""

    pointer: Pointer
    message: str
    fix: str
    repeated: tuple[int, ...] = ()


def schema_faults(schema: Any) -> list[MetaschemaFault]:
    """Return the first violations of the meta-schema by ``schema``; none when it is valid."""
    try:
        dialect = identify(schema)
    except SchemaError as err:
        return [MetaschemaFault(("$schema",), err.message, err.fix or "remove $schema")]
    validator = dialect.metaschema_validator
    if validator.is_valid(schema):
        return []
    faults: dict[Pointer, MetaschemaFault] = {}
    for error in _first(validator.iter_errors(schema)):
        fault = _fault(error, schema)
        faults.setdefault(fault.pointer, fault)
    return list(faults.values())


def _first(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    for _, error in zip(range(_MAX_FAULTS), errors, strict=False):
        yield error


def _fault(error: ValidationError, schema: Any) -> MetaschemaFault:
    at: Pointer = located(schema, error)
    value: Any = error.instance
    kind = error.kind.name
    keyword = next((step for step in reversed(at) if isinstance(step, str)), "")
    if keyword == "type" and kind in ("anyOf", "enum"):
        return _invalid_type(at, value)
    if kind == "format" and error.kind.as_dict().get("format") == "regex":
        return _invalid_pattern(at, str(value))
    if kind == "type":
        wanted = " or ".join(error.kind.as_dict()["types"])
        if wanted in ("object or boolean", "boolean or object"):
            meant = f"{{type: {value}}}" if value in TYPES else "a mapping, for example {type: string}"
            return MetaschemaFault(at, f"{_shown(value)} is not a schema", f"write {meant}")
        if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
            fix = f"{keyword}: <number>, without {keyword.removeprefix('exclusive').lower()} (draft-04 wrote it so)"
            return MetaschemaFault(at, f"'{keyword}' must be a number, the bound itself", fix)
        return MetaschemaFault(
            at, f"'{keyword}' must be {wanted}, not {_shown(value)}", _fix_of_type(at, keyword, wanted, value)
        )
    if kind == "uniqueItems" and keyword == "required" and (repeated := _repeated(value)):
        return MetaschemaFault(
            at, f"'{value[repeated[0]]}' is listed twice in 'required'", "keep one of the two", repeated
        )
    text = str(error.message)
    if keyword == "patternProperties" and isinstance(value, dict) and text.endswith(_NO_REGEX):
        name = next((name for name in value if json.dumps(name, ensure_ascii=False) + _NO_REGEX == text), None)
        return _invalid_pattern(at, text.removesuffix(_NO_REGEX) if name is None else name)
    text = text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"
    return MetaschemaFault(
        at, f"'{keyword}' is not valid JSON Schema: {text}" if keyword else text, "see json-schema.org"
    )


def _invalid_pattern(at: Pointer, pattern: str) -> MetaschemaFault:
    from babelreg.schema.regex.foreign_syntax import foreign

    text = f"{_shown(pattern)} is not a regular expression"
    construct = foreign(pattern)
    if construct is None:
        return MetaschemaFault(at, text, "correct it; patterns follow ECMA 262")
    return MetaschemaFault(
        at, f"{text} of ECMA 262, which has no '{construct[0]}'", f"instead of '{construct[0]}': {construct[1]}"
    )


def _repeated(names: Any) -> tuple[int, ...]:
    """Return the indexes of the names that repeat an earlier one."""
    first: dict[str, int] = {}
    return tuple(i for i, name in enumerate(names) if isinstance(name, str) and first.setdefault(name, i) != i)


def _invalid_type(at: Pointer, value: Any) -> MetaschemaFault:
    shown = "nothing" if value is None else _shown(value)
    return MetaschemaFault(at, f"{shown} is not a JSON type", suggestion(value))


def _fix_of_type(at: Pointer, keyword: str, wanted: str, value: Any) -> str:
    """Return the fix for a value of ``keyword`` that should be of the JSON type ``wanted``."""
    if keyword == "required" and isinstance(value, bool):
        return _fix_of_required(at, needed=value)
    if keyword in ("properties", "$defs", "definitions") and isinstance(value, list):
        names = ", ".join(f"{name}: {{type: string}}" for name in value[:3] if isinstance(name, str))
        return f"{keyword}: {{{names or 'name: {type: string}'}}}"
    if wanted == "array" and isinstance(value, str):
        return f"{keyword}: [{value}]"
    if wanted in ("integer", "number") and isinstance(value, str) and _NUMBER.match(value):
        return f"{keyword}: {value}, without quotes"
    if wanted == "string" and not isinstance(value, dict | list):
        return f"{keyword}: '{json.dumps(value)}', in quotes"
    return f"{keyword}: <{wanted}>"


def _fix_of_required(at: Pointer, *, needed: bool) -> str:
    """Return the fix for ``required: true`` at a property, as in draft-03 and OpenAPI 1."""
    name = at[-2] if len(at) > 2 and at[-3] == "properties" else None
    if needed and name is None:
        return "list the required properties: required: [email]"
    if needed:
        return f"list it in its object, and remove it here: required: [{name}]"
    return "remove it: a property is optional unless the object's 'required' lists it"


def _shown(value: Any) -> str:
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"
