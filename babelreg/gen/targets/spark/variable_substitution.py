"""Column names that Spark would expand: ``${...}`` in a query is a variable, even in backticks and in literals.

A literal can escape it (``typemap.spark.string``); a name cannot: backticks know no escapes.
"""

from __future__ import annotations

import json

from babelreg.model import Message
from babelreg.typemap import spark

_OPENING = "${"


def unsupported(message: Message) -> str | None:
    """Return the reason why no SQL can name the columns of ``message``, or None."""
    if _OPENING not in json.dumps(message.schema):
        return None
    name = _variable(spark.columns(message.schema or {}))
    return None if name is None else f"Spark expands '{_OPENING}' in the property name {json.dumps(name)}"


def _variable(type_: spark.SparkType) -> str | None:
    """Return the first column name that contains a variable, or None."""
    if isinstance(type_, spark.Struct):
        for column in type_.fields:
            name = column.name if _OPENING in column.name else _variable(column.type)
            if name is not None:
                return name
    if isinstance(type_, spark.Array):
        return _variable(type_.element)
    return _variable(type_.value) if isinstance(type_, spark.Map) else None
