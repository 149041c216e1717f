"""Two views of one schema: what a producer may send, and what a reader accepts.

Producer view: an object that lists properties and does not mention others admits no others. Reader view:
undeclared properties are ignored, so ``additionalProperties: false`` and ``unevaluatedProperties: false`` do not
refuse them, and an ``enum`` beside ``x-open-enum: true`` admits new values of the JSON types it lists. A schema or
``true`` under ``additionalProperties`` mentions other properties explicitly and stays in both views.

The names declared at an object are those of all subschemas that apply to it in place (``allOf``, ``anyOf``, ``oneOf``,
``then``/``else``, ``dependentSchemas``, ``$ref``): ``properties``, ``patternProperties``, and the names under
``required`` and its dependent kin. Nothing inside ``not`` and ``if`` changes.

The laws, for every schema S and document d:

- the producer view lies within S, and within the reader view;
- the reader view validates d as S validates d without its undeclared properties. Where JSON Schema cannot express that
  (``unevaluatedProperties: false``, ``maxProperties`` beside listed properties, an open enum), it admits more, never
  less; a ``oneOf`` above such a place becomes an ``anyOf``, because a branch that admits more could make two match
  and refuse what S admits. Every other ``oneOf`` stays: a closed branch still refuses the names that the other branches
  declare, which keeps the branches apart.

Both views are complete schemas of the same dialect, with every reference inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.contract.views.plain_views import closed, opened
from babelreg.errors import SchemaError
from babelreg.schema.dialects import Dialect, identify

if TYPE_CHECKING:
    from babelreg.contract.views.instance_locations import Locations

__all__ = ["Views", "both", "is_plain", "producer_view", "reader_view", "strict_view"]


class Views(NamedTuple):
    """The two views of one schema."""

    producer: Any
    reader: Any


def producer_view(schema: Any, dialect: Dialect | None = None) -> Any:
    """Return the schema that producers validate against. Equal to ``schema`` where nothing closes.

    Raises SchemaError when a reference leads nowhere or the schema is beyond the bounds.
    """
    dialect = dialect or identify(schema)
    quickly = closed(schema, dialect)
    return _producer_view(_locations(schema, dialect)) if quickly is None else quickly


def is_plain(schema: Any, dialect: Dialect) -> bool:
    """Return True for a schema of properties, items and references to definitions only: both views can be made."""
    return closed(schema, dialect) is not None


def reader_view(schema: Any, dialect: Dialect | None = None) -> Any:
    """Return the schema that consumers, ``validate`` and the lake validate against. Equal to it where nothing opens.

    Raises SchemaError when a reference leads nowhere or the schema is beyond the bounds.
    """
    dialect = dialect or identify(schema)
    quickly = opened(schema, dialect)
    return _reader_view(_locations(schema, dialect)) if quickly is None else quickly


def strict_view(schema: Any, dialect: Dialect | None = None) -> Any:
    """Return the schema as written: both views under ``compatibility.reader: strict``."""
    return schema


def both(schema: Any, reader: str = "tolerant", dialect: Dialect | None = None) -> Views:
    """Return both views; ``reader`` is the registry's ``compatibility.reader``, tolerant or strict.

    Raises SchemaError as :func:`producer_view` does.
    """
    if reader == "strict":
        return Views(schema, schema)
    if reader != "tolerant":
        raise SchemaError(f"reader {reader!r} is neither tolerant nor strict")
    locations = _locations(schema, dialect)
    return Views(_producer_view(locations), _reader_view(locations))


# Imported where they are used: most schemas are plain, and their views need none of them.


def _locations(schema: Any, dialect: Dialect | None) -> Locations:
    from babelreg.contract.views.instance_locations import Locations
    from babelreg.schema.local_references import StrictReferences

    return Locations(StrictReferences(schema, dialect))


def _producer_view(locations: Locations) -> Any:
    from babelreg.contract.views.producer import ProducerViewBuilder

    return ProducerViewBuilder(locations).view()


def _reader_view(locations: Locations) -> Any:
    from babelreg.contract.views.reader import ReaderViewBuilder

    return ReaderViewBuilder(locations).view()
