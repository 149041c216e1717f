"""Export and import again: the verdicts of the imported schemas on documents that tell the original schemas apart.

    python benchmarks/round_trip.py CORPUS...

A corpus is a file of JSON lines with the members ``draft``, ``old``, ``new`` and ``witness`` (documents that one of the
two schemas refuses). Each schema becomes a message; the registry is exported as JSON Schema, AsyncAPI and for bqschema,
and each export is imported into a new registry. Prints for each format how many messages came back, how many verdicts
were compared, and how many differ. Messages that an export reports as not expressible are counted, not compared.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babelreg import load
from babelreg.contract.schema_problem import schema_problem
from babelreg.errors import SchemaError
from babelreg.model import Registry
from babelreg.schema.dialects import identify

SCALARS: list[Any] = [{}, {"f": None}, {"f": 1}, {"f": 1.0}, {"f": 1.5}, {"f": ""}, {"f": "a"}, {"f": []}, {"f": {}}]
SETTINGS = "version: 1\ncompatibility: {reader: strict}\n"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def cases(paths: list[Path]) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Yield the data schemas of messages, each with documents."""
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row.get("draft") not in ("draft7", "draft2020-12"):
                continue
            witnesses = list((row.get("witness") or {}).values())
            for side in ("old", "new"):
                schema = row[side]
                if isinstance(schema, dict) and schema.get("type") == "object":
                    data, documents = schema, witnesses
                elif "$ref" not in json.dumps(schema):
                    data = {"type": "object", "properties": {"f": schema}, "required": ["f"]}
                    documents = [{"f": document} for document in witnesses]
                else:
                    continue
                data = {key: value for key, value in data.items() if key not in ("$id", "id", "$schema")}
                yield ({"$schema": DRAFT_07, **data} if row["draft"] == "draft7" else data), documents


def source_registry(folder: Path, given: list[tuple[dict[str, Any], list[Any]]]) -> dict[str, list[Any]]:
    """Write a registry with a message per usable schema; return the documents of each by URN."""
    (folder / "corpus").mkdir(parents=True)
    (folder / "babelreg.yaml").write_text(SETTINGS)
    (folder / "corpus" / "_context.yaml").write_text("owner: team\n")
    documents = {}
    for number, (data, tried) in enumerate(given):
        urn = f"urn:babel:corpus:schema{number}.changed"
        message = {"urn": urn, "kind": "event", "status": "active", "owner": "team", "data": data}
        (folder / "corpus" / f"schema{number}.changed.yaml").write_text(json.dumps(message))
        documents[urn] = [*tried, *SCALARS]
    registry = load.registry(folder)
    unusable = [message.source.path for message in registry.messages if schema_problem(message.schema, strict=True)]
    for path in (*(finding.place.path for finding in registry.defects), *unusable):
        (folder / path).unlink(missing_ok=True)
    return documents


def validators(registry: Registry) -> dict[str, Any]:
    """Return a validator of each message that has a usable schema, by URN."""
    result = {}
    for urn, schema in registry.schemas.items():
        try:
            result[urn] = identify(schema).validator_for(schema)
        except SchemaError:
            continue  # no validator reads it
    return result


def babelreg(*arguments: object) -> None:
    """Run a command; its findings are none of ours."""
    subprocess.run([sys.executable, "-m", "babelreg", *map(str, arguments)], capture_output=True, check=False)


def lossy(exported: Path) -> set[str]:
    """Return the messages that an export reports as not expressible in draft-07."""
    listed = exported / "NOT-ENFORCED.md"
    if listed.is_file():
        sections = listed.read_text("utf-8").split("\n## ")[1:]
        return {section.partition("\n")[0] for section in sections if "Not in draft-07:" in section}
    document = exported / "asyncapi.json"
    if not document.is_file():
        return set()
    messages = json.loads(document.read_text("utf-8"))["components"]["messages"].values()
    return {message["name"] for message in messages if "x-babel-not-in-draft-07" in message}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=4_000, help="the most schemas")
    arguments = parser.parse_args()
    given = list(cases(arguments.corpora))[: arguments.most]
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        documents = source_registry(home / "source", given)
        originals = validators(load.registry(home / "source"))
        print(f"{len(originals)} messages of {len(given)} schemas")
        for target, files in (("jsonschema", "."), ("asyncapi", "asyncapi.json"), ("bqschema", "registry.json")):
            exported, imported = home / target, home / f"{target}-back"
            babelreg("gen", target, "--registry", home / "source", "--out", exported)
            imported.mkdir()
            (imported / "babelreg.yaml").write_text(SETTINGS)
            babelreg("import", target, exported / files, "--registry", imported)
            back, lost = validators(load.registry(imported)), lossy(exported)
            compared = differing = 0
            for urn in originals.keys() & back.keys() - lost:
                for document in documents[urn]:
                    compared += 1
                    if originals[urn].is_valid(document) != back[urn].is_valid(document):
                        differing += 1
                        print(f"  {target} {urn} {json.dumps(document)[:100]}", file=sys.stderr)
            print(f"{target}: {len(back)} back, {len(lost)} not expressible, {compared} verdicts, {differing} differ")


if __name__ == "__main__":
    main()
