"""Edits of a tree of symbols along a path: in every item of an array, in one object, of one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from babelreg.schema.field_path import EACH, Step, spelled
from babelreg.typemap.spark.upcast.built_columns import in_array
from babelreg.typemap.spark.upcast.value_tree import (
    ABSENT,
    FALSE,
    TRUE,
    AbsentValue,
    ChosenValue,
    RowFailure,
    UntranslatableUpcast,
    ValueNode,
    any_of,
    array_items,
    filled,
    object_value,
    with_member,
)

Edit = Callable[[ValueNode, list[RowFailure]], ValueNode]
"""Function from a node to the edited one, which adds to the failures."""


def each_holder(
    node: ValueNode, steps: Sequence[Step], edit: Edit, failures: list[RowFailure], above: tuple[Step, ...] = ()
) -> ValueNode:
    """Return ``node`` with ``edit`` applied to each object at ``steps``, which end in ``[]`` or are empty."""
    if not steps:
        return edit(node, failures)
    step, rest, here = steps[0], steps[1:], spelled(above) or "data"
    if isinstance(node, AbsentValue):
        return node
    if isinstance(step, str):
        holder = object_value(node, here)
        if step not in holder.members:
            return node
        return with_member(holder, step, each_holder(holder.members[step], rest, edit, failures, (*above, step)))
    if isinstance(node, ChosenValue):
        firsts: list[RowFailure] = []
        seconds: list[RowFailure] = []
        first = each_holder(node.first, steps, edit, firsts, above)
        second = each_holder(node.second, steps, edit, seconds, above)
        failures += [failure.guarded(node.condition) for failure in firsts]
        failures += [failure.guarded(f"NOT ({node.condition})") for failure in seconds]
        return ChosenValue(node.condition, first, second)
    items = array_items(node, here, f"item{above.count(EACH)}")
    if items is None:
        return node
    inner: list[RowFailure] = []
    item = each_holder(items.item, rest, edit, inner, (*above, step))
    failures += in_array(items.sql, items.variable, inner)
    return replace(items, item=item)


def put(node: ValueNode, names: Sequence[str], make: Callable[[ValueNode], ValueNode], above: str) -> ValueNode:
    """Return ``node`` with ``make(value)`` in place of the value at ``names``; objects on the way are made."""
    holder = object_value(node, above)
    value, here = holder.members.get(names[0], ABSENT), f"{above}.{names[0]}"
    new = make(value) if len(names) == 1 else put(value, names[1:], make, here)
    return with_member(holder, names[0], new, present=TRUE)


def taken(node: ValueNode, names: Sequence[str], above: str) -> tuple[ValueNode, ValueNode]:
    """Return ``node`` without the value that ``names`` lead to, and the value."""
    if isinstance(node, AbsentValue):
        return node, ABSENT
    holder = object_value(node, above)
    value = holder.members.get(names[0], ABSENT)
    if len(names) == 1:
        return with_member(holder, names[0], ABSENT), value
    rest, value = taken(value, names[1:], f"{above}.{names[0]}")
    return with_member(holder, names[0], rest), value


def placed(
    node: ValueNode, names: Sequence[str], value: ValueNode, failures: list[RowFailure], why: str, above: str
) -> ValueNode:
    """Return ``node`` with ``value``, where there is one, at ``names``; a row that has both fails with ``why``."""
    exists = filled(value, above)
    holder = object_value(node, above)
    old, here = holder.members.get(names[0], ABSENT), f"{above}.{names[0]}"
    if len(names) > 1:
        new = placed(old, names[1:], value, failures, why, here)
    elif isinstance(old, AbsentValue):
        new = value
    else:
        occupied = filled(old, here)
        if TRUE == occupied == exists:
            raise UntranslatableUpcast(f"{here} exists in every row, so nothing else can be renamed to it")
        if occupied != FALSE:
            failures.append(RowFailure(f"({exists} AND {occupied})", why))
        new = value if exists == TRUE else ChosenValue(exists, value, old)
    return with_member(holder, names[0], new, present=any_of(holder.present, exists))


def changed(node: ValueNode, names: Sequence[str], change: Edit, failures: list[RowFailure], above: str) -> ValueNode:
    """Return ``node`` with ``change`` applied to the value that ``names`` lead to."""
    if isinstance(node, AbsentValue):
        return node
    if names:
        holder = object_value(node, above)
        if names[0] not in holder.members:
            return node
        inner = changed(holder.members[names[0]], names[1:], change, failures, f"{above}.{names[0]}")
        return with_member(holder, names[0], inner)
    if not isinstance(node, ChosenValue):
        return change(node, failures)
    firsts: list[RowFailure] = []
    seconds: list[RowFailure] = []
    first, second = changed(node.first, (), change, firsts, above), changed(node.second, (), change, seconds, above)
    failures += [failure.guarded(node.condition) for failure in firsts]
    failures += [failure.guarded(f"NOT ({node.condition})") for failure in seconds]
    return ChosenValue(node.condition, first, second)
