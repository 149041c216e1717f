"""Grouping of findings by edit: one finding for a replaced subschema, with all that it breaks as its parts.

An author who leads a ``$ref`` to another definition makes one edit, and everything that the two definitions disagree on
breaks with it. The finding is at the edit; where a rule already reports the edited keyword itself, it is that rule's.
A value of another type takes in the limits that came or went with it, and a limit those that follow from it.
Parts keep their rules, so that a waiver of one of them holds: :func:`without_waived` leaves it out of the group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.changes.replacements import ReplacedKeyword
from babelreg.breaking.check.findings import placed_finding
from babelreg.breaking.check.grouping import joined, merged
from babelreg.breaking.check.implied_limits import implied
from babelreg.breaking.check.overlap import is_retyped
from babelreg.breaking.rules import REPLACED, schema_replaced
from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.containment.fields import field_path
from babelreg.finding import Finding
from babelreg.schema import pointer as pointers
from babelreg.schema.keywords import UNIONS
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import identical

_RETYPED = "type-changed"


class Reported(NamedTuple):
    """A finding of a pair with its change, and the document that shows it, if any."""

    finding: Finding
    change: Change
    example: RefusedDocument | None = None

    @property
    def key(self) -> tuple[str, str, Pointer, Pointer]:
        """The same for both directions of one change."""
        return self.finding.rule, self.change.message, self.change.new, self.change.old

    @property
    def instance(self) -> Pointer:
        """The place of the refused value; that of the whole document without an example."""
        return () if self.example is None else self.example.refusal.instance

    @property
    def node(self) -> Pointer:
        """The pointer to the new subschema whose keyword is reported."""
        return self.change.new[:-1]


def by_edit(pair: Pair, reported: Iterable[Reported]) -> list[Finding]:
    """Return the findings; those that one replaced subschema causes as one, at the place of the first."""
    reported = list(reported)
    if len(reported) < 2:
        return [item.finding for item in reported]
    groups: dict[object, list[Reported]] = {}
    edits: dict[object, ReplacedKeyword] = {}
    types = (item for item in reported if item.example and is_retyped(pair, item.finding.rule, item.example))
    retyped = {item.node: item.instance for item in types}
    causes = _causes(reported)
    for number, item in enumerate(reported):
        edit = _edit_behind(pair, item)
        node = _retyped_node(item, retyped)
        cause: object = causes.get(item.key, item.key if item.example else number) if node is None else node
        if edit is not None and edit.new in retyped:  # items, say, that came or went with the type
            cause, edit = edit.new, None
        key = cause if edit is None else (id(edit), item.finding.severity)
        groups.setdefault(key, []).append(item)
        if edit is not None:
            edits[key] = edit
    return [
        finding
        for key, group in groups.items()
        for finding in (_of_edit(pair, edits[key], group) if key in edits else _of_value(group, key))
    ]


def without_waived(finding: Finding, hides: Callable[[Finding], bool]) -> Finding | None:
    """Return ``finding`` without the parts that a waiver hides; None where nothing is left."""
    if hides(finding):
        return None
    if not finding.parts:
        return finding
    parts = [part for part in finding.parts if not hides(part)]
    if len(parts) == len(finding.parts):
        return finding
    return _group(finding, parts) if len(parts) > 1 else next(iter(parts), None)


def _of_edit(pair: Pair, edit: ReplacedKeyword, group: Sequence[Reported]) -> list[Finding]:
    """Return one finding for ``group``; that of its only change as it is, in both directions."""
    findings = [item.finding for item in group]
    parts = merged(findings)
    if len(parts) == 1:
        return findings
    head = next((item.finding for item in group if _is_at(edit, item.change)), None)
    if head is None:
        head = placed_finding(pair, REPLACED, schema_replaced.change(pair, edit))
        head = replace(head, severity=findings[0].severity)
    return [_group(head, parts)]


def _of_value(group: Sequence[Reported], key: object) -> list[Finding]:
    """Return one finding for a value of another type, or for the limit ``key``, with what came or went with it."""
    findings = [item.finding for item in group]
    parts = merged(findings)
    if len(parts) == 1:
        return findings
    head = next((item.finding for item in group if item.key == key), None)
    found = (part for part in parts if part.rule == _RETYPED or (head and part.message == head.message))
    return [_group(next(found), parts)]


def _group(head: Finding, parts: Sequence[Finding]) -> Finding:
    """Return ``parts`` as one finding that is where ``head`` is and has its rule, message and fix."""
    together = joined(parts)
    return replace(
        together,
        rule=head.rule,
        message=head.message,
        place=head.place,
        against=head.against,
        pointer=head.pointer,
        fix=head.fix,
        urn=head.urn,
        change=head.change,
        messages=head.messages,
        properties=None,
        parts=tuple(parts),
    )


def _causes(reported: Iterable[Reported]) -> dict[Hashable, Hashable]:
    """Return the key of each limit that follows from another one, and the key of that."""
    examples: dict[Hashable, list[RefusedDocument]] = {}
    for item in reported:
        if item.example is not None:
            examples.setdefault(item.key, []).append(item.example)
    return implied(examples)


def _retyped_node(item: Reported, retyped: Mapping[Pointer, Pointer]) -> Pointer | None:
    """Return the one of the ``retyped`` subschemas whose keyword ``item`` reports, or a keyword that it had; or None.

    A keyword that is gone has no place of its own: its change is at the subschema, for the same value.
    """
    if item.example is None:
        return None
    if item.node in retyped:
        return item.node
    return item.change.new if retyped.get(item.change.new) == item.instance else None


def _edit_behind(pair: Pair, item: Reported) -> ReplacedKeyword | None:
    """Return the replaced subschema that ``item`` comes from, or None."""
    edits = [edit for edit in pair.replacements if _comes_from(edit, item)]
    elsewhere = next((edit for edit in edits if item.example and edit.may_be_around(item.instance)), None)
    return next((edit for edit in edits if _is_below(edit, item)), elsewhere)


def _comes_from(edit: ReplacedKeyword, item: Reported) -> bool:
    if item.change.in_file:
        return False
    if item.example is not None:  # what the refusing side says is at fault
        gone = not edit.new_range and edit.holds(item.change.old, new=False)
        below = edit.is_around(item.instance) and (gone or edit.holds(item.change.new, new=True))
        refusing = edit.holds(item.example.refusal.pointer, new=item.example.backward)
        return below or refusing or _is_only_edited_branch(edit, item.example)
    return edit.holds(item.change.new, new=True) or edit.holds(item.change.old, new=False)


def _is_only_edited_branch(edit: ReplacedKeyword, example: RefusedDocument) -> bool:
    """Return True where a union refuses, and the keyword of one of its branches is all that differs in it."""
    mine = edit.new if example.backward else edit.old
    if example.refusal.keyword not in UNIONS or mine[:-1] != example.refusal.pointer:
        return False
    sides = ((example.pair.old, edit.old), (example.pair.new, edit.new))
    unions = [_without(message.schema, at, edit.keyword) for message, at in sides if message is not None]
    return len(unions) == 2 and identical(*unions)


def _without(schema: Any, at: Pointer, keyword: str) -> Any:
    """Return the schemas around ``at``, of which the one there is without ``keyword``."""
    branches = pointers.find(schema, at[:-1])
    kept = {name: value for name, value in branches[at[-1]].items() if name != keyword}
    return [kept if number == at[-1] else branch for number, branch in enumerate(branches)]


def _is_below(edit: ReplacedKeyword, item: Reported) -> bool:
    if item.example is not None:
        return edit.is_around(item.instance)
    path, fields = field_path(edit.place), item.change.fields
    return not path or (bool(fields) and all(_is_field_below(field, path) for field in fields))


def _is_field_below(field: str, parent: str) -> bool:
    return field == parent or field.startswith((f"{parent}.", f"{parent}["))


def _is_at(edit: ReplacedKeyword, change: Change) -> bool:
    """Return True where ``change`` is about the edited keyword itself."""
    return change.new == (*edit.new, edit.keyword) or change.old == (*edit.old, edit.keyword)
