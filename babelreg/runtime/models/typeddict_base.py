"""Data as typed dictionaries: what JSON has, as it has it. Types are for type checkers; nothing stands in their way.

The one thing that is changed on the way in is 1.0, which JSON Schema takes for an integer, to 1: a value that is
annotated as an integer is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from babelreg.runtime.message import MessageType, register
from babelreg.runtime.models.json_numbers import plain
from babelreg.schema.values import integral

__all__ = ["dump", "message", "parse"]

T = TypeVar("T")

parse = integral
"""Data, valid by its schema, as its typed dictionary."""
dump = plain
"""A typed dictionary as data: lists and dictionaries, whatever sequences and mappings it was made of."""


def message(model: type[T], *, urn: str, schema: Mapping[str, Any], **how: Any) -> MessageType[T]:
    """The message whose data is ``model``; ``how`` as in :class:`MessageType`."""
    return register(MessageType(urn, model, schema, parse, dump, instance=dict, **how))
