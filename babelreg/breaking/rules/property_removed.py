"""A published property was removed.

Its readers no longer receive it, and most notice late: without an optional property, messages stay valid but lose data.
That is why this counts as breaking even if every document stays valid.

Bad::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
        email: {type: string}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}

Good::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
        email: {type: string}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}
        email: {type: string, deprecated: true}

Fix::

    Restore it and mark it `deprecated: true`. Remove it in the next version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from babelreg.breaking.changes.pairs import Pair, removed_fields, renamed_fields
from babelreg.breaking.rules.rule import Change, OfSeveral
from babelreg.containment.fields import DeclaredProperty
from babelreg.containment.schema_diff import Difference
from babelreg.finding import Severity
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR


_MAX_NAMES = 6
"""The number of properties of a removed variant that its finding names."""


def check(pair: Pair) -> Iterator[Change]:
    if not pair.data_changed:
        return
    renamed = {old.path for old, _ in renamed_fields(pair)}
    with_variant: dict[Difference, list[list[DeclaredProperty]]] = {}
    for places in _by_declaration(field for field in removed_fields(pair) if field.path not in renamed):
        difference = pair.variants_changed(_instance(places[0])[:-1])
        if difference is None:
            yield _single(places)
        else:
            with_variant.setdefault(difference, []).append(places)
    for difference, removed in with_variant.items():
        yield _of_variant(difference, removed)


def _of_variant(difference: Difference, removed: list[list[DeclaredProperty]]) -> Change:
    """Return what a removed variant takes with it: a side effect, where the finding about the variants says it."""
    fields = [field for places in removed for field in places]
    change = _single(removed[0]) if len(removed) == 1 else _several([places[0] for places in removed])
    gone = f"{_named([places[0] for places in removed])} {'is' if len(removed) == 1 else 'are'} removed with it"
    return replace(
        change,
        fields=tuple(field.path for field in fields),
        side_effect=gone,
        old_nodes=frozenset({difference.old}),
        new_nodes=frozenset({difference.new}),
    )


def _instance(field: DeclaredProperty) -> Pointer:
    return tuple(step if isinstance(step, str) else 0 for step in field.steps)


def _by_declaration(fields: Iterable[DeclaredProperty]) -> list[list[DeclaredProperty]]:
    """Return the fields that one definition declares together."""
    by_pointer: dict[Pointer, list[DeclaredProperty]] = {}
    for field in fields:
        by_pointer.setdefault(field.pointer, []).append(field)
    return list(by_pointer.values())


def _single(places: list[DeclaredProperty]) -> Change:
    field = places[0]
    more = "" if len(places) == 1 else f", at {len(places)} places"
    change = _removed(f"property '{field.path}' was removed{more}", f"restore '{field.path}' and mark it", places)
    several = OfSeveral("properties {} were removed", "restore them and mark each `deprecated: true`", change.new[:-1])
    return change if more else replace(change, several=several)


def _several(fields: list[DeclaredProperty]) -> Change:
    removed = _removed(f"{_named(fields)} were removed", "restore them and mark each", fields)
    where = fields[0].pointer[:-1]
    return replace(removed, new=where, old=where)


def _named(fields: list[DeclaredProperty]) -> str:
    named = [f"'{field.path}'" for field in fields[:_MAX_NAMES]]
    if len(fields) > _MAX_NAMES:
        return f"properties {', '.join(named)} and {len(fields) - _MAX_NAMES} more"
    return f"property {named[0]}" if len(named) == 1 else f"properties {', '.join(named[:-1])} and {named[-1]}"


def _removed(message: str, keep: str, fields: list[DeclaredProperty]) -> Change:
    where = fields[0].pointer
    paths = tuple(field.path for field in fields)
    keep = f"{keep} `deprecated: true`"
    return Change(message, where, where, key=True, keep=keep, fields=paths, answers=True, first="consumers")
