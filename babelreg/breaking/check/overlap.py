"""Changes that two rules see: which of them is reported, and what it takes over from the other.

One edit is one finding. A removed property answers for what containment shows inside it. A retyped value answers for
the properties that it had, and for its column in Spark, which has another type because of the same edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.containment.fields import schemas_at
from babelreg.schema.pointer import Pointer
from babelreg.schema.types import declared_types

Break = tuple[str, Change, RefusedDocument]
"""The naming rule, its change, and the document that shows it."""
_UNION = "union-changed"
_OF_MEMBERS = frozenset({"property-removed", "property-renamed"})
_DECIDE_TYPES = frozenset(
    {
        "data-incompatible", "enum-value-added", "enum-value-removed", "format-changed", "number-range-changed",
        "property-declared", "property-names-changed", "type-changed", "union-changed", "value-changed",
    }
)  # fmt: skip


def both_ways(breaks: Sequence[Break]) -> list[Break]:
    """Return ``breaks``; where variants changed in both directions, with one message for the two."""
    ways: dict[str, dict[str, Break]] = {}
    for named in breaks:
        if named[0] == _UNION:
            ways.setdefault(named[2].field, {}).setdefault(named[2].direction, named)
    return [_in_one_message(named, ways.get(named[2].field, {})) for named in breaks]


def _in_one_message(named: Break, ways: dict[str, Break]) -> Break:
    rule, _, example = named
    if rule != _UNION or len(ways) != 2 or ways[example.direction] is not named:
        return named
    backward, forward = (ways[direction] for direction in ("backward", "forward"))
    message = f"{backward[1].message}, and {forward[1].message.removeprefix(forward[2].subject).lstrip()}"
    return rule, replace(backward[1], message=message), example


def answered_by(contract: Sequence[tuple[str, Change]], change: Change) -> int | None:
    """Return the number of the contract change that reports the field of a naming rule, or a parent of it; or None."""
    return next((number for number, (_, owning) in enumerate(contract) if _covers(owning, change)), None)


def _covers(owning: Change, change: Change) -> bool:
    return owning.answers and any(
        field == mine or _below(field, mine) for field in change.fields for mine in owning.fields if field and mine
    )


def without_repeats(
    pair: Pair, contract: Sequence[tuple[str, Change]], breaks: Sequence[Break]
) -> list[tuple[str, Change]]:
    """Return the contract changes without those that one of ``breaks`` reports."""
    explained = _columns_of_removed(contract)
    contract = [
        (rule, replace(change, effects=tuple(str(column.side_effect) for column in explained.get(number, ()))))
        for number, (rule, change) in enumerate(contract)
        if not any(change is column for columns in explained.values() for column in columns)
    ]
    retyped = {example.field for rule, _, example in breaks if is_retyped(pair, rule, example)}
    return [
        (rule, change)
        for rule, change in contract
        if not (rule in _OF_MEMBERS and change.fields and all(_below_any(field, retyped) for field in change.fields))
        and not (change.side_effect and any(_decides(each, change) for each in breaks))
    ]


def _columns_of_removed(contract: Sequence[tuple[str, Change]]) -> dict[int, list[Change]]:
    """Return the changes of columns that lost properties explain, by the number of the finding about the properties."""
    explained: dict[int, list[Change]] = {}
    for _, column in contract:
        if column.side_effect and not column.answers:
            members = ((n, change) for n, (rule, change) in enumerate(contract) if rule in _OF_MEMBERS)
            number = next((n for n, change in members if _all_in(change, column)), None)
            if number is not None:
                explained.setdefault(number, []).append(column)
    return explained


def _all_in(removed: Change, column: Change) -> bool:
    return bool(removed.fields) and all(_below_any(field, column.fields) for field in removed.fields)


def with_side_effects(contract: Sequence[tuple[str, Change]], breaks: Iterable[Break]) -> list[Break]:
    """Return ``breaks``, each with the side effects of its edit."""
    return [(rule, _with_effects((rule, change, example), contract), example) for rule, change, example in breaks]


def _with_effects(named: Break, contract: Iterable[tuple[str, Change]]) -> Change:
    effects = (change.side_effect for _, change in contract if change.side_effect and _decides(named, change))
    return replace(named[1], effects=tuple(dict.fromkeys(effect for effect in effects if effect)))


def _decides(named: Break, effect: Change) -> bool:
    """Return True where the edit that ``named`` reports is in a subschema that decides about ``effect``."""
    rule, change, _ = named
    deciding = frozenset({_UNION}) if effect.answers else _DECIDE_TYPES
    return rule in deciding and (_is_at(change.new, effect.new_nodes) or _is_at(change.old, effect.old_nodes))


def _is_at(pointer: Pointer, nodes: frozenset[Pointer]) -> bool:
    return pointer in nodes or pointer[:-1] in nodes


def is_retyped(pair: Pair, rule: str, example: RefusedDocument) -> bool:
    """Return True where no type is left of those that the value had."""
    if rule != "type-changed" or pair.new is None:
        return False
    before, after = (_types(schema, example.refusal.instance) for schema in (pair.old.schema, pair.new.schema))
    return bool(before and after) and before.isdisjoint(after)


def _types(schema: object, instance: Pointer) -> set[str]:
    return {name for node in schemas_at(schema, instance) for name in declared_types(node.schema) or ()}


def _below_any(field: str, parents: Iterable[str]) -> bool:
    return any(_below(field, parent) for parent in parents)


def _below(field: str, parent: str) -> bool:
    return bool(parent) and field.startswith((f"{parent}.", f"{parent}["))
