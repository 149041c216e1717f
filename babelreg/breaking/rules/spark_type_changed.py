"""The Spark column type of a property changed.

Tables keep old rows. A column that was `bigint` and is now `string` or `double` cannot receive new rows without a
migration, and queries on it fail or change their meaning, even if no JSON reader breaks. If the edit also breaks JSON
readers, the finding about that keyword mentions both.

Bad::

    # before
    data:
      type: object
      properties:
        total: {type: number}
    # after
    data:
      type: object
      properties:
        total: {type: number, x-spark-type: "decimal(18,2)"}

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

    Keep what determines the column type: `type`, `format`, bounds, `x-spark-type`. Change the type in the next version,
    which has its own table.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.containment.fields import schemas_at
from babelreg.finding import Severity
from babelreg.model import Message
from babelreg.schema.field_path import child
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_annotations

if TYPE_CHECKING:
    from babelreg.typemap.spark import SparkType

severity = Severity.ERROR


_MOST_COLUMNS = 3
_OF_SEVERAL = "*"
_Column = tuple[str, Pointer, str]
"""Path, the place of its value in a document, and type."""


def check(pair: Pair) -> Iterator[Change]:
    if not pair.data_changed or pair.new is None or pair.new_registry.plain is not None:
        return  # no tables are made of plain schemas
    by_cause: dict[Hashable, list[Change]] = {}
    columns: dict[Hashable, list[str]] = {}
    for path, instance, before, after in _changed(pair):
        change = _change(pair, path, instance, f"from {before} to {after}")
        # One definition that several columns share is one edit.
        cause: Hashable = (change.old_nodes, change.new_nodes, before, after) if change.new_nodes else path
        by_cause.setdefault(cause, []).append(change)
        columns.setdefault(cause, []).append(path)
    for cause, changes in by_cause.items():
        yield _merged(changes, columns[cause])


def _changed(pair: Pair) -> Iterator[tuple[str, Pointer, str, str]]:
    assert pair.new is not None
    new = {path: kind for path, _, kind in _columns(pair.new.schema)}
    reported: list[str] = []
    for path, instance, before in _columns(pair.old.schema):
        after = new.get(path, before)
        if after != before and not path.startswith(tuple(reported)):
            reported += [path + end for end in (".", "[", "{")]
            yield path, instance, before, after


def _change(pair: Pair, path: str, instance: Pointer, types: str) -> Change:
    field = path.replace("{}", ".*").removesuffix("[]")
    new_field, old_field = pair.new_fields.get(field), pair.old_fields.get(field)
    old, new = (_deciding_nodes(message, instance) for message in (pair.old, pair.new))
    return Change(
        f"the Spark column '{path}' changed {types}",
        new_field.pointer if new_field else (),
        old_field.pointer if old_field else (),
        key=True,
        keep="keep what decides its type (type, format, bounds, x-spark-type) as it was",
        fields=(field,),
        side_effect=f"its Spark column changes {types}",
        old_nodes=old,
        new_nodes=new,
    )


def _merged(changes: Sequence[Change], paths: Sequence[str]) -> Change:
    first = changes[0]
    if len(changes) == 1:
        return first
    named = ", ".join(f"'{path}'" for path in paths[:_MOST_COLUMNS])
    more = f" and {len(paths) - _MOST_COLUMNS} more" if len(paths) > _MOST_COLUMNS else ""
    message = first.message.replace(f"column '{paths[0]}'", f"columns {named}{more}")
    return replace(first, message=message, fields=tuple(field for change in changes for field in change.fields))


def _deciding_nodes(message: Message | None, instance: Pointer) -> frozenset[Pointer]:
    """Return the subschemas for the value at ``instance``, without those that only refer to another one."""
    nodes = schemas_at(message.schema, instance) if message else []
    return frozenset(node.pointer for node in nodes if without_annotations(node.schema, formats=True).keys() - {"$ref"})


def _columns(schema: Any) -> list[_Column]:
    """Return the type of every column, nested ones too; of those that hold others only what they are."""
    from babelreg.typemap.spark import columns

    return list(_typed(columns(schema), "", ())) if isinstance(schema, dict) else []


def _typed(kind: SparkType, path: str, instance: Pointer) -> Iterator[_Column]:
    from babelreg.typemap.spark import Array, Map, Struct, ddl_type

    if isinstance(kind, Struct):
        if path:
            yield path, instance, "STRUCT"
        for column in kind.fields:
            yield from _typed(column.type, child(path, column.name), (*instance, column.name))
    elif isinstance(kind, Array):
        yield path, instance, "ARRAY"
        yield from _typed(kind.element, f"{path}[]", (*instance, 0))
    elif isinstance(kind, Map):
        yield path, instance, "MAP"
        yield from _typed(kind.value, f"{path}{{}}", (*instance, _OF_SEVERAL))
    else:
        yield path, instance, ddl_type(kind, comments=False)
