"""Python classes of a schema; see :mod:`babelreg.typemap.shapes`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from babelreg.schema.values import json_type
from babelreg.typemap.python.field_limits import field_limits
from babelreg.typemap.python.names import ANNOTATION_NAMES, TYPED_FORMATS, attributes
from babelreg.typemap.schema_facets import ListedValues, Parts, TypeSpelling
from babelreg.typemap.shapes import Class, Shape, definition, shape


def _listed(listed: ListedValues) -> tuple[list[Any], list[str]]:
    """Return the values that a ``Literal`` holds, and the JSON types of the others."""
    scalars: list[Any] = []
    kinds: list[str] = []
    wide = {json_type(value) for value in listed.values if listed.grows}
    for value in listed.values:
        kind = json_type(value)
        # Python's True equals 1: a Literal of one accepts the other and returns its own value.
        alike = kind == "boolean" or (kind == "integer" and value in (0, 1))
        if alike or kind in ("object", "array", "number"):
            kinds += [] if kind in kinds else [kind]
        elif kind not in wide or value is not None:
            scalars.append(int(value) if kind == "integer" else value)
    if "integer" in kinds:
        scalars = [value for value in scalars if not isinstance(value, int)]
    return scalars, [*kinds, *sorted(wide.difference(kinds))]


def _typed_format(kind: str, parts: Parts) -> str | None:
    """Return the format that some part gives to values of ``kind``: those of :data:`names.TYPED_FORMATS`; else None.

    A number is a decimal if its ``multipleOf`` is a power of ten, or if ``x-spark-type`` is a decimal.
    """
    for part in parts:
        format_ = part.get("format")
        if kind == "string" and format_ in ("date-time", "date", "uuid", "decimal"):
            return str(format_)
        stored_as_decimal = str(part.get("x-spark-type", "")).lower().startswith("decimal")
        if kind == "number" and (stored_as_decimal or format_ == "decimal" or _is_decimal_step(part.get("multipleOf"))):
            return "decimal"
    return None


def _is_decimal_step(step: Any) -> bool:
    return isinstance(step, float) and 0 < step < 1 and step == float(f"1e{round(math.log10(step))}")


# Names with another meaning in a generated module.
_RESERVED = frozenset([*ANNOTATION_NAMES, *TYPED_FORMATS.values(), "Producer", "SCHEMA", "None", "True", "False"])
_TEXT = TypeSpelling(_RESERVED, _listed, attributes, names_known_values=True)
_LIMITED = _TEXT._replace(limits=field_limits)
_SPELLINGS = {
    (False, False): _TEXT,
    (False, True): _LIMITED,
    (True, False): _TEXT._replace(format=_typed_format),
    (True, True): _LIMITED._replace(format=_typed_format),
}
"""By ``typed`` and ``limited`` of :func:`shape_of`."""


def shape_of(
    schema: Any,
    name: str,
    reserved: Iterable[str] = (),
    *,
    typed: bool = False,
    limited: bool = False,
    strict: bool = False,
) -> Shape:
    """Return the classes of the bundled ``schema``; see :func:`shapes.shape`.

    With ``typed``, values whose format is in :data:`names.TYPED_FORMATS` get those types; with ``limited``, values have
    the limits of :mod:`babelreg.typemap.python.field_limits`.
    """
    return shape(schema, name, _SPELLINGS[typed, limited], reserved, strict=strict)


def definition_of(
    schema: Any, reference: str, *, typed: bool = False, limited: bool = False, strict: bool = False
) -> Mapping[str, Class]:
    """Return the class of a definition and those that it uses; see :func:`shapes.definition`."""
    return definition(schema, reference, _SPELLINGS[typed, limited], strict=strict)
