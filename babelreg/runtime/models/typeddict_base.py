"""The runtime of generated typed dictionaries: plain JSON values, with types for type checkers alone.

Parsing changes 1.0, an integer in JSON Schema, to 1, so that a value that is annotated as an integer is one; and a
Decimal, which no float returns, to the nearest float.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from babelreg.runtime.message import MessageType, register
from babelreg.runtime.models.plain_json import plain, rounded
from babelreg.schema.values import integral

__all__ = ["dump", "message", "parse"]

T = TypeVar("T")

dump = plain
"""Return a typed dictionary as JSON values, with lists and dictionaries for all sequences and mappings."""


def parse(data: Any) -> Any:
    """Return ``data``, valid by its schema, as its typed dictionary."""
    return rounded(integral(data))


def message(model: type[T], *, urn: str, schema: Mapping[str, Any], **facts: Any) -> MessageType[T]:
    """Register and return the message whose data is ``model``; ``facts`` are the other fields of MessageType."""
    return register(MessageType(urn, model, schema, parse, dump, instance=dict, **facts))
