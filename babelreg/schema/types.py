"""JSON types: which there are, and which a schema's ``type`` admits.

There are two sets. :data:`TYPES` are the words that ``type`` may have; ``number`` includes ``integer`` there.
:data:`KINDS` do not overlap: a number is of kind ``integer`` or ``fraction``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.schema.values import json_type

TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
KINDS = frozenset(TYPES) - {"number"} | {"fraction"}

_KINDS_OF = {name: frozenset({name}) for name in TYPES} | {"number": frozenset({"integer", "fraction"})}


def kind_of(value: Any) -> str:
    """Return the kind of ``value``, one of :data:`KINDS`."""
    name = json_type(value)
    return "fraction" if name == "number" else name


def declared_types(schema: Any) -> tuple[str, ...] | None:
    """Return the names under ``type``, in the order written; None where there is no ``type`` that can be read."""
    types = schema.get("type") if isinstance(schema, (dict, Mapping)) else None
    if isinstance(types, str):
        return (types,)
    return tuple(name for name in types if isinstance(name, str)) if isinstance(types, list) else None


def declared_kinds(schema: Any) -> frozenset[str]:
    """Return the kinds that ``type`` admits: all of :data:`KINDS` without one."""
    types = declared_types(schema)
    if types is not None and len(types) == 1:
        return _KINDS_OF.get(types[0], frozenset())
    return KINDS if types is None else frozenset().union(*(_KINDS_OF.get(name, frozenset()) for name in types))
