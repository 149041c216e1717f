"""SQL of a tree of symbols as a value of the newest type.

Structs are always built anew, member by member: a stored struct may have more members, in another order.
"""

from __future__ import annotations

from babelreg.schema.field_path import child
from babelreg.typemap.spark.ddl import ddl_type, string
from babelreg.typemap.spark.types import Array, Map, SparkType, Struct
from babelreg.typemap.spark.upcast.column_conversion import converted
from babelreg.typemap.spark.upcast.sql_literals import literal, null
from babelreg.typemap.spark.upcast.value_tree import (
    TRUE,
    AbsentValue,
    ChosenValue,
    ColumnSql,
    ConstantValue,
    NoColumn,
    ObjectValue,
    RowFailure,
    UntranslatableUpcast,
    ValueNode,
    array_items,
    object_value,
)
from babelreg.typemap.spark.values import Unstorable


def built(node: ValueNode, type_: SparkType, path: str, failures: list[RowFailure], depth: int = 0) -> str:
    """Return the SQL of ``node`` as a value of ``type_``; ``failures`` get those of its conversions.

    Raises UntranslatableUpcast if the value has another type.
    """
    if isinstance(node, AbsentValue):
        return null(type_)
    if isinstance(node, NoColumn):
        raise UntranslatableUpcast(f"{path} has no column before it: {node.why}")
    if isinstance(node, ObjectValue) and not isinstance(type_, Struct) and (constant := _constant(node)) is not None:
        node = constant
    if isinstance(node, ConstantValue):
        try:
            return literal(node.value, type_)
        except Unstorable as problem:
            kind = ddl_type(type_, comments=False)
            raise UntranslatableUpcast(f"{path} is set to a value that is not {kind}: {problem.code}") from None
    if isinstance(node, ChosenValue):
        return _chosen(node, type_, path, failures, depth)
    if isinstance(type_, Struct):
        return _struct(object_value(node, path), type_, path, failures, depth)
    if isinstance(type_, Array):
        return _array(node, type_, path, failures, depth)
    if isinstance(node, ColumnSql):
        if isinstance(type_, Map) and isinstance(node.type, Map):
            return _map(node.sql, node.type, type_, path, failures, depth)
        if not isinstance(type_, Map) and not isinstance(node.type, Struct | Array | Map):
            return converted(node.sql, node.type, type_, path, failures)
    raise UntranslatableUpcast(f"{path} is nested differently before it")


def in_array(array: str, variable: str, inner: list[RowFailure]) -> list[RowFailure]:
    """Return failures of items as failures of the row."""
    return [
        RowFailure(f"coalesce(exists({array}, {variable} -> {failure.condition}), FALSE)", failure.why)
        for failure in inner
    ]


def _constant(node: ValueNode) -> ConstantValue | None:
    """Return an object of constants as one value, or None."""
    if isinstance(node, ConstantValue):
        return node
    if not isinstance(node, ObjectValue) or node.present != TRUE:
        return None
    members = {key: _constant(value) for key, value in node.members.items() if not isinstance(value, AbsentValue)}
    if not all(members.values()):
        return None
    return ConstantValue({key: constant.value for key, constant in members.items() if constant is not None})


def _chosen(node: ChosenValue, type_: SparkType, path: str, failures: list[RowFailure], depth: int) -> str:
    firsts: list[RowFailure] = []
    seconds: list[RowFailure] = []
    first = built(node.first, type_, path, firsts, depth)
    second = built(node.second, type_, path, seconds, depth)
    failures += [failure.guarded(node.condition) for failure in firsts]
    failures += [failure.guarded(f"NOT ({node.condition})") for failure in seconds]
    return first if first == second else f"if({node.condition}, {first}, {second})"


def _struct(node: ObjectValue, type_: Struct, path: str, failures: list[RowFailure], depth: int) -> str:
    inner: list[RowFailure] = []
    parts = []
    for column in type_.fields:
        member = node.members.get(column.name, AbsentValue())
        value = built(member, column.type, child(path, column.name), inner, depth)
        parts.append(f"{string(column.name)}, {value}")
    failures += [failure.guarded(node.present) for failure in inner]
    struct = f"named_struct({', '.join(parts)})"
    return struct if node.present == TRUE else f"if({node.present}, {struct}, NULL)"


def _array(node: ValueNode, type_: Array, path: str, failures: list[RowFailure], depth: int) -> str:
    items = array_items(node, path, f"row{depth}")
    if items is None:
        return null(type_)
    inner: list[RowFailure] = []
    value = built(items.item, type_.element, f"{path}[]", inner, depth + 1)
    failures += in_array(items.sql, items.variable, inner)
    return items.sql if value == items.variable else f"transform({items.sql}, {items.variable} -> {value})"


def _map(sql: str, have: Map, want: Map, path: str, failures: list[RowFailure], depth: int) -> str:
    inner: list[RowFailure] = []
    variable = f"value{depth}"
    value = built(ColumnSql(variable, have.value), want.value, f"{path}{{}}", inner, depth + 1)
    failures += in_array(f"map_values({sql})", variable, inner)
    return sql if value == variable else f"transform_values({sql}, (key{depth}, {variable}) -> {value})"
