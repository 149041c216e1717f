"""Operations of an upcast, evaluated in order on the symbols of the old columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from babelreg.contract.data_slots import Path, parse
from babelreg.contract.upcast import compiled
from babelreg.schema.field_path import spelled
from babelreg.typemap.spark.ddl import string
from babelreg.typemap.spark.types import Struct
from babelreg.typemap.spark.upcast import value_changes
from babelreg.typemap.spark.upcast.built_columns import built
from babelreg.typemap.spark.upcast.edits import changed, each_holder, placed, put, taken
from babelreg.typemap.spark.upcast.value_tree import (
    FALSE,
    TRUE,
    AbsentValue,
    ChosenValue,
    ColumnSql,
    ConstantValue,
    ObjectValue,
    RowFailure,
    UntranslatableUpcast,
    ValueNode,
    filled,
    object_value,
)


@dataclass(frozen=True, slots=True)
class UpcastSql:
    """The newest ``data`` as an expression of the old one, and the failures of rows."""

    data: str
    failures: tuple[RowFailure, ...]

    @property
    def error(self) -> str:
        """SQL of the reason why a row cannot be upcast, null where it can."""
        if not self.failures:
            return "CAST(NULL AS STRING)"
        cases = " ".join(f"WHEN {failure.condition} THEN {string(failure.why)}" for failure in self.failures)
        return f"CASE {cases} END"


def translated(operations: Sequence[Mapping[str, Any]], old: Struct, new: Struct, column: str = "data") -> UpcastSql:
    """Return the SQL that turns ``column`` of type ``old`` into a value of type ``new``.

    ``operations`` are those of all versions between, the oldest first. Raises UpcastError for invalid ones,
    UntranslatableUpcast for what SQL cannot express.
    """
    compiled(operations)  # raises here, with the words that consumers know
    try:
        return _translated(operations, old, new, column)
    except RecursionError:
        raise UntranslatableUpcast("it is nested too deeply") from None


def _translated(operations: Sequence[Mapping[str, Any]], old: Struct, new: Struct, column: str) -> UpcastSql:
    failures: list[RowFailure] = []
    tree: ValueNode = ObjectValue(TRUE, object_value(ColumnSql(column, old), "data").members)
    for number, operation in enumerate(operations, 1):
        ((kind, given),) = operation.items()
        label = f"upcast {number} ({kind})"
        try:
            for edit in _EDITS[kind](given, f"upcast_failed: {label}"):
                tree = edit(tree, failures)
        except UntranslatableUpcast as err:
            raise UntranslatableUpcast(f"{label}: {err}") from None
    return UpcastSql(built(tree, new, "", failures), tuple(dict.fromkeys(failures)))


_TreeEdit = Callable[[ValueNode, list[RowFailure]], ValueNode]


def _in_holders(path: Path, edit: _TreeEdit) -> _TreeEdit:
    return lambda tree, failures: each_holder(tree, path.arrays, edit, failures)


def _names(path: Path) -> list[str]:
    return [step for step in path.steps[len(path.arrays) :] if isinstance(step, str)]


def _holder(path: Path) -> str:
    return spelled(path.arrays) or "data"


def _rename(given: Mapping[str, str], why: str) -> list[_TreeEdit]:
    return [_renaming(parse(source), parse(target), why) for source, target in given.items()]


def _renaming(source: Path, target: Path, why: str) -> _TreeEdit:
    reason = f"{why}: '{target.text}' already exists, so '{source.text}' cannot be renamed to it"

    def edit(holder: ValueNode, failures: list[RowFailure]) -> ValueNode:
        rest, value = taken(holder, _names(source), _holder(source))
        if isinstance(value, AbsentValue):
            return holder
        new = object_value(placed(rest, _names(target), value, failures, reason, _holder(target)), _holder(target))
        # where there is a value, there is its holder
        return ObjectValue(object_value(rest, _holder(target)).present, new.members)

    return _in_holders(source, edit)


def _put(given: Mapping[str, Any], why: str, *, keep: bool) -> list[_TreeEdit]:
    return [_putting(parse(str(path)), value, why, keep=keep) for path, value in given.items()]


def _putting(path: Path, value: Any, why: str, *, keep: bool) -> _TreeEdit:
    def make(old: ValueNode) -> ValueNode:
        exists = filled(old, path.text) if keep else FALSE
        if exists == TRUE:
            return old
        return _of_constant(value) if exists == FALSE else ChosenValue(exists, old, _of_constant(value))

    def edit(holder: ValueNode, failures: list[RowFailure]) -> ValueNode:
        exists = filled(holder, _holder(path))
        if path.arrays and exists != TRUE:
            failures.append(RowFailure(f"NOT ({exists})", f"{why}: {_holder(path)} is not an object"))
        return put(holder, _names(path), make, _holder(path))

    return _in_holders(path, edit)


def _of_constant(value: Any) -> ValueNode:
    if isinstance(value, Mapping):
        return ObjectValue(TRUE, {str(key): _of_constant(item) for key, item in value.items()})
    return ConstantValue(value)


def _drop(given: Any, why: str) -> list[_TreeEdit]:
    def dropping(path: Path) -> _TreeEdit:
        return _in_holders(path, lambda holder, failures: taken(holder, _names(path), _holder(path))[0])

    return [dropping(parse(text)) for text in ([given] if isinstance(given, str) else given)]


def _cast(given: Mapping[str, str], why: str) -> list[_TreeEdit]:
    edits = []
    for text, kind in given.items():
        change = partial(_casting, kind=kind, path=str(text), why=why)
        edits.append(_changing(parse(str(text)), change))
    return edits


def _casting(node: ValueNode, failures: list[RowFailure], *, kind: str, path: str, why: str) -> ValueNode:
    return value_changes.cast(node, kind, path, why, failures)


def _map(given: Mapping[str, Mapping[str, Any]], why: str) -> list[_TreeEdit]:
    edits = []
    for text, table in given.items():
        change = partial(_mapping, table=table, path=str(text), why=why)
        edits.append(_changing(parse(str(text)), change))
    return edits


def _mapping(
    node: ValueNode, failures: list[RowFailure], *, table: Mapping[str, Any], path: str, why: str
) -> ValueNode:
    return value_changes.mapped_values(node, table, path, why, failures)


def _changing(path: Path, change: _TreeEdit) -> _TreeEdit:
    return _in_holders(path, lambda holder, failures: changed(holder, _names(path), change, failures, _holder(path)))


_EDITS: Mapping[str, Callable[[Any, str], list[_TreeEdit]]] = {
    "rename": _rename,
    "set": partial(_put, keep=False),
    "default": partial(_put, keep=True),
    "drop": _drop,
    "cast": _cast,
    "map": _map,
}
