"""A JSON Schema in a file of its own, YAML or JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from babelreg import load
from babelreg.errors import InputError, UsageError
from babelreg.finding import Place
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import MAX_BYTES
from babelreg.load.registry.document import decode
from babelreg.load.yaml import parser
from babelreg.load.yaml.surrogates import has_surrogates
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS
from babelreg.schema.values import number_as_written

_MAX_BYTES = 8 * MAX_BYTES
_FIX = "put a JSON Schema into the file, such as {type: object}"
_ASSERTIONS = frozenset(
    {"$ref", "$dynamicRef", "$recursiveRef", "type", "enum", "const", "format", "pattern", "multipleOf", "uniqueItems"}
    | {"maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "maxItems", "minItems"}
    | {"maxContains", "minContains", "maxProperties", "minProperties", "required", "dependentRequired"}
)


def read(path: Path) -> Any:
    """Return the schema in ``path``; see :func:`read_with_notes`."""
    return read_with_notes(path)[0]


def read_with_notes(path: Path) -> tuple[Any, list[str]]:
    """Return the schema in ``path``, a mapping or a boolean, and notes on unexpected contents, a sentence each.

    It is read as JSON where the name ends in ``.json``, else as strict YAML. From a message file it is the schema of
    ``data``, bundled where the file is part of a registry.

    Raises InputError with file, line and column.
    """
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)
    except OSError as err:
        fix = "name a YAML or JSON file with a schema"
        raise InputError(f"cannot be read: {err.strerror or err}", place=Place(str(path)), fix=fix) from err
    if len(body) > _MAX_BYTES:
        raise InputError(f"is larger than {_MAX_BYTES >> 20} MiB", place=Place(str(path)))
    if not body.strip():
        raise InputError("is empty", place=Place(str(path)), fix=_FIX)
    value = _parsed(path, body)
    if isinstance(value, dict) and isinstance(value.get("urn"), str):
        value, notes = _of_message(path, value), [f"{path} is a message: what counts is its data"]
    else:
        notes = []
        if _has_no_keyword(value):
            notes.append(f"{path} allows everything: no keyword of JSON Schema is at its top level")
        elif _only_defines(value):
            notes.append(f"{path} allows everything: it contains only definitions, which are not compared")
    if not isinstance(value, (dict, bool)):
        message = "does not contain a schema: a schema is a mapping, true or false"
        raise InputError(message, place=Place(str(path)), fix=_FIX)
    return value, notes


def _only_defines(value: Any) -> bool:
    """Return True for a mapping of definitions to which nothing at its top level refers."""
    if not isinstance(value, dict) or value.keys().isdisjoint(DEFINITIONS):
        return False
    known = _ASSERTIONS.union(*(dialect.keywords for dialect in DIALECTS.values()))
    return known.isdisjoint(value.keys() - ANNOTATIONS - {*DEFINITIONS, "$schema", "$id", "id", "$vocabulary"})


def _has_no_keyword(value: Any) -> bool:
    """Return True for a mapping whose keys no dialect knows: most likely data instead of a schema."""
    if not isinstance(value, dict) or not value:
        return False
    known = _ASSERTIONS.union(*(dialect.keywords for dialect in DIALECTS.values()))
    return known.isdisjoint(value)


def _of_message(path: Path, value: dict[str, Any]) -> Any:
    try:
        root = load.find_root(path)
        within = path.resolve().relative_to(root.resolve()).as_posix()
        messages = load.registry(root).messages
    except UsageError:
        return value.get("data")
    return next((m.schema for m in messages if m.source.path == within and m.schema is not None), value.get("data"))


def _parsed(path: Path, body: bytes) -> Any:
    try:
        text = decode(body)
        return _json(path, text) if path.suffix == ".json" else parser.read(text)
    except Defect as defect:
        raise InputError(
            defect.message, place=Place(str(path), defect.line, defect.column), fix=defect.fix_of(str(path))
        ) from defect


def _json(path: Path, text: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refused, parse_float=_finite)
        if has_surrogates(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError as err:
        fix = r'write the whole pair, as in "\ud83d\ude00"'
        raise InputError("contains an unpaired surrogate", place=Place(str(path)), fix=fix) from err
    except json.JSONDecodeError as err:
        fix = "write JSON, or name the file .yaml if it is YAML"
        raise InputError(f"is not JSON: {err.msg}", place=Place(str(path), err.lineno, err.colno), fix=fix) from err
    except RecursionError as err:
        raise InputError("is nested too deeply", place=Place(str(path))) from err
    except ValueError as err:
        raise InputError(f"is not JSON: {err}", place=Place(str(path))) from err


def _distinct(members: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(members)
    if len(result) != len(members):
        names = [name for name, _ in members]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} appears twice in one object")
    return result


def _finite(text: str) -> int | float:
    value = number_as_written(text)
    if math.isinf(value):
        raise ValueError(f"{text[:60]} exceeds the range of a double")
    return value


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")
