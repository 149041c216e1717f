"""Type overrides: the column type that ``x-spark-type`` in a schema names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from babelreg.typemap.spark.types import Decimal, Json, Scalar, SparkType

_DECIMAL = re.compile(r"decimal\s*\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)\Z", re.ASCII)
_NUMBER = frozenset({"integer", "fraction"})
_FOR_TEXT = {"date": Scalar.DATE, "timestamp": Scalar.TIMESTAMP, "binary": Scalar.BINARY}
_NAMES = "decimal(p,s), bigint, double, string, json, variant, date, timestamp or binary"
_PRECISION = 18  # fits in 64 bits: the widest decimal with fast arithmetic in every engine


def type_for(schema: Mapping[str, Any], kinds: frozenset[str]) -> SparkType:
    """Return the type that ``schema["x-spark-type"]`` names, for a value of ``kinds`` (``types.KINDS`` without null).

    Raises ValueError with the reason where it is not a type, or not a type for such a value.
    """
    written = schema["x-spark-type"]
    if not isinstance(written, str):
        raise ValueError("x-spark-type must be text, such as decimal(18,2)")
    name = written.strip().lower()
    if name in ("json", "variant"):
        return Json() if name == "json" else Scalar.VARIANT
    if name == "string":
        return Scalar.STRING if kinds == {"string"} else Json()
    if name in _FOR_TEXT:
        _require(kinds == {"string"}, written, "text")
        return _FOR_TEXT[name]
    if name == "bigint":
        _require(kinds == {"integer"}, written, "an integer")
        return Scalar.BIGINT
    if name == "double":
        _require(bool(kinds) and kinds <= _NUMBER, written, "a number")
        return Scalar.DOUBLE
    if name.startswith("decimal"):
        _require(kinds == {"string"} or (bool(kinds) and kinds <= _NUMBER), written, "a number or text")
        return _decimal(name, schema)
    raise ValueError(f"x-spark-type {written!r} is not known: use {_NAMES}")


def _require(holds: bool, written: str, what: str) -> None:
    if not holds:
        raise ValueError(f"x-spark-type {written!r} is for {what} only")


def _decimal(name: str, schema: Mapping[str, Any]) -> Decimal:
    if name == "decimal":
        return _decimal_by_step(schema.get("multipleOf"))
    match = _DECIMAL.match(name)
    precision, scale = (int(match[1]), int(match[2])) if match else (0, 0)
    if not match or not 1 <= precision <= 38 or scale > precision:
        raise ValueError(f"x-spark-type {name!r} must be decimal(p,s) with 1 <= p <= 38 and s <= p")
    return Decimal(precision, scale)


def _decimal_by_step(step: Any) -> Decimal:
    """Return the decimal by its step: ``multipleOf: 0.01`` has two digits after the point."""
    if isinstance(step, int | float) and not isinstance(step, bool) and step > 0:
        scale = max(0, -round(math.log10(step)))
        if step == 1 or (scale <= _PRECISION and math.isclose(step, 10.0**-scale, rel_tol=1e-12)):
            return Decimal(_PRECISION, scale)
    raise ValueError("x-spark-type decimal needs a number of digits: decimal(18,2), or a multipleOf such as 0.01")
