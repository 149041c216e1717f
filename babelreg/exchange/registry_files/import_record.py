"""The record of what imports wrote: the base of later merges. It lies beside the registry's settings; check it in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Tree

__all__ = ["RECORD", "RecordedFile", "matched_sources", "read_record", "render_record"]

RECORD = ".babelreg-import.json"
_MOST_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file that an import wrote: its ``value`` then, the ``source`` in the folder ``origin``."""

    origin: str
    source: str
    value: Any


def read_record(tree: Tree) -> dict[str, RecordedFile]:
    """Return the recorded files by path; none where there is no record, or it cannot be read."""
    try:
        stored = json.loads(tree.read(RECORD, _MOST_BYTES))
        return {
            path: RecordedFile(str(entry["origin"]), str(entry["source"]), entry["value"])
            for path, entry in stored["files"].items()
        }
    except (FileNotFoundError, Defect, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return {}


def render_record(files: Mapping[str, RecordedFile]) -> str:
    """Return the text of the record, a line for each file."""
    entries = [
        f"{json.dumps(path, ensure_ascii=False)}: "
        + json.dumps({"origin": file.origin, "source": file.source, "value": file.value}, ensure_ascii=False)
        for path, file in sorted(files.items())
    ]
    return '{"version": 1, "files": {\n' + ",\n".join(entries) + "\n}}\n"


def matched_sources(wanted: Mapping[str, str], known: Iterable[str]) -> dict[str, str]:
    """Return for each key of ``wanted`` the one of ``known`` that is its source, or the same file in another folder.

    Sources are paths, with ``#/pointer`` for a part. A file that was moved is the one with which it has the most
    folders in common at the end.
    """
    known = set(known)
    found = {key: source for key, source in wanted.items() if source in known}
    left = known - set(found.values())
    by_name: dict[str, list[str]] = {}
    for source in sorted(left):
        by_name.setdefault(_name(source), []).append(source)
    for key, source in wanted.items():
        others = [other for other in by_name.get(_name(source), ()) if other in left]
        if key not in found and others:
            best = max(others, key=lambda other: _common_end(source, other))
            found[key] = best
            left.discard(best)
    return found


def _name(source: str) -> str:
    path, _, pointer = source.partition("#")
    return f"{path.rpartition('/')[2]}#{pointer}"


def _common_end(one: str, other: str) -> int:
    pairs = zip(reversed(one.partition("#")[0].split("/")), reversed(other.partition("#")[0].split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
