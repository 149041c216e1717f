"""Grouping of findings: one finding for both directions of a change, and for all messages that share its fragment.

A changed type breaks both directions, and a fragment breaks every message that refers to it, but one edit fixes all.
An object that gains several properties is one edit, too: after waivers were applied, which name one of them each,
:func:`by_object` makes one finding of those that are left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from babelreg.breaking.check import impact
from babelreg.breaking.check.witness_format import abbreviated, value_at
from babelreg.containment.fields import field_path
from babelreg.finding import NOTHING, Finding, Hurt, PropertyList, Rollout

_MAX_LINES = 12
_MAX_NAMES = 8
_DECLARED, _REQUIRED = "property-declared", "property-required"
_WIDE, _WIDER = 36, 60  # two of them share one line, or two
_ORDER = {"backward": 0, "forward": 1}


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Return ``findings`` with those about one change merged, in the order of the first of each group."""
    groups: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_group_key(finding), []).append(finding)
    return [_merged_group(sorted(group, key=lambda f: _ORDER.get(f.direction or "", -1))) for group in groups.values()]


def by_object(findings: Iterable[Finding]) -> list[Finding]:
    """Return ``findings`` with those about properties of one object as one, where its rule has a text for several."""
    groups: dict[Hashable, list[Finding]] = {}
    for number, finding in enumerate(findings):
        if finding.parts:
            finding = replace(finding, parts=tuple(by_object(finding.parts)))
        groups.setdefault(_object_key(finding) or number, []).append(finding)
    every = list(map(_of_several, groups.values()))
    declared = {_holding_object(finding): finding for finding in every if finding.rule == _DECLARED}
    required = {number: declared.get(_holding_object(finding)) for number, finding in enumerate(every)}
    taken = {n: every[n] for n, head in required.items() if head is not None and _is_new_and_required(every[n], head)}
    by_head = {id(required[number]): finding for number, finding in taken.items()}
    kept = (finding for number, finding in enumerate(every) if number not in taken)
    groups = {}
    for number, head in enumerate(kept):
        finding = _with_required(head, by_head[id(head)]) if id(head) in by_head else head
        holder = finding.properties and finding.properties.holder
        groups.setdefault((finding.rule, _shared_by_parts(finding), holder or number), []).append(finding)
    return list(map(_of_several, groups.values()))


def _object_key(finding: Finding) -> Hashable:
    listed = finding.properties
    return listed and (finding.rule, _shared_by_parts(finding), listed._replace(names=()))


def _shared_by_parts(finding: Finding) -> Hashable:
    messages, against = frozenset(use.urn for use in finding.messages), finding.against
    return (finding.severity, finding.place.path, against and against.path, finding.urn, messages, finding.rollout)


def _holding_object(finding: Finding) -> Hashable:
    """Return the object whose properties ``finding`` is about; None for any other finding."""
    listed = finding.properties
    return listed and (_shared_by_parts(finding), listed.holder.rpartition("/")[0])


def _is_new_and_required(finding: Finding, declared: Finding) -> bool:
    names, new = finding.properties, declared.properties
    return finding.rule == _REQUIRED and bool(names and new and set(names.names) <= set(new.names))


def _with_required(declared: Finding, required: Finding) -> Finding:
    """Return one finding for properties that are declared now and required at once."""
    names = required.properties.names if required.properties else ()
    end = f"'{names[0]}' is required" if len(names) == 1 else f"{_named(names)} are required"
    particular = replace(required, hurts=tuple(filter(_is_particular, required.hurts)))
    parts = (*(declared.parts or (declared,)), *(required.parts or (required,)))
    return replace(joined([declared, particular]), message=f"{declared.message}; {end}", parts=parts)


def _of_several(group: Sequence[Finding]) -> Finding:
    first = group[0].properties
    if first is None or len(group) == 1:
        return group[0]
    names = tuple(dict.fromkeys(name for item in group for name in (item.properties or first).names))
    # One witness shows what happens to messages of nobody in particular; the parts have the others.
    findings = [group[0], *(replace(item, hurts=tuple(filter(_is_particular, item.hurts))) for item in group[1:])]
    return replace(
        joined(findings),
        message=_message([item.properties or first for item in group])
        if len({(item.properties or first).message for item in group}) == 1
        else "; ".join(item.message for item in group),
        fix=first.fix,
        pointer=first.holder,
        properties=first._replace(names=names),
        parts=tuple(part for item in group for part in item.parts or (item,)),
    )


def _message(listed: Sequence[PropertyList]) -> str:
    """Return the message about all the properties that share a text."""
    start, *ends = listed[0].message.split("{}")
    columns = ([name for each in listed for name in each.names[at :: len(ends)]] for at in range(len(ends)))
    return start + "".join(_named(list(dict.fromkeys(column))) + end for column, end in zip(columns, ends, strict=True))


def _is_particular(hurt: Hurt) -> bool:
    return bool(hurt.service) or hurt.role == "table"


