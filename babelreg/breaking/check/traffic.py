"""How often each URN was seen on the wire, and what must not be retired because of it.

A file of counts is a JSON object (``{"urn:babel:orders:created": 1204}``), a list or lines of JSON objects
(``{"urn": …, "count": …}``), or CSV with the columns ``urn`` and ``count``. A URN that stands there twice is counted
twice. Where the counts come from is not known here: a broker, a log, the lake.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from babelreg.breaking.check.grouping import by_importance
from babelreg.errors import InputError
from babelreg.finding import Finding, Place
from babelreg.load.files.defect import Defect
from babelreg.load.registry.document import decode
from babelreg.model import Registry

__all__ = ["read", "refused"]

_RULE = "urn-removed"
_MOST_BYTES = 64 << 20
_FIX = 'write a JSON object {URN: COUNT}, lines of {"urn": …, "count": …}, or CSV with the columns urn,count'


def read(path: Path) -> Mapping[str, int]:
    """The counts in ``path``, by URN.

    Raises InputError with the line where it is none of the three.
    """
    try:
        with path.open("rb") as file:
            body = file.read(_MOST_BYTES + 1)
    except OSError as err:
        raise InputError(f"cannot be read: {err.strerror or err}", place=Place(str(path)), fix=_FIX) from err
    if len(body) > _MOST_BYTES:
        raise InputError(f"is larger than {_MOST_BYTES >> 20} MiB", place=Place(str(path)), fix="sum up by URN first")
    try:
        text = decode(body)
    except Defect as defect:
        place = Place(str(path), defect.line, defect.column)
        raise InputError(defect.message, place=place, fix=defect.fix) from defect
    totals: dict[str, int] = {}
    for line, urn, count in _rows(text, path):
        if not isinstance(urn, str) or isinstance(count, bool) or not isinstance(count, int) or count < 0:
            said = f"this is no URN with a count of 0 or more: {urn!r:.80}, {count!r:.40}"
            raise InputError(said, place=Place(str(path), line, 1 if line else 0), fix=_FIX)
        totals[urn] = totals.get(urn, 0) + count
    return totals


def refused(findings: Iterable[Finding], old: Registry, new: Registry, seen: Mapping[str, int]) -> list[Finding]:
    """``findings``, and one for each message of ``old`` that is retired or gone in ``new`` though it was ``seen``.

    Where a finding says that it is gone already, the count is added to it. No waiver hides what was seen: it accepts a
    change, not that messages get lost.
    """
    kept = list(findings)
    known = {finding.urn: at for at, finding in enumerate(kept) if finding.rule == _RULE}
    for message in old.messages:
        now, count = new.by_urn.get(message.urn), seen.get(message.urn, 0)
        if not count or not message.published or (now is not None and now.status != "retired"):
            continue
        line = f"{count:,} message{'' if count == 1 else 's'} of it {'was' if count == 1 else 'were'} seen"
        if message.urn in known:
            at = known[message.urn]
            kept[at] = replace(kept[at], breaks=(*kept[at].breaks, line))
        elif now is not None:
            place, before = now.source.place(("status",)), message.source.place(("status",))
            kept.append(_still_sent(message.urn, "retired", place, before, line))
        else:
            path = message.source.path
            kept.append(_still_sent(message.urn, "removed", Place(path), message.source.place(), line))
    return by_importance(kept)


def _still_sent(urn: str, what: str, place: Place, against: Place, line: str) -> Finding:
    from babelreg.breaking.rules import SEVERITIES

    said = f"{urn} was {what} while it is still sent"
    pointer = "/status" if what == "retired" else None
    fix = "let it be deprecated with a sunset until nothing is sent any more"
    return Finding(
        _RULE, SEVERITIES[_RULE], said, place, urn=urn, pointer=pointer, fix=fix, against=against, breaks=(line,)
    )


def _rows(text: str, path: Path) -> Iterator[tuple[int, Any, Any]]:
    """Line, URN and count of each row, not looked at yet."""
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
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from _json_lines(text, path)
        return
    if isinstance(whole, dict) and not whole.keys() >= {"urn", "count"}:
        yield from ((0, urn, count) for urn, count in whole.items())
        return
    for item in whole if isinstance(whole, list) else [whole]:
        yield 0, *_named(item)


def _json_lines(text: str, path: Path) -> Iterator[tuple[int, Any, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, *_named(json.loads(line))
        except (ValueError, RecursionError) as err:
            raise InputError("this line is no JSON", place=Place(str(path), number, 1), fix=_FIX) from err


def _named(item: Any) -> Sequence[Any]:
    return (item.get("urn"), item.get("count")) if isinstance(item, dict) else (item, None)
