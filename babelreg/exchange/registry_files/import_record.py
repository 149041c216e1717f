"""The record of what imports wrote: the base of later merges. It lies beside the registry's settings; check it in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from babelreg.errors import InputError
from babelreg.exchange.schemas.units import definition_name
from babelreg.finding import Place
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Tree

RECORD = ".babelreg-import.json"
_MOST_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file that an import wrote: its ``value`` then, the ``source`` in the folder ``origin``.

    ``definitions`` are the schemas that a message holds itself: the name below ``$defs`` by source, "" for its root.
    """

    origin: str
    source: str
    value: Any
    definitions: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the members of an entry of the record."""
        entry = {"origin": self.origin, "source": self.source, "value": self.value}
        return {**entry, "definitions": dict(self.definitions)} if self.definitions else entry


def read_record(tree: Tree) -> dict[str, RecordedFile]:
    """Return the recorded files by path; none where there is no record.

    Raises InputError for one that cannot be read: without it, edits could not be told from what was imported.
    """
    try:
        stored = json.loads(tree.read(RECORD, _MOST_BYTES))
        return {
            path: RecordedFile(
                str(entry["origin"]),
                str(entry["source"]),
                entry["value"],
                {str(source): str(name) for source, name in entry.get("definitions", {}).items()},
            )
            for path, entry in stored["files"].items()
        }
    except FileNotFoundError:
        return {}
    except (Defect, ValueError, RecursionError, KeyError, TypeError, AttributeError) as err:
        line = err.lineno if isinstance(err, json.JSONDecodeError) else 1
        fix = "restore it from version control; after a merge conflict keep the lines of both sides"
        raise InputError("the record of imports cannot be read", place=Place(RECORD, line), fix=fix) from err


def render_record(files: Mapping[str, RecordedFile]) -> str:
    """Return the text of the record, a line for each file."""
    entries = [
        f"{json.dumps(path, ensure_ascii=False)}: {json.dumps(file.as_json(), ensure_ascii=False)}"
        for path, file in sorted(files.items())
    ]
    return '{"version": 1, "files": {\n' + ",\n".join(entries) + "\n}}\n"


def matched_sources(wanted: Mapping[str, str], known: Iterable[str]) -> dict[str, str]:
    """Return for each key of ``wanted`` the one of ``known`` that is its source, or the same schema in another place.

    Sources are paths, with ``#/pointer`` for a part. A file that was moved is the one with which it has the most
    folders in common at the end; a definition that was moved is the only one of its name in its file, or in all files.
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
    for naming in (_definition_of_file, _definition):
        _match_only(wanted, found, left, naming)
    return found


def _match_only(
    wanted: Mapping[str, str], found: dict[str, str], left: set[str], naming: Callable[[str], str | None]
) -> None:
    """Match what is still without a source by ``naming`` where that name is the only one on both sides."""
    waiting = {key: name for key, source in wanted.items() if key not in found and (name := naming(source))}
    offered = {source: name for source in left if (name := naming(source))}
    counted, by_name = Counter(waiting.values()), {name: source for source, name in offered.items()}
    repeated = {name for name, count in Counter(offered.values()).items() if count > 1}
    for key, name in waiting.items():
        if counted[name] == 1 and name in by_name and name not in repeated:
            found[key] = by_name[name]
            left.discard(by_name[name])


def _name(source: str) -> str:
    path, _, pointer = source.partition("#")
    return f"{path.rpartition('/')[2]}#{pointer}"


def _definition(source: str) -> str | None:
    name = definition_name(source.partition("#")[2])
    return name if name != "message" else None  # of any AsyncAPI channel


def _definition_of_file(source: str) -> str | None:
    name = _definition(source)
    return name and f"{source.partition('#')[0]}#{name}"


def _common_end(one: str, other: str) -> int:
    pairs = zip(reversed(one.partition("#")[0].split("/")), reversed(other.partition("#")[0].split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
