"""Choice of the schemas that become messages: files, branches of a union, or the places that a pattern names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

from babelreg.exchange.schemas.identifiers import IdentifierIndex, Target
from babelreg.exchange.schemas.resolution import ResolvedReferences
from babelreg.exchange.schemas.units import marker_number
from babelreg.exchange.sources.schema_detection import only_defines
from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS, UNIONS
from babelreg.schema.pointer import text

_BESIDE_UNION = frozenset({*DEFINITIONS, *ANNOTATIONS, "$schema", "$id", "id", "discriminator"})


def choose_roots(index: IdentifierIndex, resolved: ResolvedReferences, named: set[str]) -> list[Target]:
    """Return a root for each file, unless it only holds definitions or others refer to it as a whole.

    A file whose root is a union of references stands for their targets. ``named`` are the paths of files that were
    given one by one: they are roots also where others refer to them.
    """
    branches = {number: _branches(index, resolved, number) for number in range(len(index.files))}
    unions = {number: targets for number, targets in branches.items() if targets}
    referred = {
        resolved.targets[marker][0]
        for file, marker in resolved.links
        if marker not in resolved.faults and resolved.targets[marker][1] == "" and file not in unions
        if resolved.targets[marker][0] != file
    }
    roots: dict[Target, None] = {}
    for number, file in enumerate(index.files):
        if () not in file.entries or file.document.shown.startswith("http"):
            continue
        if number in unions:
            roots.update(dict.fromkeys(unions[number]))
        elif not only_defines(file.value) and (number not in referred or file.document.path in named):
            roots[number, ""] = None
    return list(roots)


def unused_files(index: IdentifierIndex, resolved: ResolvedReferences, roots: Iterable[Target]) -> Iterator[int]:
    """Yield the files that hold none of ``roots``, and to which no reference from them leads."""
    used = _reached(_below(resolved), [number for number, _ in roots])
    yield from (number for number in range(len(index.files)) if number not in used)


def complete_roots(resolved: ResolvedReferences, roots: Iterable[Target]) -> Iterator[Target]:
    """Yield those of ``roots`` from whose files no reference leads nowhere."""
    below, faulty = _below(resolved), {file for file, marker in resolved.links if marker in resolved.faults}
    yield from (root for root in roots if faulty.isdisjoint(_reached(below, [root[0]])))


def _below(resolved: ResolvedReferences) -> dict[int, set[int]]:
    """Return the files to which the references of each file lead."""
    below: dict[int, set[int]] = {}
    for file, marker in resolved.links:
        if marker not in resolved.faults:
            below.setdefault(file, set()).add(resolved.targets[marker][0])
    return below


def _reached(below: dict[int, set[int]], files: list[int]) -> set[int]:
    reached: set[int] = set()
    waiting = list(files)
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting += below.get(number, ())
    return reached


def _branches(index: IdentifierIndex, resolved: ResolvedReferences, number: int) -> list[Target]:
    """Return the targets of a root that is nothing but a union of references."""
    schema = index.files[number].value
    if not isinstance(schema, dict):
        return []
    unions = [keyword for keyword in UNIONS if keyword in schema]
    others = schema.keys() - _BESIDE_UNION - set(unions)
    if len(unions) != 1 or not (others <= {"type"} and schema.get("type", "object") == "object"):
        return []
    branches = schema[unions[0]]
    if not isinstance(branches, list) or not branches:
        return []
    targets = [_referred(branch, resolved) for branch in branches]
    return [target for target in targets if target is not None] if all(targets) else []


def _referred(branch: Any, resolved: ResolvedReferences) -> Target | None:
    marker = marker_number(branch)
    if marker is None or marker in resolved.faults or branch.keys() - ANNOTATIONS != {"$ref"}:
        return None
    return resolved.targets[marker]


def matching_pointers(value: Any, patterns: Sequence[str]) -> Iterator[tuple[str | int, ...]]:
    """Yield the pointers of the mappings in ``value`` that one of ``patterns`` matches, such as ``#/$defs/*Event``.

    ``*`` stands for any part of one step.
    """
    wanted = [pattern.removeprefix("#").strip("/").split("/") for pattern in patterns]
    waiting: list[tuple[tuple[str | int, ...], Any, list[list[str]]]] = [((), value, wanted)]
    while waiting:
        at, node, left = waiting.pop(0)
        if isinstance(node, dict) and [] in left:
            yield at
        if not isinstance(node, dict):
            continue
        for key, item in node.items():
            spelled = text((key,))[1:]
            below = [steps[1:] for steps in left if steps and fnmatchcase(spelled, steps[0])]
            if below:
                waiting.append(((*at, key), item, below))
