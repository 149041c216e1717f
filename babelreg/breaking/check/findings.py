"""Findings of one pair: their places, fixes and the services they hurt.

A change inside a shared fragment is worded in terms of the fragment (``minor``, not ``total.minor``). So it reads the
same in every message that uses the fragment, and can be one finding.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.changes.waivers import change_id
from babelreg.breaking.check import impact
from babelreg.breaking.rules import SEVERITIES, UNKNOWN
from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.containment.fields import field_path
from babelreg.finding import NOTHING, Finding, FragmentUse, Place, PropertyList
from babelreg.model import Message, Registry
from babelreg.schema.dialects import Reach
from babelreg.schema.field_path import OTHERS
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.subschemas import segments

_LISTS_NAMES = ("required", "dependentRequired")
_ITEM = 0


def naming_finding(pair: Pair, rule: str, change: Change, example: RefusedDocument) -> Finding:
    """Return the finding of a naming rule, with ``example`` as its witness."""
    missing = example.refusal.missing
    instance = (*example.refusal.instance, *([] if missing is None else [missing]))
    hurts = impact.of_containment(pair, example.direction, example.document, change.fields, instance)
    hurts += impact.of_effects(pair, change.effects)
    return replace(
        placed_finding(pair, rule, change),
        direction=example.direction,
        witness=example.document,
        instance=instance,
        reason=example.refusal.message,
        hurts=hurts,
        breaks=impact.lines(hurts),
    )


def contract_finding(pair: Pair, rule: str, change: Change) -> Finding:
    """Return the finding of a contract rule, which has no witness."""
    hurts = impact.of_contract(pair, change.fields) + impact.of_effects(pair, change.effects)
    return replace(placed_finding(pair, rule, change), hurts=hurts, breaks=impact.lines(hurts))


def placed_finding(pair: Pair, rule: str, change: Change) -> Finding:
    """Return the finding of ``change`` with its places and its fix, without impact."""
    place = Place(pair.old.source.path) if pair.new is None else _place(pair.new, change.new, change)
    against = _place(pair.old, change.old, change)
    shared = None if pair.new is None or change.in_file else _fragment_of(pair.new, change.new)
    worded = _worded_for_fragment(change, shared) if shared else change
    minted = ""
    if change.mint:
        published = shared if shared in pair.old_registry.fragments else None
        of_fragment = published and f"run `{pair.mint_command(f'--fragment {shlex.quote(published)}')}`"
        minted = of_fragment or pair.mint
    return replace(
        _finding(rule, place, worded.message, pair.urn, against=against),
        severity=change.severity or SEVERITIES[rule],
        fix=_fix(worded.keep, minted),
        pointer=_pointer(pair.new, change, change.new) if pair.new is not None else None,
        properties=_properties(pair.new, worded, minted) if pair.new is not None else None,
        messages=tuple(FragmentUse(pair.urn, field) for field in change.fields[-1:]) if shared else (),
    )


def _fix(keep: str | None, minted: str) -> str | None:
    return ", or ".join(filter(None, (keep, minted))) or None


def _properties(message: Message, change: Change, minted: str) -> PropertyList | None:
    if change.several is None:
        return None
    wording, keep, holder = change.several
    return PropertyList(change.fields, _pointer(message, change, holder), wording, _fix(keep, minted))


def _pointer(message: Message, change: Change, pointer: Pointer) -> str:
    """Return ``pointer`` as one into the file that the finding is placed in, a message or a fragment."""
    return text(pointer if change.in_file else message.located(pointer)[1])


def _place(message: Message, pointer: Pointer, change: Change) -> Place:
    if change.in_file:
        return message.source.place(pointer, key=change.key)
    return message.place(pointer, key=change.key)


def _finding(rule: str, place: Place, message: str, urn: str, *, against: Place | None = None) -> Finding:
    return Finding(rule, SEVERITIES[rule], message, place, urn=urn, against=against, witness=NOTHING)


def unreadable_findings(old: Registry, new: Registry) -> Iterator[Finding]:
    """Yield a finding for each baseline file that cannot be read while its message is still in the registry.

    A file whose schema has references that cannot be resolved counts, too.
    """
    read = {message.source.path for message in old.messages if not _without_schema(message)}
    present = {message.source.path: message for message in reversed(new.messages)}
    reported: set[str] = set()
    for defect in old.defects:
        path = defect.place.path
        if path in present and path not in read:
            yield _unreadable(present[path], path, defect)
            read.add(path)
            reported.add(present[path].urn)
    for published in old.messages:
        message, path = new.by_urn.get(published.urn), published.source.path
        if message is not None and (path not in read or (old.plain is not None and _without_schema(published))):
            if published.urn in reported:
                continue
            yield _unreadable(message, path, None)


def _without_schema(message: Message) -> bool:
    return message.published and message.data is not None and message.schema is None


def _unreadable(message: Message, path: str, defect: Finding | None) -> Finding:
    reason = defect.message if defect else "a schema that it refers to has a defect"
    text = f"the published {path} cannot be read ({reason}), so {message.urn} cannot be compared"
    finding = _finding(UNKNOWN, Place(message.source.path), text, message.urn, against=defect.place if defect else None)
    return replace(finding, change=change_id(None, message))


def _fragment_of(message: Message, pointer: Pointer) -> str | None:
    """Return the path of the fragment that ``pointer`` leads into, in the bundled schema of ``message``.

    None where it stays in the message's own file.
    """
    origin = message.origins.get(str(pointer[1])) if len(pointer) > 1 and pointer[0] == "$defs" else None
    return origin.path if origin is not None else None


def _worded_for_fragment(change: Change, path: str) -> Change:
    """Return ``change``, which is inside the fragment ``path``, with its fields named relative to the fragment."""
    places = (change.old, change.new) if len(change.fields) > 1 else (change.new,)
    message, keep, fields = change.message, change.keep, list(change.fields)
    for number, (field, place) in enumerate(zip(change.fields, places, strict=False)):
        if field and place[:1] == ("$defs",):
            fields[number] = relative = _relative_field(place[2:], field, path)
            for old_name, new_name in ((field, relative), (_parent(field) or field, _parent(relative) or path)):
                message = message.replace(f"'{old_name}'", f"'{new_name}'")
                keep = keep.replace(f"'{old_name}'", f"'{new_name}'") if keep else keep
    return replace(change, message=message, keep=keep, fields=tuple(fields))


def _relative_field(pointer: Pointer, field: str, path: str) -> str:
    steps, rest = _steps(pointer)
    if rest[:1] and rest[0] in _LISTS_NAMES:
        return ".".join(filter(None, (field_path(steps), _last(field))))
    return field_path(steps) or path


def _last(field: str) -> str:
    """Return the last name of a field path; a dot within a name is escaped by a backslash."""
    parent = _parent(field)
    return field[len(parent) + 1 :] if parent else field


def _parent(field: str) -> str:
    """Return the path of the parent of the field; empty where that is the data itself."""
    start = len(field)
    while (at := field.rfind(".", 0, start)) > 0 and field[at - 1] == "\\":
        start = at
    return field[: max(at, 0)]


def _steps(pointer: Pointer) -> tuple[list[str | int], Sequence[str | int]]:
    """Return the steps of ``pointer`` into the data, and its rest from the first keyword that is not a step."""
    steps: list[str | int] = []
    at = 0
    for segment, keyword in segments(pointer):
        if keyword.reach is Reach.NAME or segment[0] == "contentSchema":
            break
        at += len(segment)
        if keyword.reach is Reach.NOWHERE:
            steps = []
        elif keyword.reach is Reach.ITEM:
            steps.append(_ITEM)
        elif keyword.reach is Reach.PROPERTY:
            steps.append(str(segment[1]) if segment[0] == "properties" else OTHERS)
    return steps, pointer[at:]
