"""Traffic counts by URN, and findings for messages that are removed or retired while they are still sent.

A file of counts is a JSON object (``{"urn:babel:orders:created": 1204}``), a list or lines of JSON objects
(``{"urn": …, "count": …}``), or CSV with the columns ``urn`` and ``count``. Counts of a URN that occurs several times
are added up. They may come from a broker, a log or the lake.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from babelreg.breaking.check.grouping import by_importance
from babelreg.errors import InputError, UsageError
from babelreg.finding import Finding, Place
from babelreg.load.files.defect import Defect
from babelreg.load.registry.document import decode
from babelreg.model import Registry
from babelreg.plural import counted
from babelreg.suggest import closest

_RULE = "urn-removed"
_MAX_BYTES = 64 << 20
_FIX = (
    "pass the report of `babelreg impact PATH --format json --output impact.json`; or an object {URN: COUNT}, "
    'lines of {"urn": …, "count": …}, or CSV with the columns urn,count'
)


def read(path: Path) -> Mapping[str, int]:
    """Return the counts in ``path``, by URN.

    Raises InputError with the line for any other file format.
    """
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)
    except OSError as err:
        raise InputError(f"cannot be read: {err.strerror or err}", place=Place(str(path)), fix=_FIX) from err
    if len(body) > _MAX_BYTES:
        raise InputError(f"is larger than {_MAX_BYTES >> 20} MiB", place=Place(str(path)), fix="sum up by URN first")
    try:
        text = decode(body)
    except Defect as defect:
        place = Place(str(path), defect.line, defect.column)
        raise InputError(defect.message, place=place, fix=defect.fix_of(str(path))) from defect
    totals: dict[str, int] = {}
    for line, urn, count in _rows(text, path):
        if not isinstance(urn, str) or isinstance(count, bool) or not isinstance(count, int) or count < 0:
            found = f": {urn!r:.80}, {count!r:.40}" if urn is not None else ", because it has no member `urn`"
            message = f"this is not a URN with a count of 0 or more{found}"
            raise InputError(message, place=Place(str(path), line, 1 if line else 0), fix=_FIX)
        totals[urn] = totals.get(urn, 0) + count
    return totals


def unknown_urns(seen: Mapping[str, int], declared: Collection[str]) -> Sequence[str]:
    """Return the URNs in ``seen`` that neither registry declares. Raises UsageError where that is all of them."""
    unknown = [urn for urn in seen if urn not in declared]
    if unknown and len(unknown) == len(seen):
        near = closest(unknown[0], declared)
        fix = f"did you mean {near}?" if near else "write URNs in full, such as urn:babel:orders:created"
        raise UsageError(f"--traffic: neither registry declares any of its URNs, such as {unknown[0]!r:.80}", fix=fix)
    return unknown


def refused(findings: Iterable[Finding], old: Registry, new: Registry, seen: Mapping[str, int]) -> list[Finding]:
    """Return ``findings``, and one for each message of ``old`` that ``new`` retires or removes though it was ``seen``.

    Messages that were seen under an alias count. Where a finding already reports the removal, the count is added to it.
    Waivers have no effect here: they accept a change, not the loss of messages.
    """
    result = list(findings)
    removals = {finding.urn: at for at, finding in enumerate(result) if finding.rule == _RULE}
    for message in old.messages:
        now, count = new.by_urn.get(message.urn), sum(seen.get(name, 0) for name in {message.urn, *message.aliases})
        if not count or not message.published or (now is not None and now.status != "retired"):
            continue
        line = f"{counted(count, 'message')} of it {'was' if count == 1 else 'were'} seen"
        if message.urn in removals:
            at = removals[message.urn]
            result[at] = replace(result[at], breaks=(*result[at].breaks, line))
        elif now is not None:
            place, before = now.source.place(("status",)), message.source.place(("status",))
            result.append(_still_sent(message.urn, "retired", place, before, line))
        else:
            path = message.source.path
            result.append(_still_sent(message.urn, "removed", Place(path), message.source.place(), line))
    return by_importance(result)


def _still_sent(urn: str, what: str, place: Place, against: Place, line: str) -> Finding:
    from babelreg.breaking.rules import SEVERITIES

    message = f"{urn} was {what} while it is still sent"
    pointer = "/status" if what == "retired" else None
    fix = "keep it deprecated with a sunset until nothing is sent any longer"
    return Finding(
        _RULE, SEVERITIES[_RULE], message, place, urn=urn, pointer=pointer, fix=fix, against=against, breaks=(line,)
    )


def _rows(text: str, path: Path) -> Iterator[tuple[int, Any, Any]]:
    """Yield line, URN and count of each row, unchecked."""
    start = text.lstrip()[:1]
    if start in ("{", "["):
        yield from _json(text, path)
        return
    for line, row in enumerate(csv.reader(text.splitlines()), 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and [cell.lower() for cell in cells[:2]] == ["urn", "count"]):
            continue
        count = cells[1] if len(cells) > 1 else ""
        yield line, cells[0], int(count) if count.isascii() and count.isdigit() and len(count) < 20 else count


def _json(text: str, path: Path) -> Iterator[tuple[int, Any, Any]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield from _json_lines(text, path)
        return
    if isinstance(value, dict) and not value.keys() >= {"urn", "count"}:
        yield from ((0, urn, count) for urn, count in value.items())
        return
    for item in value if isinstance(value, list) else [value]:
        yield 0, *_named(item)


def _json_lines(text: str, path: Path) -> Iterator[tuple[int, Any, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, *_named(json.loads(line))
        except (ValueError, RecursionError) as err:
            raise InputError("this line is not JSON", place=Place(str(path), number, 1), fix=_FIX) from err


def _named(item: Any) -> Sequence[Any]:
    return (item.get("urn"), item.get("count")) if isinstance(item, dict) else (item, None)