def _named(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    if len(quoted) == 1:
        return quoted[0]
    if len(quoted) > _MAX_NAMES + 1:
        return f"{', '.join(quoted[:_MAX_NAMES])} and {len(quoted) - _MAX_NAMES} more"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def by_importance(findings: Iterable[Finding]) -> list[Finding]:
    """Return ``findings`` in the order of the report: errors, warnings, infos, each in the order of files."""
    return sorted(findings, key=lambda finding: (finding.severity.rank, finding.sort_key))


def _group_key(finding: Finding) -> Hashable:
    # A change in a fragment is the same for every message.
    urn = None if finding.messages else finding.urn
    return (finding.rule, finding.message, finding.place, finding.against, urn)


def _merged_group(group: Sequence[Finding]) -> Finding:
    first = group[0]
    if len(group) == 1 and not first.messages:
        return first
    return joined(group)


def joined(group: Sequence[Finding]) -> Finding:
    """Return the first of ``group`` with the witnesses, services and messages of all."""
    first = group[0]
    witnesses = _witnesses(group)
    messages = tuple(dict.fromkeys(use for finding in group for use in finding.messages))
    hurts = _hurts(group)
    return replace(
        first,
        urn=first.urn if len({finding.urn for finding in group}) == 1 else None,
        change=first.change if len({finding.change for finding in group}) == 1 else None,
        direction="both" if len(witnesses) > 1 else first.direction or next(iter(witnesses), None),
        witness=next(iter(witnesses.values()), NOTHING),
        witnesses=witnesses if len(witnesses) > 1 else {},
        reason=next((finding.reason for finding in group if finding.reason), None),
        hurts=hurts,
        breaks=_lines([f"{use.urn} at {use.field}" if use.field else use.urn for use in messages])
        + _lines(impact.lines(_once(hurts))),
        rollout=_rollout([finding.rollout for finding in group if finding.rollout]),
        messages=messages,
    )


def _witnesses(group: Sequence[Finding]) -> dict[str, Any]:
    """Return the first witness of each direction."""
    return {direction: finding.witness for direction, finding in _examples(group).items()}


def _examples(group: Sequence[Finding]) -> dict[str, Finding]:
    """Return the first finding with a witness of each direction; one of both directions is one of each."""
    examples: dict[str, Finding] = {}
    for finding in group:
        for direction, witness in finding.witnesses.items():
            examples.setdefault(direction, replace(finding, direction=direction, witness=witness))
        if not finding.witnesses and finding.direction and finding.witness is not NOTHING:
            examples.setdefault(finding.direction, finding)
    return examples


def _hurts(group: Sequence[Finding]) -> tuple[Hurt, ...]:
    """Return each service once per message; affected by both directions, it gets both witnesses."""
    by_message: dict[str | None, list[Finding]] = {}
    for finding in group:
        by_message.setdefault(finding.urn, []).append(finding)
    examples = {urn: _examples(findings) for urn, findings in by_message.items()}
    by_service: dict[Hashable, Hurt] = {}
    for finding in group:
        for hurt in finding.hurts:
            key = (hurt.service or hurt.does, hurt.role, hurt.urn)  # without a service each line is a sentence
            known = by_service.setdefault(key, hurt)
            if hurt.reads and known is not hurt:
                reads = tuple(dict.fromkeys([*(known.reads or ()), *hurt.reads]))
                by_service[key] = known = (known if known.reads else hurt)._replace(reads=reads)
            if known.does != hurt.does and len(examples[finding.urn]) > 1:
                by_service[key] = known._replace(does=_either(hurt.role, examples[finding.urn]))
    return tuple(by_service.values())


def _either(role: str, examples: dict[str, Finding]) -> str:
    if role == "consumer":
        return "refuses one of them"
    before, after = (_sent(examples[direction]) for direction in ("backward", "forward"))
    return f"sends {before} before, {after} after"


def _sent(example: Finding) -> str:
    """Return the witness in full, else the refused value alone where the path to it is long."""
    spelled = abbreviated(example.witness, example.instance, _WIDE)
    if len(spelled) <= _WIDER:
        return spelled
    value = value_at(example.witness, example.instance, _WIDE)
    return f"{value} at '{field_path(example.instance)}'" if example.instance else value


def _once(hurts: Iterable[Hurt]) -> list[Hurt]:
    """Return each service once, for any of the messages, with all changed fields that it reads."""
    by_service: dict[Hashable, Hurt] = {}
    for hurt in hurts:
        known = by_service.setdefault((hurt.service or hurt.does, hurt.role), hurt)
        if known.does == impact.SPARED != hurt.does:
            by_service[hurt.service or hurt.does, hurt.role] = hurt
        elif hurt.reads and known is not hurt:
            reads = tuple(dict.fromkeys([*(known.reads or ()), *hurt.reads]))
            by_service[hurt.service, hurt.role] = (known if known.reads else hurt)._replace(reads=reads)
    return list(by_service.values())


def _lines(lines: Iterable[str]) -> tuple[str, ...]:
    all_lines = tuple(lines)
    more = len(all_lines) - _MAX_LINES
    return all_lines if more <= 1 else (*all_lines[:_MAX_LINES], f"and {more} more; `--format json` lists all of them")


def _rollout(orders: Sequence[Rollout]) -> Rollout | None:
    sides = {order.side for order in orders}
    if len(sides) != 1 or "none" in sides:
        return Rollout("none") if sides else None
    first = dict.fromkeys(name for order in orders for name in order.first)
    then = dict.fromkeys(name for order in orders for name in order.then)
    return Rollout(sides.pop(), tuple(first), tuple(then))
