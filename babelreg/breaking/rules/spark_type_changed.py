"""The column of a property has another type in Spark.

Tables keep what was written. A column that was `bigint` and is now `string` or `double` cannot take new rows without
a migration, and queries written for it fail or change their meaning, even where every JSON reader is content.

Bad::

    # before
    data:
      type: object
      properties:
        placed_at: {type: string}
    # after
    data:
      type: object
      properties:
        placed_at: {type: string, format: date-time}

Good::

    # before
    data:
      type: object
      properties:
        placed_at: {type: string}
    # after
    data:
      type: object
      properties:
        placed_at: {type: string, description: "When, UTC."}

Fix::

    Keep what decides the type of the column: `type`, `format`, bounds, `x-spark-type`. Another type comes with the next
    version, which has a table of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.finding import Severity
from babelreg.schema.field_path import child

if TYPE_CHECKING:
    from babelreg.typemap.spark import SparkType

severity = Severity.ERROR


def check(pair: Pair) -> Iterator[Change]:
    """See ContractRule."""
    if not pair.data_changed or pair.new is None:
        return
    old, new = _columns(pair.old.schema), _columns(pair.new.schema)
    reported: list[str] = []
    for path, before in old.items():
        after = new.get(path, before)
        if after != before and not path.startswith(tuple(reported)):
            reported += [path + end for end in (".", "[", "{")]
            field = path.replace("{}", ".*").removesuffix("[]")
            new_field, old_field = pair.new_fields.get(field), pair.old_fields.get(field)
            message = f"the Spark column '{path}' changed from {before} to {after}"
            keep = "keep what decides its type (type, format, bounds, x-spark-type) as it was"
            places = (new_field.pointer if new_field else (), old_field.pointer if old_field else ())
            yield Change(message, *places, key=True, keep=keep, fields=(field,))


def _columns(schema: Any) -> dict[str, str]:
    """Return the type of every column, nested ones too; of those that hold others only what they are."""
    from babelreg.typemap.spark import columns

    return dict(_typed(columns(schema), "")) if isinstance(schema, dict) else {}


def _typed(kind: SparkType, path: str) -> Iterator[tuple[str, str]]:
    from babelreg.typemap.spark import Array, Map, Struct, ddl_type

    if isinstance(kind, Struct):
        if path:
            yield path, "STRUCT"
        for column in kind.fields:
            yield from _typed(column.type, child(path, column.name))
    elif isinstance(kind, Array):
        yield path, "ARRAY"
        yield from _typed(kind.element, f"{path}[]")
    elif isinstance(kind, Map):
        yield path, "MAP"
        yield from _typed(kind.value, f"{path}{{}}")
    else:
        yield path, ddl_type(kind, comments=False)
