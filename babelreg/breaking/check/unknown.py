"""Findings of unknown verdicts: the keyword that cannot be decided, and what to write instead.

An unknown is bound to the part of the schemas it speaks of: the keyword, those it depends on, and the definitions that
these refer to. Its change id is a hash of that part, so a waiver holds until the part changes. An unknown between two
published versions is history as long as the part is the same.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.changes.waivers import change_id, part_id
from babelreg.breaking.check.verdicts import DirectionResult, Verdicts, definitions_of
from babelreg.breaking.rules import SEVERITIES, UNKNOWN
from babelreg.breaking.rules.rule import Change
from babelreg.containment.comparison import DirectionVerdict
from babelreg.containment.fields import field_path
from babelreg.containment.undecided import dependent_keywords
from babelreg.finding import NOTHING, Finding
from babelreg.load.yaml.emitter import spell
from babelreg.model import Message
from babelreg.schema import pointer as pointers
from babelreg.schema.pointer import Pointer, parse, text
from babelreg.schema.regex import parser as regex
from babelreg.schema.simplify import without_annotations

_MOST_SHOWN = 60
_UNPROVED = {"lookahead", "lookbehind", "backreference"}
_QUESTIONS = {
    "backward": "new readers accept old data",
    "forward": "published readers accept new data",
    "both": "the two versions accept each other's data",
}


def without_history(earlier: Pair, results: Sequence[DirectionResult], verdicts: Verdicts) -> list[DirectionResult]:
    """Return ``results`` without the unknowns about a part of which the newest version leaves the same unknown."""
    if not any(verdict.kind == "unknown" for _, verdict, _ in results):
        return list(results)
    published = replace(earlier, new=earlier.newest, newest=None)
    history = {(direction, _part_id(published, verdict)) for direction, verdict in _unknowns(verdicts.of(published))}
    return [
        (direction, verdict, witnesses)
        for direction, verdict, witnesses in results
        if verdict.kind != "unknown" or (direction, _part_id(earlier, verdict)) not in history
    ]


def unknown_findings(
    pair: Pair, results: Sequence[DirectionResult], breaks: Iterable[Change] = ()
) -> Iterator[Finding]:
    """Yield a finding for each unknown part: for both directions where they are about one.

    A part that one of ``breaks`` is about has a finding already: it breaks the other direction.
    """
    if pair.new is None:
        return
    reported = {change.new for change in breaks} | {change.old for change in breaks}
    by_part: dict[str, list[tuple[str, DirectionVerdict]]] = {}
    for direction, verdict in _unknowns(results):
        if not _is_reported(verdict, reported):
            by_part.setdefault(_part_id(pair, verdict), []).append((direction, verdict))
    for part, unknowns in by_part.items():
        direction, verdict = unknowns[0]
        yield _finding(pair, pair.new, part, "both" if len(unknowns) > 1 else direction, verdict)


def _unknowns(results: Iterable[DirectionResult]) -> Iterator[tuple[str, DirectionVerdict]]:
    return ((direction, verdict) for direction, verdict, _ in results if verdict.kind == "unknown")


def _is_reported(verdict: DirectionVerdict, reported: Collection[Pointer]) -> bool:
    ends = (verdict.pointer, verdict.against)
    return any(end is not None and tuple(parse(end)) in reported for end in ends)


def _finding(pair: Pair, new: Message, part: str, direction: str, verdict: DirectionVerdict) -> Finding:
    verdict = _placed(pair, verdict)
    pointer, against = (tuple(parse(end or "")) for end in (verdict.pointer, verdict.against))
    shared = new.origins.get(str(pointer[1])) if len(pointer) > 1 and pointer[0] == "$defs" else None
    where = text(new.located(pointer)[1]) if verdict.pointer is not None else None
    reason = "; ".join([verdict.reason or "", *_beyond_proof(pair, pointer, against)])
    waived = f"{shared.path}#{where}" if shared and where else where
    return Finding(
        UNKNOWN,
        SEVERITIES[UNKNOWN],
        f"whether {_QUESTIONS[direction]} is unknown: {reason}",
        new.place(pointer),
        urn=pair.urn,
        pointer=waived if shared else where,
        direction=direction,
        against=pair.old.place(against),
        reason=reason,
        fix=", or ".join(
            [*filter(None, [verdict.fix]), *_as_published(pair, verdict), pair.mint, _waiver(pair, part, waived)]
        ),
        change=part,
        witness=NOTHING,
    )


def _placed(pair: Pair, verdict: DirectionVerdict) -> DirectionVerdict:
    """Return ``verdict``; where it names no keyword, with the innermost one in which the two schemas differ."""
    if verdict.pointer is not None:
        return verdict
    differences = [difference for difference in pair.differences if difference.keywords]
    if not differences:
        steps = _first_difference(*pair.bare)
        steps = steps[: max((end for end, step in enumerate(steps, 1) if isinstance(step, str)), default=0)]
        keyword, at = (steps[-1], text(steps)) if steps else ("their keywords", None)
        return replace(verdict, pointer=at, against=at, reason=f"{verdict.reason}; the two differ in {keyword} here")
    innermost = max(differences, key=lambda difference: len(difference.place))
    keyword = innermost.keywords[0]
    where = f"'{field_path(innermost.place)}'" if innermost.place else "the data"
    return replace(
        verdict,
        pointer=text((*innermost.new, keyword)),
        against=text((*innermost.old, keyword)),
        reason=f"{verdict.reason}; the two differ in {keyword} of {where}",
    )


def _beyond_proof(pair: Pair, new: Pointer, old: Pointer) -> Iterator[str]:
    """Yield what in the patterns at ``new`` and ``old`` no proof can read."""
    if new[-1:] == ("pattern",) and pair.new is not None:
        patterns = (_at(pair.old.schema, old), _at(pair.new.schema, new))
        kinds = {use.kind for pattern in patterns if isinstance(pattern, str) for use in regex.parse(pattern).uses}
        yield from (f"the proof does not support a {kind} in a pattern" for kind in sorted(kinds & _UNPROVED))


def _first_difference(old: Any, new: Any) -> Pointer:
    """Return the pointer of the first value that both have and in which they differ."""
    pairs: Iterable[tuple[str | int, Any, Any]] = ()
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        pairs = ((key, old[key], new[key]) for key in new)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = zip(range(len(new)), old, new, strict=True)
    step = next(((at, before, after) for at, before, after in pairs if before != after), None)
    return () if step is None else (step[0], *_first_difference(*step[1:]))


def _as_published(pair: Pair, verdict: DirectionVerdict) -> Iterator[str]:
    """Yield how to keep the keyword as it is published, where that fits in a line."""
    if verdict.against is None or verdict.pointer is None:
        return
    keyword = parse(verdict.against)[-1]
    published = _at(pair.old.schema, tuple(parse(verdict.against)))
    if published is None:
        yield f"remove `{keyword}`"
    elif len(spelled := json.dumps(published, ensure_ascii=False)) <= _MOST_SHOWN:
        yield f"keep `{keyword}: {spelled}`"
    else:
        yield f"keep `{keyword}` as published"


def _waiver(pair: Pair, part: str, pointer: str | None) -> str:
    location = f"pointer: {spell(pointer)}, " if pointer is not None else ""
    name = "urn" if pair.new_registry.plain is None else "path"
    entry = f"{{rule: {UNKNOWN}, {name}: {spell(pair.urn)}, {location}change: {spell(part)}, reason: 'TODO: say why'}}"
    return f"accept it in `breaking: waivers:` with `- {entry}`"


def _part_id(pair: Pair, verdict: DirectionVerdict) -> str:
    """Return the hash of what ``verdict`` is about: of all data where it names no keyword."""
    if verdict.pointer is None or verdict.against is None or pair.new is None:
        return change_id(pair.old, pair.new)
    old, new = tuple(parse(verdict.against)), tuple(parse(verdict.pointer))
    return part_id(_part(pair.old.schema, old), _part(pair.new.schema, new))


def _part(schema: Any, pointer: Pointer) -> Any:
    bare = without_annotations(schema, formats=True)
    node = _at(bare, pointer[:-1])
    kept = dependent_keywords(str(pointer[-1]))
    part = {key: value for key, value in node.items() if key in kept} if isinstance(node, dict) else node
    return [part, definitions_of(bare, part)]


def _at(schema: Any, pointer: Pointer) -> Any:
    try:
        return pointers.find(schema, pointer)
    except KeyError:
        return None
