"""Importing again keeps edits in force, or reports them, however the source has changed meanwhile."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.errors import InputError
from babelreg.exchange.formats import jsonschema
from babelreg.exchange.registry_files.import_record import RECORD
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.run import ImportOptions, import_sources
from babelreg.finding import Severity
from babelreg.load.files.tree import Memory
from babelreg.load.yaml import parser
from babelreg.load.yaml.yaml_text import yaml_text

MARK = "x-gdpr-sensitive"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
Sources = dict[str, Any]
Files = dict[str, bytes]


def importing(folder: Path, sources: Sources, files: Files):
    """The files after an import, and its findings."""
    for path in folder.glob("*.json"):
        path.unlink()
    for path, value in sources.items():
        (folder / path).write_text(json.dumps(value))
    tree = Memory(files)
    options = ImportOptions(lambda name: "event", Owners(default="team"))
    result = import_sources(jsonschema.read([folder]), load.from_tree(tree), tree, options)
    return {**files, **{path: text.encode() for path, text in result.files.items()}}, result.findings


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "orders"
    path.mkdir()
    return path


def message(**properties: Any) -> Any:
    return {"$schema": DRAFT_7, "type": "object", "properties": properties}


def common(**definitions: Any) -> Any:
    return {"$schema": DRAFT_7, "definitions": definitions}


def money(**more: Any) -> Any:
    return {"type": "object", "properties": {"minor": {"type": "integer"}, **more}}


def refers(name: str, file: str = "common.json") -> Any:
    return {"$ref": f"{file}#/definitions/{name}"}


def edited(files: Files, path: str, old: str, new: str) -> Files:
    text = files[path].decode()
    assert old in text
    return {**files, path: text.replace(old, new).encode()}


EMPTY = {"babelreg.yaml": b"version: 1\n"}
INTEGER, MARKED = "{type: integer}", "{type: integer, x-gdpr-sensitive: money}"
CREATED, PAID = {"created.json": message(total=refers("Money"))}, {"paid.json": message(total=refers("Money"))}
COMMON = {"common.json": common(Money=money())}
MOVED = {"money.json": common(Money=money()), "created.json": message(total=refers("Money", "money.json"))}
RENAMED = {"common.json": common(Amount=money()), "created.json": message(total=refers("Amount"))}
IN_A_NEW_DRAFT = {
    "common.json": {"$defs": {"Money": money()}},
    "created.json": message(total={"$ref": "common.json#/$defs/Money"}),
}


@pytest.mark.parametrize(
    "first, then, path",
    [
        pytest.param({**CREATED, **COMMON}, {**CREATED, **PAID, **COMMON}, "orders/created.yaml", id="referrer added"),
        pytest.param({**CREATED, **PAID, **COMMON}, {**CREATED, **COMMON}, "_common/money.yaml", id="referrer removed"),
        pytest.param({**CREATED, **COMMON}, MOVED, "orders/created.yaml", id="definition in another file"),
        pytest.param(
            {**CREATED, **COMMON}, IN_A_NEW_DRAFT, "orders/created.yaml", id="definition below another keyword"
        ),
        pytest.param(
            {**CREATED, **COMMON},
            {
                "a.json": message(x=refers("Money", "common2.json"), y=refers("Money")),
                "common2.json": common(Money={"type": "string"}),
                "created.json": message(first=refers("Money", "common2.json"), total=refers("Money")),
                **COMMON,
            },
            "orders/created.yaml",
            id="another definition of the same name first",
        ),
        pytest.param(
            {**CREATED, **COMMON},
            {
                "created.json": message(total=refers("Money"), price=refers("Price")),
                "paid.json": message(price=refers("Price")),
                "common.json": common(Money=money(), Price=message(price=refers("Money", ""))),
            },
            "orders/created.yaml",
            id="a shared definition needs it, too",
        ),
    ],
)
def test_a_definition_stays_where_it_is(first, then, path, folder):
    files, _ = importing(folder, first, EMPTY)
    after, findings = importing(folder, then, edited(files, path, INTEGER, MARKED))
    assert [finding.message for finding in findings if finding.severity is Severity.ERROR] == []
    assert MARKED in after[path].decode()
    assert MARK in json.dumps(view(after, "created", ("total", "minor")))
    again, findings = importing(folder, then, after)
    assert again == after


def test_a_definition_of_an_unedited_message_becomes_a_fragment_when_it_is_shared(folder):
    files, _ = importing(folder, {**CREATED, **COMMON}, EMPTY)
    after, findings = importing(folder, {**CREATED, **PAID, **COMMON}, files)
    assert parser.read(after["orders/created.yaml"].decode())["data"]["properties"] == {
        "total": {"$ref": "../_common/money.yaml"}
    }
    assert findings == []


@pytest.mark.parametrize(
    "then, field",
    [
        pytest.param(RENAMED, "total.minor", id="a definition has another name"),
        pytest.param({"created.json": message(sum=money())}, "total.minor", id="a field has another name"),
        pytest.param({"created.json": message(total={"type": "integer"})}, "total.minor", id="a field has no parts"),
        pytest.param({"created.json": message()}, "total.minor", id="a field is gone"),
    ],
)
def test_nothing_is_written_where_a_mark_would_be_lost(then, field, folder):
    first, _ = importing(folder, {**CREATED, **COMMON}, EMPTY)
    files = edited(first, "orders/created.yaml", INTEGER, MARKED)
    after, findings = importing(folder, then, files)
    lost = [finding for finding in findings if finding.rule == "import-mark-lost"]
    assert [(finding.severity, field in finding.message) for finding in lost] == [(Severity.ERROR, True)]
    assert lost[0].place.path == "orders/created.yaml"
    assert lost[0].place.line > 1
    assert after == files
    after, findings = importing(folder, then, edited(files, "orders/created.yaml", MARKED, INTEGER))
    assert "import-mark-lost" not in [finding.rule for finding in findings]
    assert after != files


def test_a_mark_that_the_source_takes_back_is_an_error(folder):
    marked = {"created.json": message(mail={"type": "string", MARK: "email"})}
    files, _ = importing(folder, marked, EMPTY)
    after, findings = importing(folder, {"created.json": message(mail={"type": "string"})}, files)
    assert [finding.rule for finding in findings] == ["import-mark-lost"]
    assert after == files


def test_an_edit_that_nothing_leads_to_is_reported(folder):
    files, _ = importing(folder, {**CREATED, **PAID, **COMMON}, EMPTY)
    files = edited(files, "_common/money.yaml", INTEGER, "{type: integer, minimum: 0}")
    then = {"created.json": message(total={"type": "integer"}), "paid.json": message(), **COMMON}
    _, findings = importing(folder, then, files)
    (disabled,) = [finding for finding in findings if finding.rule == "import-edit-disabled"]
    assert (disabled.place.path, disabled.pointer) == ("_common/money.yaml", "/properties/minor/minimum")


def test_a_definition_to_which_an_edit_refers_stays(folder):
    files, _ = importing(folder, {**CREATED, **COMMON}, EMPTY)
    files = edited(files, "orders/created.yaml", '{$ref: "#/$defs/Money"}', '{$ref: "#/$defs/Money", title: Total}')
    after, findings = importing(folder, {"created.json": message()}, files)
    assert "import-edit-kept" in [finding.rule for finding in findings]
    assert load.from_tree(Memory(after)).defects == ()
    assert view(after, "created", ("total", "minor")) == [{"type": "integer"}]


def test_a_schema_that_is_message_and_fragment_keeps_both_names(folder):
    order = {"$schema": DRAFT_7, "oneOf": [{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/b"}]}
    definitions = {"a": money(), "b": money(a={"$ref": "#/definitions/a"})}
    sources = {"all.json": {**order, "definitions": definitions}}
    files, _ = importing(folder, sources, EMPTY)
    assert importing(folder, sources, files) == (files, [])


def test_a_message_file_that_was_removed_is_reported(folder):
    files, _ = importing(folder, CREATED | COMMON, EMPTY)
    del files["orders/created.yaml"]
    after, findings = importing(folder, CREATED | COMMON, files)
    assert [finding.rule for finding in findings] == ["import-edit-kept"]
    assert "orders/created.yaml" in after


def test_a_record_that_cannot_be_read_stops_the_import(folder):
    files, _ = importing(folder, CREATED | COMMON, EMPTY)
    with pytest.raises(InputError, match="record"):
        importing(folder, CREATED | COMMON, {**files, RECORD: b"<<<<<<< HEAD\n" + files[RECORD]})


# The property: random edits on both sides.

NAMES = ("Money", "Party", "Place", "Text")
Steps = tuple[str, ...]


def view(files: Files, name: str, path: Steps) -> list[Any]:
    """All subschemas that apply to the values at ``path`` of a message, by a reader of its own."""
    (entry,) = [entry for entry in load.from_tree(Memory(files)).messages if entry.urn.endswith(f":{name}")]
    found = [entry.schema]
    for step in (*path, None):
        found = [node for start in found for node in together(entry.schema, start)]
        if step is not None:
            found = [node["properties"][step] for node in found if step in node.get("properties", {})]
    return found


def together(root: Any, node: Any) -> list[Any]:
    if "$ref" not in node:
        return [node]
    target = root
    for step in node["$ref"].removeprefix("#").strip("/").split("/") if node["$ref"] != "#" else ():
        target = target[step]
    return [node, *together(root, target)]


def source_view(sources: Sources, path: Steps, file: str) -> tuple[str, Any] | None:
    """Where the subschema at ``path`` of a source is declared, and what it is."""
    place, node = file, sources.get(file)
    for step in (*path, None):
        while isinstance(node, dict) and "$ref" in node:
            name, _, pointer = node["$ref"].partition("#/definitions/")
            place = f"{name or place.partition('#')[0]}#{pointer}"
            node = sources.get(name or place.partition("#")[0], {}).get("definitions", {}).get(pointer)
        if node is None or step is None:
            return None if node is None else (place, node)
        place, node = f"{place}/{step}", node.get("properties", {}).get(step)
    raise AssertionError


def drawn_sources(chance: random.Random) -> Sources:
    definitions = {
        name: money(**{f"{below.lower()}": refers(below, "") for below in NAMES[at + 1 :] if chance.random() < 0.4})
        for at, name in enumerate(NAMES)
    }
    sources = {"common.json": common(**definitions)}
    for name in ("created", "paid", "sent"):
        fields = {f"f{at}": drawn_field(chance) for at in range(chance.randint(1, 3))}
        if chance.random() < 0.8:
            sources[f"{name}.json"] = message(**fields)
    sources.setdefault("created.json", message(f0=drawn_field(chance)))
    return sources


def drawn_field(chance: random.Random) -> Any:
    return chance.choice([refers(chance.choice(NAMES)), {"type": "string"}, money(), refers(chance.choice(NAMES))])


def change_upstream(chance: random.Random, before: Sources) -> Sources:
    sources = copy.deepcopy(before)
    for _ in range(chance.randint(1, 3)):
        files = [name for name in sources if name != "common.json"]
        file = chance.choice(files)
        fields = sources[file]["properties"]
        definitions = sources["common.json"]["definitions"]
        match chance.randrange(8):
            case 0:
                fields[f"f{chance.randint(0, 5)}"] = refers(chance.choice([*definitions]))
            case 1 if fields:
                del fields[chance.choice([*fields])]
            case 2:
                sources[f"{chance.choice(['created', 'paid', 'sent', 'lost'])}.json"] = message(f0=drawn_field(chance))
            case 3 if len(files) > 1:
                del sources[file]
            case 4:
                definitions[chance.choice([*definitions])]["maxProperties"] = chance.randint(1, 9)
            case 5:
                old = chance.choice([*definitions])
                text = json.dumps(sources).replace(f'/{old}"', f'/{old}2"').replace(f'"{old}":', f'"{old}2":')
                sources = json.loads(text)
            case 6:
                definition = definitions[chance.choice([*definitions])]["properties"]
                definition[f"n{chance.randint(0, 1)}"] = {"type": "boolean"}
            case 7 if fields:
                fields[chance.choice([*fields])] = {"type": "integer", "maximum": chance.randint(1, 9)}
    known = {f"/{name}" for name in sources["common.json"]["definitions"]}
    text = json.dumps(sources)  # a renamed definition may have been drawn by its old name
    for name in NAMES:
        if f"/{name}" not in known and f'/{name}"' in text:
            text = text.replace(f'/{name}"', f'/{next(iter(sorted(known)))[1:]}"')
    return json.loads(text)


def edit_locally(chance: random.Random, files: Files) -> tuple[Files, str, str]:
    """A keyword at a random subschema of a random file: the files, its path and the keyword."""
    paths = [path for path in files if path.endswith(".yaml") and "/" in path and "_context" not in path]
    path = chance.choice(sorted(paths))
    value = parser.read(files[path].decode())
    waiting, nodes = [value.get("data", value)], []
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        for keyword in ("properties", "$defs"):
            waiting += node.get(keyword, {}).values()
    keyword = chance.choice([MARK, "x-edit"])
    chance.choice(nodes)[keyword] = "edited"
    return {**files, path: yaml_text(value, "schema" if path.startswith("_") else "message").encode()}, path, keyword


def edited_paths(files: Files, keyword: str) -> set[tuple[str, Steps]]:
    """The messages and paths at which ``keyword`` is in force."""
    found = set()
    for entry in load.from_tree(Memory(files)).messages:
        assert entry.schema is not None, files
        waiting: list[tuple[Steps, Any]] = [((), entry.schema)]
        while waiting:
            path, start = waiting.pop()
            for node in together(entry.schema, start):
                if keyword in node:
                    found.add((entry.urn, path))
                waiting += [((*path, name), below) for name, below in node.get("properties", {}).items()]
    return found


def wrong(seed: int, folder: Path) -> list[str]:
    """What the second import takes away without a word."""
    chance = random.Random(seed)
    first = drawn_sources(chance)
    imported, _ = importing(folder, first, EMPTY)
    files, path, keyword = edit_locally(chance, imported)
    second = change_upstream(chance, first)
    after, findings = importing(folder, second, files)
    before_paths, after_paths = edited_paths(files, keyword), edited_paths(after, keyword)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    reported = [finding for finding in findings if finding.place.path == path]
    problems = []
    if keyword == MARK and not errors and not before_paths <= after_paths:
        problems.append(f"marks are lost: {before_paths - after_paths}")
    if keyword == MARK and before_paths - after_paths:
        problems.append("marks are lost, although with an error")
    if not errors and not reported:
        urns = {urn for urn, _ in before_paths} - {urn for urn, _ in after_paths}
        problems += [f"{urn} has lost the edit" for urn in urns]
        for urn, steps in before_paths - after_paths:
            file = f"{urn.rpartition(':')[2]}.json"
            old, new = source_view(first, steps, file), source_view(second, steps, file)
            if old is not None and new is not None and old[0] == new[0]:
                problems.append(f"{urn} has lost the edit at {steps}")
    last, _ = importing(folder, second, after)
    if not errors and last != after:
        problems.append("a third import changes something")
    return [f"case {seed}: {problem}" for problem in problems]


def test_each_edit_is_in_force_or_reported(folder):
    assert [problem for seed in range(30) for problem in wrong(seed, folder)] == []


@pytest.mark.long
@pytest.mark.parametrize("start", range(1_000, 11_000, 1_000))
def test_ten_thousand_edits_are_in_force_or_reported(start, folder):
    assert [problem for seed in range(start, start + 1_000) for problem in wrong(seed, folder)] == []
