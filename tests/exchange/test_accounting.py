"""Whatever a source holds is in the result of its import or in a finding: files, messages, channels, references."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.exchange.formats import asyncapi, bqschema, jsonschema
from babelreg.exchange.registry_files.owners import Owners
from babelreg.exchange.run import ImportOptions, import_sources
from babelreg.finding import Severity
from babelreg.load.files.tree import Memory
from babelreg.schema.pointer import text as pointer_text

TREE = Memory({"babelreg.yaml": b"version: 1\n"})
FILES = ("a.json", "api/b.json", "api/c.json", "common/d.json", "common/e.json")


class Account:
    """The result of one import: what it wrote, and what its findings point at."""

    def __init__(self, sources: Any) -> None:
        result = import_sources(sources, load.from_tree(TREE), TREE, ImportOptions(lambda _: "event", Owners()))
        self.plan = result.plan
        self.findings = result.findings
        self.text = "\n".join(result.files.values())
        self.registry = load.from_tree(Memory({**TREE._files, **{p: t.encode() for p, t in result.files.items()}}))
        self.queues = {message.queue for message in self.registry.messages}
        self.failed = any(finding.severity is Severity.ERROR for finding in self.findings)

    def problems(self) -> list[str]:
        found = [f"a defect: {defect.message}" for defect in self.registry.defects if defect.rule != "context-empty"]
        return found + ([] if self.registry.messages or self.failed else ["no message, and no error"])

    def reports(self, file: str, pointer: str = "", reference: str = "") -> bool:
        """True where a finding is about a place at or below ``pointer`` of a file, or about the file it refers to."""
        here = [finding for finding in self.findings if finding.place.path.endswith(f"/{file}")]
        if any((finding.pointer or "").startswith(pointer) for finding in here):
            return True
        target = reference.partition("#")[0]
        return bool(target) and any(
            f"$ref '{target}#" in finding.message and "other place" in finding.message for finding in here
        )


def write(folder: Path, files: dict[str, Any]) -> None:
    for path, value in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(value))


def reference(chance: random.Random, kind: str) -> dict[str, str]:
    """A reference to a part of that kind, which may not exist, in a file that may not exist."""
    file = chance.choice(
        ["", "", *FILES, "../common/d.json", "../api/b.json", "../../out.json", "file://d.json", "no.json"]
    )
    name = chance.choice(["x", "y", "z", "absent"])
    return {"$ref": f"{file}#/components/{kind}/{name}"}


def either(chance: random.Random, kind: str, value: Any) -> Any:
    return reference(chance, kind) if chance.random() < 0.5 else value


def drawn_schema(chance: random.Random) -> Any:
    fields = {name: either(chance, "schemas", {"type": "string"}) for name in "ab" if chance.random() < 0.6}
    return {"type": "object", "properties": fields}


def drawn_message(chance: random.Random) -> Any:
    return {"payload": either(chance, "schemas", drawn_schema(chance))} if chance.random() < 0.9 else {"title": "x"}


def drawn_document(chance: random.Random, is_api: bool) -> Any:
    names = [name for name in "xyz" if chance.random() < 0.7]
    components = {
        "schemas": {name: drawn_schema(chance) for name in names},
        "messages": {
            name: either(chance, "messages", drawn_message(chance)) for name in names if chance.random() < 0.6
        },
    }
    if not is_api:
        return {"components": components}
    version = chance.choice(["2.6.0", "3.0.0"])
    channels: dict[str, Any] = {}
    for number in range(chance.randint(0, 3)):
        address = f"{chance.choice(['orders', 'bills', 'users/{id}'])}-{number}"
        messages = {"m": either(chance, "messages", drawn_message(chance))}
        if version == "2.6.0":
            channels[address] = {chance.choice(["publish", "subscribe"]): {"message": messages["m"]}}
        else:
            channels[f"c{number}"] = {"address": address, "messages": messages if chance.random() < 0.8 else {}}
    document = {"asyncapi": version, "info": {"title": "T"}, "channels": channels, "components": components}
    if version == "3.0.0":
        target = {"$ref": f"#/channels/c{chance.randint(0, 3)}"}
        document["operations"] = {"o": {"action": chance.choice(["send", "receive"]), "channel": target}}
    return document


def references_in(value: Any, at: str = "") -> list[tuple[str, str]]:
    if isinstance(value, list):
        return [found for n, item in enumerate(value) for found in references_in(item, f"{at}/{n}")]
    if not isinstance(value, dict):
        return []
    own = [(f"{at}/$ref", value["$ref"])] if "$ref" in value else []
    return own + [found for key, item in value.items() for found in references_in(item, at + pointer_text((key,)))]


def leads_somewhere(files: dict[str, Any], path: str, spelled: str) -> bool:
    """Resolution by a reader of its own, on the file names of these tests."""
    file, _, pointer = spelled.partition("#")
    if file.startswith("file://"):
        folder = path.rpartition("/")[0]
        name = file.removeprefix("file://")
        target = f"{folder}/{name}" if folder else name
        named = [known for known in files if known.endswith(name)]
        if target not in files and named:
            target = named[0]  # the only file of that name
    else:
        parts = path.split("/")[:-1] if file else path.split("/")
        for step in file.split("/") if file else ():
            if step == "..":
                if not parts:
                    return False
                parts.pop()
            else:
                parts.append(step)
        target = "/".join(parts)
    value = files.get(target)
    for step in pointer.strip("/").split("/"):
        value = value.get(step) if isinstance(value, dict) else None
    return value is not None


def asyncapi_problems(seed: int, folder: Path) -> list[str]:
    chance = random.Random(seed)
    files = {path: drawn_document(chance, chance.random() < 0.6) for path in FILES if chance.random() < 0.8}
    files["a.json"] = drawn_document(chance, True)
    write(folder, files)
    account = Account(asyncapi.read([folder]))
    problems = account.problems()
    for path, document in files.items():
        for at, spelled in references_in(document):
            if not leads_somewhere(files, path, spelled) and not account.reports(path, at, spelled):
                problems.append(f"{path}{at}: {spelled} leads nowhere, and nothing is said")
        if "asyncapi" not in document:
            used = any(
                path.rpartition("/")[2] in spelled for file in files.values() for _, spelled in references_in(file)
            )
            if not used and not account.reports(path):
                problems.append(f"{path} is passed over")
            continue
        for key, channel in document["channels"].items():
            address = channel.get("address", key)
            if address not in account.queues and not account.reports(path, pointer_text(("channels", key))):
                problems.append(f"{path}: the channel {key} is passed over")
        for key, message in document["components"]["messages"].items():
            at = f"/components/messages/{key}"
            if "$ref" not in message and f"{path}#{at}" not in account.plan.messages:
                named = any(f"{path}#{at}" in finding.message for finding in account.findings)
                if not (named or account.reports(path, at)):
                    problems.append(f"{path}: the message {key} is passed over")
    return [f"case {seed}: {problem}" for problem in problems]


def jsonschema_problems(seed: int, folder: Path) -> list[str]:
    chance = random.Random(seed)
    files: dict[str, Any] = {}
    for path in FILES:
        roll = chance.random()
        definitions = {name: drawn_schema(chance) for name in "xyz" if chance.random() < 0.7}
        if roll < 0.15:
            files[path] = {"name": "not a schema"}
        elif roll < 0.8:
            files[path] = {**drawn_schema(chance), "components": {"schemas": definitions}, "$defs": {}}
    write(folder, files)
    if not files:
        return []
    sources = jsonschema.read([folder])
    account = Account(sources)
    problems = account.problems()
    told = " ".join(f"{finding.place.path} {finding.message}" for finding in account.findings)
    roots = {key.partition("#")[0] for key in account.plan.messages}
    reached, waiting = set(), list(roots)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += [
                other
                for _, spelled in references_in(files.get(path))
                for other in files
                if Path(spelled.partition("#")[0]).name == Path(other).name
            ]
    problems += [f"{path} is passed over" for path in files if path not in reached and f"/{path} " not in told]
    for path, schema in files.items():
        for at, spelled in references_in(schema.get("properties"), "/properties"):
            if not leads_somewhere(files, path, spelled) and not account.reports(path):
                problems.append(f"{path}{at}: {spelled} leads nowhere, and nothing is said")
    return [f"case {seed}: {problem}" for problem in problems]


def bqschema_problems(seed: int, folder: Path) -> list[str]:
    chance = random.Random(seed)
    names = [f"s{number}.json" for number in range(4)]
    files: dict[str, Any] = {name: drawn_schema(chance) for name in names if chance.random() < 0.8}
    entries = [
        {"urn": chance.choice([f"urn:babel:a:b{n}", "urn:babel:a:same", "nope"]), "schema": chance.choice(names)}
        for n in range(chance.randint(0, 4))
    ]
    write(folder, {**files, "registry.json": {"schemas": entries}})
    account = Account(bqschema.read(folder / "registry.json"))
    problems = account.problems()
    imported = {message.urn for message in account.registry.messages}
    for number, entry in enumerate(entries):
        told = any(entry["urn"] in f"{finding.urn} {finding.message}" for finding in account.findings)
        if entry["urn"] not in imported and not told:
            problems.append(f"entry {number} is passed over")
    named = {entry["schema"] for entry in entries}
    problems += [f"{name} is passed over" for name in files if name not in named and not account.reports(name)]
    return [f"case {seed}: {problem}" for problem in problems]


FORMATS = [
    pytest.param(asyncapi_problems, id="AsyncAPI"),
    pytest.param(jsonschema_problems, id="JSON Schema"),
    pytest.param(bqschema_problems, id="bqschema"),
]


def run_cases(problems_of: Any, seeds: range, folder: Path) -> list[str]:
    found: list[str] = []
    for seed in seeds:
        case = folder / str(seed)
        case.mkdir()
        found += problems_of(seed, case)
    return found


@pytest.mark.parametrize("problems_of", FORMATS)
def test_nothing_is_passed_over(problems_of, tmp_path):
    assert run_cases(problems_of, range(20), tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("problems_of", FORMATS)
def test_nothing_is_passed_over_in_thousands_of_sources(problems_of, tmp_path):
    assert run_cases(problems_of, range(1_000, 3_000), tmp_path) == []
