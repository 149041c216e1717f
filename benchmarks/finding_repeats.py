"""How often `babelreg breaking` says one thing twice: ``python benchmarks/finding_repeats.py HISTORIES... [options]``.

HISTORIES are files that ``tools/schema_histories.py`` writes, or pairs of versions as JSON lines with ``source``, ``id``,
``draft``, ``old`` and ``new``; of a folder, all its ``*.jsonl`` files. Each schema becomes the one message of a registry
in git, with a commit for each version; each version that differs is compared with those before it under the default
settings. Then one edit of the new schema is undone at a time:

- errors that vanish together belong to that edit, and all but the first are repeats;
- an edit whose undoing turns a breaking verdict, lets no error vanish and takes no direction from one is a miss.

An edit is the smallest part of a schema that an author changes: a keyword, a property, a name among those required, a
value of an enumeration; a property that comes or goes with its name among those required is one edit, and so are a node
of another type with everything below it, the properties that one object gains, and the names that its ``required`` gains
or loses. An edit that another file of the
same source has had is measured once. With ``--read``, a number, that many findings follow as a terminal of 80 columns shows
them, drawn evenly over the rules: what cannot be understood only a reader can say. ``--most`` is the number of revisions
of one source, so that none outweighs the others. ``--results`` is a file that gets each revision once it is measured;
those that are in it are not measured again.

An edit whose undoing leaves the witnesses of all errors but one, and of the verdict, as they are can be neither: only
the others are compared again in full.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import subprocess
import tempfile
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import machine

from babelreg import load
from babelreg.breaking.baseline.blob_trees import CommitTree
from babelreg.breaking.baseline.repository import Repository
from babelreg.breaking.baseline.versions import PublishedVersions
from babelreg.breaking.check import run
from babelreg.breaking.check.verdicts import Verdicts
from babelreg.containment import compare
from babelreg.containment.second_validator import second_validator
from babelreg.containment.validator import SchemaValidator
from babelreg.contract import views
from babelreg.errors import SchemaError
from babelreg.finding import Finding, Severity
from babelreg.load.files.tree import Memory
from babelreg.model import Registry
from babelreg.report import render
from babelreg.schema.dialects import identify
from babelreg.schema.simplify import without_annotations

BARS = {"repeats": 0.01, "misses": 0}
MOST_EDITS = 40
MOST_REVISIONS = 40
OLDER = 4
"""Versions before the one that a revision changes."""
OF_OLDER = "published it"
"""The end of the message of a finding about an older version."""
SEVERAL = "\n"
"""Joins the names of an edit that is about several."""
COLUMNS = 80
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019, DRAFT_2020 = (f"https://json-schema.org/draft/{year}/schema" for year in ("2019-09", "2020-12"))
PATH = "orders/created.yaml"
AROUND = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "_services/orders-api.yaml": "owner: team-orders\nlang: go\n",
    "_services/billing-worker.yaml": "owner: team-billing\nlang: python\n",
}
HEAD = "urn: urn:babel:orders:created\nkind: event\nproducers: [orders-api]\nconsumers: [billing-worker]\ndata: "
MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTS_OF_NAMES = ("required", "enum")
Pointer = tuple[str | int, ...]
Sides = dict[str, tuple[SchemaValidator, SchemaValidator]]
"""For each direction the validators of the side that sends and of the side that reads."""


@dataclass
class Revision:
    """What one revision of a schema shows."""

    name: str
    errors: int = 0
    edits: int = 0
    repeats: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    skipped: str = ""


def files(schema: Any) -> dict[str, str]:
    """The files of a registry whose only message has ``schema``."""
    return {**AROUND, PATH: HEAD + json.dumps(schema, indent=1) + "\n"}


def registry(schema: Any) -> Registry:
    """One message whose ``data`` is ``schema``."""
    return load.from_tree(Memory({path: text.encode() for path, text in files(schema).items()}))


def published(folder: Path, schemas: list[Any]) -> Repository:
    """A repository with a commit for each of ``schemas``."""
    stream = []
    for number, schema in enumerate(schemas):
        head = f"commit refs/heads/main\ncommitter A <a@example.com> {1_700_000_000 + number * 600} +0000\ndata 1\n.\n"
        stream.append(head)
        for path, text in files(schema).items():
            stream.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    command = ["git", "-C", str(folder), "-c", "core.autocrlf=false", "fast-import", "--quiet"]
    subprocess.run(command, input="".join(stream).encode(), check=True)
    return Repository(folder)


def edits(old: Any, new: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Yield each edit: a place in ``new``, and how ``new`` is with what ``old`` has there."""
    if not (isinstance(old, dict) and isinstance(new, dict)) or _of_another_type(old, new):
        if json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):
            yield at, copy.deepcopy(old)
        return
    paired = _paired(old, new)
    for pointer, undone in _edits(old, new, at):
        rest = pointer[len(at) :]
        if rest[:1] == ("properties",) and len(rest) == 2:
            names = paired & set(str(rest[1]).split(SEVERAL))
            required = [name for name in new.get("required", ()) if name not in names]
            required += [name for name in old.get("required", ()) if name in names]
            undone = _put(undone, "required", required or None) if names else undone
        yield pointer, undone


