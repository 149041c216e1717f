"""How long ``babelreg import jsonschema`` takes, whole processes: ``python benchmarks/import_.py [N] [RUNS]``.

The sources are N draft-07 schemas of about fifteen fields with references to three shared files. Beside the import
into an empty registry stand the import of the same sources again, which changes nothing, and a process that reads each
file with ``json.load`` and checks it with ``jsonschema``'s ``check_schema``, by turns with the import. The bar is three
times that.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import machine
import registry_of

BABELREG = Path(sys.executable).with_name("babelreg")
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
PEER = """
import json, sys
from pathlib import Path
import jsonschema
for path in sorted(Path(sys.argv[1]).rglob("*.json")):
    with path.open() as file:
        jsonschema.Draft7Validator.check_schema(json.load(file))
"""
SHARED = {
    "money": {"type": "object", "required": ["minor"], "properties": {"minor": {"type": "integer", "minimum": 0}}},
    "address": {"type": "object", "properties": {"street": {"type": "string"}, "country": {"$ref": "country.json"}}},
    "country": {"type": "string", "pattern": "^[A-Z]{2}$"},
}


def write(folder: Path, messages: int) -> None:
    """Write a folder of schemas: one a message, and those that they share."""
    (folder / "common").mkdir(parents=True)
    for name, schema in SHARED.items():
        body = {"$schema": DRAFT_7, "$id": f"https://example.com/common/{name}.json", **schema}
        (folder / "common" / f"{name}.json").write_text(json.dumps(body, indent=2))
    for number in range(messages):
        context = registry_of.CONTEXTS[number % len(registry_of.CONTEXTS)]
        noun, past = registry_of.NOUNS[number % len(registry_of.NOUNS)], registry_of.PAST[number // 10 % 10]
        (folder / context).mkdir(exist_ok=True)
        (folder / context / f"{noun}-{number}-{past}.json").write_text(json.dumps(_schema(noun, number), indent=2))


def _schema(noun: str, number: int) -> dict[str, object]:
    line = {
        "type": "object",
        "required": ["sku"],
        "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}},
    }
    return {
        "$schema": DRAFT_7,
        "$id": f"https://example.com/{noun}-{number}.json",
        "description": f"Message number {number}.",
        "type": "object",
        "required": [f"{noun}_id", "total"],
        "properties": {
            f"{noun}_id": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
            "occurred_at": {"type": "string", "format": "date-time", "description": "When, UTC."},
            "total": {"$ref": "https://example.com/common/money.json"},
            "address": {"$ref": "../common/address.json"},
            "email": {"type": "string", "format": "email", "x-gdpr-sensitive": "email"},
            "state": {"type": "string", "enum": ["open", "closed", "pending"]},
            "is_gift": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 40}},
            "lines": {"type": "array", "items": {"$ref": "#/definitions/line"}},
            "pair": {"type": "array", "items": [{"type": "integer"}, {"type": "string"}], "additionalItems": False},
        },
        "dependencies": {"is_gift": ["address"]},
        "definitions": {"line": line},
        "examples": [{f"{noun}_id": number, "total": {"minor": 990}, "lines": [{"sku": "A-1", "qty": 2}]}],
    }


def seconds(command: list[str]) -> float:
    """The seconds of one whole process, which must end well."""
    started = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[:3]}: exit {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    return time.perf_counter() - started


def main(messages: int, runs: int) -> None:
    """Print the medians, and their ratio to the peer."""
    print(machine.described())
    with tempfile.TemporaryDirectory(prefix="babelreg-import-") as temporary:
        sources, registry = Path(temporary, "sources"), Path(temporary, "registry")
        write(sources, messages)
        importing = [
            str(BABELREG),
            "import",
            "jsonschema",
            str(sources),
            "--registry",
            str(registry),
            "--owner",
            "team",
        ]
        peer = [sys.executable, "-c", PEER, str(sources)]
        taken: dict[str, list[float]] = {"json.load + check_schema": [], "import": [], "import again": []}
        for _ in range(runs):
            shutil.rmtree(registry, ignore_errors=True)
            registry.mkdir()
            (registry / "babelreg.yaml").write_text("version: 1\n")
            for name, command in zip(taken, (peer, importing, importing), strict=True):
                taken[name].append(seconds(command))
        medians = {name: statistics.median(times) for name, times in taken.items()}
        base = medians["json.load + check_schema"]
        for name, median in medians.items():
            print(f"{name:26} {median:7.2f} s {machine.beside(median)} {median / base:6.2f} x json.load + check_schema")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 5)
