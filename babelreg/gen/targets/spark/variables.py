"""Names that Spark expands: ``${...}`` in the text of a query is a variable, in backticks and in literals as well.

A literal can spell the two signs apart (``typemap.spark.string``), a name cannot: nothing is escaped in backticks.
"""

from __future__ import annotations

import json

from babelreg.model import Message
from babelreg.typemap import spark

__all__ = ["unsupported"]

_OPENING = "${"


def unsupported(message: Message) -> str | None:
    """The reason why no SQL can name the columns of ``message``; None where it can."""
    if _OPENING not in json.dumps(message.schema):
        return None
    name = _variable(spark.columns(message.schema or {}))
    return None if name is None else f"Spark expands '{_OPENING}' in the property name {json.dumps(name)}"


def _variable(type_: spark.SparkType) -> str | None:
    """The first name of a column with a variable."""
    if isinstance(type_, spark.Struct):
        for column in type_.fields:
            found = column.name if _OPENING in column.name else _variable(column.type)
            if found is not None:
                return found
    if isinstance(type_, spark.Array):
        return _variable(type_.element)
    return _variable(type_.value) if isinstance(type_, spark.Map) else None