def _paired(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    """Return the properties that came or went together with their names among those required."""
    listed = [schema.get("properties") or {} for schema in (old, new)]
    required = [set(map(str, schema.get("required") or ())) for schema in (old, new)]
    came = (listed[1].keys() - listed[0].keys()) & (required[1] - required[0])
    return came | (listed[0].keys() - listed[1].keys()) & (required[0] - required[1])


def _edits(old: Any, new: Any, at: Pointer) -> Iterator[tuple[Pointer, Any]]:
    for key in dict.fromkeys([*new, *old]):
        if key in LISTS_OF_NAMES and isinstance(old.get(key, []), list) and isinstance(new.get(key, []), list):
            yield from (_of_required if key == "required" else _of_list)(old, new, key, at)
        elif key not in old:
            if key in MAPS:
                for pointer, undone in _of_map({}, new[key], (*at, key)):
                    yield pointer, _put(new, key, undone)
            else:
                yield (*at, key), _without(new, key)
        elif key not in new:
            yield (*at, key), {**new, key: copy.deepcopy(old[key])}
        elif key in MAPS and isinstance(old[key], dict) and isinstance(new[key], dict):
            for pointer, undone in _of_map(old[key], new[key], (*at, key)):
                yield pointer, {**new, key: undone}
        elif isinstance(old[key], dict) and isinstance(new[key], dict):
            for pointer, undone in edits(old[key], new[key], (*at, key)):
                yield pointer, {**new, key: undone}
        elif _same_length(old[key], new[key]) and key in ("anyOf", "oneOf", "allOf", "prefixItems", "items"):
            for index, (before, after) in enumerate(zip(old[key], new[key], strict=True)):
                for pointer, undone in edits(before, after, (*at, key, index)):
                    yield pointer, {**new, key: [*new[key][:index], undone, *new[key][index + 1 :]]}
        elif json.dumps(old[key], sort_keys=True) != json.dumps(new[key], sort_keys=True):
            yield (*at, key), {**new, key: copy.deepcopy(old[key])}


def _of_map(old: Any, new: Any, at: Pointer) -> Iterator[tuple[Pointer, Any]]:
    gained = [name for name in new if name not in old] if at[-1] == "properties" else []
    if gained:
        yield (*at, SEVERAL.join(gained)), {name: value for name, value in new.items() if name in old}
    for name in dict.fromkeys([*new, *old]):
        if name in gained:
            continue
        if name not in old:
            yield (*at, name), _without(new, name)
        elif name not in new:
            yield (*at, name), {**new, name: copy.deepcopy(old[name])}
        else:
            for pointer, undone in edits(old[name], new[name], (*at, name)):
                yield pointer, {**new, name: undone}


def _of_required(old: Any, new: Any, key: str, at: Pointer) -> Iterator[tuple[Pointer, Any]]:
    """Yield the names that ``required`` gains as one edit, those that it loses as another; without paired ones."""
    before, after, paired = old.get(key, []), new.get(key, []), _paired(old, new)
    gained = [name for name in after if name not in before and name not in paired]
    lost = [name for name in before if name not in after and name not in paired]
    if gained:
        undone = [name for name in after if name not in gained]
        yield (*at, key, SEVERAL.join(map(str, gained))), _put(new, key, undone or None)
    if lost:
        yield (*at, key, SEVERAL.join(map(str, lost))), {**new, key: [*after, *lost]}


def _of_list(old: Any, new: Any, key: str, at: Pointer) -> Iterator[tuple[Pointer, Any]]:
    if key == "enum" and (key not in old or key not in new or not [v for v in old[key] if v in new[key]]):
        if json.dumps(old.get(key), sort_keys=True) != json.dumps(new.get(key), sort_keys=True):
            yield (*at, key), _put(new, key, copy.deepcopy(old.get(key)))
        return
    before, after = old.get(key, []), new.get(key, [])
    for item in after:
        if item not in before:
            yield (*at, key, str(item)), _put(new, key, [other for other in after if other != item] or None)
    for item in before:
        if item not in after:
            yield (*at, key, str(item)), {**new, key: [*after, item]}


def _of_another_type(old: dict[str, Any], new: dict[str, Any]) -> bool:
    return "type" in old and "type" in new and not (_types(old) & _types(new))


def _types(schema: dict[str, Any]) -> set[str]:
    types = schema["type"]
    return set(types) if isinstance(types, list) else {str(types)}


def _same_length(old: Any, new: Any) -> bool:
    return isinstance(old, list) and isinstance(new, list) and len(old) == len(new)


def _without(mapping: Any, key: str) -> Any:
    return {name: value for name, value in mapping.items() if name != key}


def _put(mapping: Any, key: str, value: Any) -> Any:
    return _without(mapping, key) if value is None else {**mapping, key: value}


def vanished(before: list[Finding], after: list[Finding]) -> list[Finding]:
    """The errors of ``before`` that ``after`` lacks, however they are worded there and wherever their keyword is.

    A property that one finding about several lists there is not lacking.
    """
    exact = Counter((finding.rule, finding.pointer, finding.message) for finding in after)
    missing = []
    for finding in before:
        key = (finding.rule, finding.pointer, finding.message)
        if exact[key]:
            exact[key] -= 1
        else:
            missing.append(finding)
    reworded = Counter((rule, pointer) for (rule, pointer, _), count in exact.items() for _ in range(count))
    missing = [finding for finding in missing if not _take(reworded, (finding.rule, finding.pointer))]
    listed = {(finding.rule, name) for finding in after if finding.properties for name in finding.properties.names}
    missing = [
        finding
        for finding in missing
        if finding.properties is None or not all((finding.rule, name) in listed for name in finding.properties.names)
    ]
    moved = Counter((rule, message) for (rule, _, message), count in exact.items() for _ in range(count))
    return [finding for finding in missing if not _take(moved, (finding.rule, finding.message))]


def _directions(findings: list[Finding]) -> Counter[tuple[str, str | None, str | None]]:
    return Counter((finding.rule, finding.pointer, finding.direction) for finding in findings)


def _take(counter: Counter[Any], key: Any) -> bool:
    counter[key] -= 1
    return counter[key] >= 0


def measured(name: str, repository: Repository, commit: str, old: Any, new: Any) -> Revision:
    """Compare ``new`` with what is published up to ``commit``, and undo its edits one by one."""
    revision, verdicts = Revision(name), Verdicts(second_validator())
    before = registry(old)
    if before.defects:
        return Revision(name, skipped=before.defects[0].message)

    def errors_of(schema: Any, *, older: bool = True) -> list[Finding] | str:
        after = registry(schema)
        if after.defects:
            return after.defects[0].message
        past = PublishedVersions(CommitTree(repository, commit)) if older else None
        with patch.object(run, "Verdicts", return_value=verdicts):  # those of older versions are always the same
            findings = run.check(before, after, past=past, second_validator=second_validator())
        return [finding for finding in findings if finding.severity is Severity.ERROR]

    errors = errors_of(new)
    if isinstance(errors, str):
        return Revision(name, skipped=errors)
    revision.errors = len(errors)
    revision.texts = [(finding.rule, render([finding], "text")) for finding in errors]
    verdict = compare(old, new, formats="asserted")
    of_older = any(finding.message.endswith(OF_OLDER) for finding in errors)
    repeated: dict[int, str] = {}
    for at, undone in _some(list(edits(old, new))):
        revision.edits += 1
        validators = _views(old, undone)
        turned = _turned(verdict, undone, old, validators)
        if not turned and sum(not _still_broken(finding, validators) for finding in errors) < 2:
            continue  # neither a repeat nor a miss
        remaining = errors_of(undone, older=of_older)
        if isinstance(remaining, str):
            continue
        gone = vanished(errors, remaining)
        for finding in gone[1:]:
            first = f"{gone[0].rule} {gone[0].pointer}: {gone[0].message}"
            text = f"{'/'.join(map(str, at))}\n    {first}\n    {finding.rule} {finding.pointer}: {finding.message}"
            repeated.setdefault(id(finding), text)
        if turned and not gone and _directions(errors) == _directions(remaining):
            revision.misses.append(f"{'/'.join(map(str, at))} of {len(errors)} errors")
    revision.repeats = list(repeated.values())
    return revision


def _turned(before: Any, undone: Any, old: Any, validators: Sides) -> bool:
    """Return True where the verdict ``before`` was breaking in a direction in which it is not with ``undone``."""
    verdicts = {"backward": before.backward, "forward": before.forward}
    broken = {direction: verdict for direction, verdict in verdicts.items() if verdict.kind == "breaking"}
    if all(_shows(validators, direction, verdict.witness) for direction, verdict in broken.items()):
        return False
    after = compare(old, undone, formats="asserted")
    pairs = ((before.backward, after.backward), (before.forward, after.forward))
    return any(one.kind == "breaking" and other.kind == "compatible" for one, other in pairs)


def _views(old: Any, new: Any) -> Sides:
    """Return for each direction the validators of the side that sends and of the side that reads; empty without one."""
    try:
        dialect = identify(new)
        sides = [views.both(without_annotations(schema, formats=True), "tolerant", dialect) for schema in (old, new)]
        before, after = [
            [SchemaValidator(view, dialect, formats=True) for view in (side.producer, side.reader)] for side in sides
        ]
    except SchemaError:
        return {}
    return {"backward": (before[0], after[1]), "forward": (after[0], before[1])}


def _still_broken(finding: Finding, validators: Sides) -> bool:
    """Return True where a witness of ``finding`` still shows a break, so that undoing an edit did not remove it."""
    if finding.parts:
        return any(_still_broken(part, validators) for part in finding.parts)
    if finding.message.endswith(OF_OLDER):
        return False  # of another version
    witnesses = finding.witnesses or {finding.direction: finding.witness}
    return any(_shows(validators, direction, witness) for direction, witness in witnesses.items() if direction)


def _shows(validators: Sides, direction: str, witness: Any) -> bool:
    if direction not in validators:
        return False
    sender, reader = validators[direction]
    return sender.accepts(witness) and reader.refuses(witness)


def _some(every: list[Any]) -> list[Any]:
    return every if len(every) <= MOST_EDITS else random.Random(1).sample(every, MOST_EDITS)


def of_revision(line: str, number: int) -> Revision:
    """Measure version ``number`` of one schema."""
    history = json.loads(line)
    versions = [version["schema"] for version in history["versions"]]
    name = _name(history, number)
    with tempfile.TemporaryDirectory() as folder:
        repository = published(Path(folder) / "registry", versions[max(0, number - 1 - OLDER) : number])
        head = repository.run("rev-parse", "main").decode().strip()
        return measured(name, repository, head, versions[number - 1], versions[number])


def _name(history: dict[str, Any], number: int) -> str:
    return f"{history['source']} {history['path']} {history['versions'][number]['revision']}"


def chosen_revisions(lines: list[str], most: int) -> list[tuple[str, int]]:
    """The revisions to measure: those that change more than annotations, and each edit once in a source."""
    seen: dict[str, set[str]] = defaultdict(set)
    number: Counter[str] = Counter()
    rows = []
    for line in random.Random(1).sample(lines, len(lines)):
        history = json.loads(line)
        source = history["source"]
        bare = [without_annotations(version["schema"], formats=True) for version in history["versions"]]
        for at in range(1, len(bare)):
            made = sorted(f"{pointer[-2:]}" for pointer, _ in edits(bare[at - 1], bare[at]))
            key = json.dumps(made)
            if made and key not in seen[source] and number[source] < most:
                seen[source].add(key)
                number[source] += 1
                rows.append((line, at))
    return rows


def main() -> None:
    """Print what is measured, and the texts to read."""
    parser = argparse.ArgumentParser()
    parser.add_argument("histories", type=Path, nargs="+")
    parser.add_argument("--read", type=int, default=0)
    parser.add_argument("--most", type=int, default=MOST_REVISIONS)
    parser.add_argument("--results", type=Path)
    given = parser.parse_args()
    rows = chosen_revisions(list(lines_of(given.histories)), given.most)
    revisions = list(measured_rows(rows, given.results))
    report(revisions)
    show(revisions, given.read)


def lines_of(sources: list[Path]) -> Iterator[str]:
    """Yield the histories in files and folders, one a line."""
    for source in sources:
        for file in sorted(source.glob("*.jsonl")) if source.is_dir() else [source]:
            yield from map(_history, file.read_text("utf-8").splitlines())


def _history(line: str) -> str:
    """Return a history as it is, and a pair as a history of two versions."""
    row = json.loads(line)
    if "versions" in row:
        return line
    dialect = {"draft2020-12": DRAFT_2020, "draft2019-09": DRAFT_2019}.get(row["draft"], DRAFT_7)
    versions = [
        {"revision": revision, "schema": {"$schema": dialect, **_without(row[revision], "$schema")}}
        for revision in ("old", "new")
        if isinstance(row[revision], dict)
    ]
    return json.dumps({"source": row["source"], "path": row["id"].replace(" ", "_"), "versions": versions})


def measured_rows(rows: list[tuple[str, int]], results: Path | None) -> Iterator[Revision]:
    """Yield the revisions of ``rows``, from ``results`` or measured now and added to it."""
    known = (
        [json.loads(line) for line in results.read_text("utf-8").splitlines()] if results and results.exists() else []
    )
    by_name = {each["name"]: Revision(**each) for each in known}
    names = {_name(json.loads(line), number): (line, number) for line, number in rows}
    yield from (by_name[name] for name in names if name in by_name)
    waiting = [row for name, row in names.items() if name not in by_name]
    with ProcessPoolExecutor(2) as pool:
        for revision in pool.map(of_revision, *zip(*waiting, strict=True)) if waiting else ():
            if results:
                with results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(revision)) + "\n")
            yield revision


