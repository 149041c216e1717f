"""Tree of symbols that stands for the data of any row while operations are evaluated.

A leaf is an SQL expression with its type, or a constant; an inner node is an object with known members, the items of an
array, or a choice between two values by an SQL condition. Trees are not changed: an edit returns a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from babelreg.typemap.spark.ddl import ddl_type, name
from babelreg.typemap.spark.types import Array, Json, Map, SparkType, Struct

TRUE, FALSE = "TRUE", "FALSE"
_MOST_CHARACTERS = 200_000


class UntranslatableUpcast(Exception):
    """An upcast that SQL over the columns cannot express. The message says which part, and why."""


@dataclass(frozen=True, slots=True)
class RowFailure:
    """A condition, never null, under which a row cannot be upcast, and the reason in words."""

    condition: str
    why: str

    def __post_init__(self) -> None:
        _check_length(self.condition)

    def guarded(self, condition: str) -> RowFailure:
        """Return the failure for the rows in which ``condition`` holds."""
        return self if condition == TRUE else replace(self, condition=f"({condition} AND {self.condition})")


@dataclass(frozen=True, slots=True)
class AbsentValue:
    """A property that no row has."""


@dataclass(frozen=True, slots=True)
class NoColumn:
    """A property that rows may have, but that no column holds."""

    why: str


@dataclass(frozen=True, slots=True)
class ColumnSql:
    """An SQL expression of ``type``; null stands for an absent value."""

    sql: str
    type: SparkType

    def __post_init__(self) -> None:
        _check_length(self.sql)


@dataclass(frozen=True, slots=True)
class ConstantValue:
    """A JSON value that every row has. An object is an :class:`ObjectValue` of constants instead."""

    value: Any


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """An object that exists where ``present`` holds, with these members."""

    present: str
    members: Mapping[str, ValueNode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArrayItems:
    """The array ``sql``, each item of which, called ``variable`` in SQL, becomes ``item``."""

    sql: str
    variable: str
    item: ValueNode


@dataclass(frozen=True, slots=True)
class ChosenValue:
    """``first`` where ``condition``, which is never null, holds, otherwise ``second``."""

    condition: str
    first: ValueNode
    second: ValueNode

    def __post_init__(self) -> None:
        _check_length(self.condition)


ValueNode = AbsentValue | NoColumn | ColumnSql | ConstantValue | ObjectValue | ArrayItems | ChosenValue
ABSENT = AbsentValue()


def _check_length(sql: str) -> None:
    # A registry is untrusted, and expressions that are used twice double with each operation.
    if len(sql) > _MOST_CHARACTERS:
        raise UntranslatableUpcast("its SQL would be too long")


def filled(node: ValueNode, path: str) -> str:
    """Return the condition, never null, under which there is a value. ``path`` is for errors."""
    if isinstance(node, AbsentValue):
        return FALSE
    if isinstance(node, NoColumn):
        raise UntranslatableUpcast(f"{path} has no column: {node.why}")
    if isinstance(node, ConstantValue):
        return TRUE
    if isinstance(node, ObjectValue):
        return node.present
    if isinstance(node, ChosenValue):
        first, second = filled(node.first, path), filled(node.second, path)
        return _chosen(node.condition, first, second)
    return f"{node.sql} IS NOT NULL"


def _chosen(condition: str, first: str, second: str) -> str:
    if first == second:
        return first
    if first in (condition, TRUE):  # the common case: a value, or its default
        return any_of(condition, second)
    return f"if({condition}, {first}, {second})"


def any_of(first: str, second: str) -> str:
    """Return the disjunction of two conditions."""
    if TRUE in (first, second):
        return TRUE
    if first == second or second == FALSE:
        return first
    return second if first == FALSE else f"({first} OR {second})"


def object_value(node: ValueNode, path: str) -> ObjectValue:
    """Return ``node`` as an object with its members. Raises UntranslatableUpcast if it is another value."""
    if isinstance(node, ObjectValue):
        return node
    if isinstance(node, AbsentValue) or (isinstance(node, ConstantValue) and node.value is None):
        return ObjectValue(FALSE)
    if isinstance(node, ColumnSql) and isinstance(node.type, Struct):
        columns: dict[str, ValueNode] = {left.name: NoColumn(left.why) for left in node.type.left_out}
        columns.pop("*", None)
        for column in node.type.fields:
            columns[column.name] = ColumnSql(f"{node.sql}.{name(column.name)}", column.type)
        return ObjectValue(filled(node, path), columns)
    if isinstance(node, ChosenValue):
        first, second = object_value(node.first, path), object_value(node.second, path)
        names = dict.fromkeys([*first.members, *second.members])
        return ObjectValue(
            _chosen(node.condition, first.present, second.present),
            {
                each: ChosenValue(node.condition, first.members.get(each, ABSENT), second.members.get(each, ABSENT))
                for each in names
            },
        )
    raise UntranslatableUpcast(f"{path} {_described(node)}, not a struct")


def array_items(node: ValueNode, path: str, variable: str) -> ArrayItems | None:
    """Return the items of an array, or None if there are none in any row."""
    if isinstance(node, ArrayItems):
        return node
    if isinstance(node, AbsentValue) or (isinstance(node, ConstantValue) and node.value in (None, [])):
        return None
    if isinstance(node, ColumnSql) and isinstance(node.type, Array):
        return ArrayItems(node.sql, variable, ColumnSql(variable, node.type.element))
    raise UntranslatableUpcast(f"{path} {_described(node)}, not an array")


def with_member(node: ObjectValue, key: str, value: ValueNode, present: str | None = None) -> ObjectValue:
    """Return the object with another value of a member; ``present`` replaces its condition."""
    return ObjectValue(node.present if present is None else present, {**node.members, key: value})


def _described(node: ValueNode) -> str:
    if isinstance(node, NoColumn):
        return f"has no column: {node.why}"
    if isinstance(node, ColumnSql):
        if isinstance(node.type, Json):
            return "is a column of JSON text"
        return "is a map" if isinstance(node.type, Map) else f"is {ddl_type(node.type, comments=False)}"
    if isinstance(node, ArrayItems):
        return "is an array"
    return "is a constant" if isinstance(node, ConstantValue) else "is an object"
