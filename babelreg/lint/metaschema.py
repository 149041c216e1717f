"""What is wrong with a schema as a schema: judged by the meta-schema of its dialect, told in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from babelreg.errors import SchemaError
from babelreg.lint.nearest import nearest
from babelreg.schema.dialects import DIALECTS, identify
from babelreg.schema.pointer import Pointer

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

__all__ = ["Fault", "faults"]

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_SYNONYMS = {"int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number"}
_SYNONYMS |= {"bool": "boolean", "str": "string", "text": "string", "date": "string", "uuid": "string"}
_SYNONYMS |= {"list": "array", "dict": "object", "map": "object", "struct": "object", "none": "null", "nil": "null"}
_NO_REGEX = ' is not a "regex"'
_MOST = 20
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a schema, at ``pointer`` in it; ``repeated`` are the items there that repeat another."""

    pointer: Pointer
    message: str
    fix: str
    repeated: tuple[int, ...] = ()


def faults(schema: Any) -> list[Fault]:
    """Why ``schema`` is no valid JSON Schema: the first few reasons, none when it is one."""
    try:
        dialect = identify(schema)
    except SchemaError as err:
        return [Fault(("$schema",), err.message, err.fix or "leave $schema out")]
    validator = _validator(dialect.name)
    if validator.is_valid(schema):
        return []
    found: dict[Pointer, Fault] = {}
    for error in _first(validator.iter_errors(schema)):
        fault = _fault(error)
        found.setdefault(fault.pointer, fault)
    return list(found.values())


@cache
def _validator(name: str) -> Validator:
    dialect = DIALECTS[name]
    return dialect.validator_for(dialect.metaschema)


def _first(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    for _, error in zip(range(_MOST), errors, strict=False):
        yield error


def _fault(error: ValidationError) -> Fault:
    at: Pointer = tuple(error.instance_path)
    value: Any = error.instance
    kind = error.kind.name
    keyword = next((step for step in reversed(at) if isinstance(step, str)), "")
    if keyword == "type" and kind in ("anyOf", "enum"):
        return _no_type(at, value)
    if kind == "format" and error.kind.as_dict().get("format") == "regex":
        return _no_pattern(at, str(value))
    if kind == "type":
        wanted = " or ".join(error.kind.as_dict()["types"])
        if wanted in ("object or boolean", "boolean or object"):
            return Fault(at, f"{_shown(value)} is no schema", "write a mapping, for example {type: string}")
        if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
            fix = f"{keyword}: <number>, without {keyword.removeprefix('exclusive').lower()} (draft-04 wrote it so)"
            return Fault(at, f"'{keyword}' must be a number, the bound itself", fix)
        fix = f"{keyword}: [{value}]" if wanted == "array" and isinstance(value, str) else f"{keyword}: <{wanted}>"
        return Fault(at, f"'{keyword}' must be {wanted}, not {_shown(value)}", fix)
    if kind == "uniqueItems" and keyword == "required" and (repeated := _repeated(value)):
        return Fault(at, f"'{value[repeated[0]]}' stands twice in 'required'", "keep one of the two", repeated)
    text = str(error.message)
    if keyword == "patternProperties" and isinstance(value, dict) and text.endswith(_NO_REGEX):
        name = next((name for name in value if json.dumps(name, ensure_ascii=False) + _NO_REGEX == text), None)
        return _no_pattern(at, text.removesuffix(_NO_REGEX) if name is None else name)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return Fault(at, f"'{keyword}' is no valid JSON Schema: {text}" if keyword else text, "see json-schema.org")


def _no_pattern(at: Pointer, pattern: str) -> Fault:
    from babelreg.lint.ecma import foreign

    text = f"{_shown(pattern)} is no regular expression"
    found = foreign(pattern)
    if found is None:
        return Fault(at, text, "mend it; patterns are those of ECMA 262")
    return Fault(at, f"{text} of ECMA 262, which has no '{found[0]}'", f"instead of '{found[0]}': {found[1]}")


def _repeated(names: Any) -> tuple[int, ...]:
    """The indexes of the names that stand further up already."""
    first: dict[str, int] = {}
    return tuple(i for i, name in enumerate(names) if isinstance(name, str) and first.setdefault(name, i) != i)


def _no_type(at: Pointer, value: Any) -> Fault:
    meant = None
    if isinstance(value, str):
        meant = _SYNONYMS.get(value.lower()) or nearest(value, _TYPES)
    return Fault(
        at, f"{_shown(value)} is no JSON type", f"did you mean '{meant}'?" if meant else f"one of {', '.join(_TYPES)}"
    )


def _shown(value: Any) -> str:
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