def report(revisions: list[Revision]) -> None:
    """Print the figures of each source, and every repeat and miss."""
    by_source: dict[str, list[Revision]] = defaultdict(list)
    for revision in revisions:
        by_source[revision.name.split()[0]].append(revision)
    print(machine.described())
    print(f"{'source':44} {'revisions':>9} {'skipped':>7} {'edits':>6} {'errors':>6} {'repeats':>7} {'misses':>6}")
    for source, group in [*sorted(by_source.items()), ("all", revisions)]:
        taken = [revision for revision in group if not revision.skipped]
        errors, repeats = sum(r.errors for r in taken), sum(len(r.repeats) for r in taken)
        edited, misses = sum(r.edits for r in taken), sum(len(r.misses) for r in taken)
        skipped = len(group) - len(taken)
        print(f"{source:44} {len(taken):9} {skipped:7} {edited:6} {errors:6} {repeats:7} {misses:6}")
    share = repeats / max(errors, 1)
    print(f"repeats {share:.1%} (bar {BARS['repeats']:.0%}), misses {misses} (bar {BARS['misses']})")
    for revision in revisions:
        for text in revision.repeats:
            print(f"repeat: {revision.name} {text}")
        for text in revision.misses:
            print(f"miss: {revision.name} {text}")
        if revision.skipped:
            print(f"skipped: {revision.name} {revision.skipped}")


def show(revisions: list[Revision], number: int) -> None:
    """Print ``number`` findings as a terminal shows them, drawn evenly over the rules."""
    by_rule: dict[str, list[str]] = defaultdict(list)
    for revision in revisions:
        for rule, text in revision.texts:
            by_rule[rule].append(f"[{revision.name}]\n{text}")
    for texts in by_rule.values():
        random.Random(2).shuffle(texts)
    shown = 0
    while shown < number and any(by_rule.values()):
        for texts in by_rule.values():
            if texts and shown < number:
                shown += 1
                print(f"\n--- {shown}")
                wrapped = (textwrap.wrap(line, COLUMNS, replace_whitespace=False) for line in texts.pop().splitlines())
                print("\n".join("\n".join(part) for part in wrapped))


if __name__ == "__main__":
    main()
