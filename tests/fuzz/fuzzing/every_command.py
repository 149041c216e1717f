"""Commands with random arguments on damaged registries, sources, schemas, messages and bytes."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from wire_vectors import rows

from fuzzing import mutate
from fuzzing.case import Ran, messages, originals, run_command

__all__ = ["Workplace"]

URNS = (
    "urn:babel:orders:created",
    "urn:babel:orders:created.v2",
    "urn:babel:billing:payment.captured",
    "urn:x",
    "HEAD~1",
    "",
)
WORDS = (
    "orders",
    "_common/money.yaml",
    "email",
    "*",
    "sources/..",
    "--",
    "\udcff",
    "é",
    "0",
    "-1",
    "9" * 30,
    "2026-02-30",
    "{",
    "urn:babel:",
)
FORMATS = ("babelqueue", "flowlayer", "phpmq", "strata")
PAYLOAD = {"type": "object", "properties": {"id": {"$ref": "#/components/schemas/id"}}}
ASYNCAPI = {
    "asyncapi": "3.0.0",
    "info": {"title": "Shop", "version": "1"},
    "channels": {
        "orders": {"address": "orders", "messages": {"placed": {"$ref": "#/components/messages/placed"}}},
        "paid": {"$ref": "more.json#/channels/paid"},
    },
    "operations": {
        "place": {
            "action": "send",
            "channel": {"$ref": "#/channels/orders"},
            "messages": [{"$ref": "#/channels/orders/messages/placed"}],
            "reply": {"channel": {"$ref": "#/channels/paid"}},
        }
    },
    "components": {
        "messages": {
            "placed": {
                "name": "urn:babel:shop:placed",
                "payload": {"schemaFormat": "application/schema+json;version=draft-07", "schema": PAYLOAD},
                "headers": {"type": "object"},
                "tags": [{"name": "event"}],
                "examples": [{"payload": {"id": "1"}}],
            }
        },
        "schemas": {"id": {"type": "string"}},
    },
}
MORE = {
    "asyncapi": "2.6.0",
    "info": {"title": "Bills"},
    "channels": {
        "bills": {
            "publish": {
                "operationId": "bill",
                "message": {"oneOf": [{"payload": PAYLOAD}, {"$ref": "#/components/x"}]},
            },
            "subscribe": {"message": {"payload": {"$ref": "api.json#/components/schemas/id"}}},
        },
        "paid": {"address": "paid", "messages": {}},
    },
    "components": {"schemas": {"id": {"type": "string"}}},
}
SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "https://shop.example/created.json",
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z]+$"},
        "total": {"$ref": "money.json#/definitions/money"},
        "items": {"items": [{"type": "integer"}, {"$ref": "#"}], "additionalItems": False},
        "kind": {"enum": ["a", 1, None], "x-open-enum": True},
    },
    "dependencies": {"total": ["id"]},
    "examples": [{"id": "a"}],
}
MONEY = {"definitions": {"money": {"type": "object", "properties": {"minor": {"type": "integer"}}}}}
MANIFEST = {"schemas": [{"urn": "urn:babel:a:b", "schema": "created.json", "owner": "team", "status": "active"}]}
SOURCES: Mapping[str, Any] = {
    "api.json": ASYNCAPI,
    "more.json": MORE,
    "created.json": SCHEMA,
    "money.json": MONEY,
    "registry.json": MANIFEST,
}


class Workplace:
    """A registry and everything else that commands read, damaged anew for each case."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.registry = top / "registry"
        self.sources = top / "sources"
        self.files = originals()
        self.recorded = messages()
        every = sorted(rows("vector") + rows("bridge"), key=itemgetter("name"))
        self.vectors = [row["input"] for row in every if len(row["input"]) < 20_000]
        self._write(top / "published", self.files)

    def case(self, seed: int, command: str | None = None) -> tuple[tuple[str, ...], Ran]:
        """Run one command, by default any, on the input of that number; return its arguments and what it did."""
        chance = random.Random(seed)
        self._damage(chance)
        arguments = self._commands(chance)[command or chance.choice(sorted(COMMANDS))]
        ran = run_command((*arguments, *self._odd_arguments(chance)), chance.choice([b"", self._bytes(chance)]))
        return ran.arguments, ran

    def _damage(self, chance: random.Random) -> None:
        for folder in ("registry", "sources", "out"):
            shutil.rmtree(self.top / folder, ignore_errors=True)
        changed = mutate.mutated(chance, self.files) if chance.random() < 0.8 else {}
        self._write(self.registry, {**self.files, **changed})
        for path, value in SOURCES.items():
            body = json.dumps(value).encode()
            roll = chance.random()
            if roll < 0.5:
                for _ in range(chance.choice([1, 1, 2, 4])):
                    value = mutate.changed_value(chance, value)
                body = json.dumps(value).encode("utf-8", "surrogatepass")
            elif roll < 0.6:
                body = mutate.mutated_bytes(chance, body)
            self._write(self.sources, {path: body})
        self._write(self.top, {"in.bin": self._bytes(chance), "code.py": self._bytes(chance)})

    def _bytes(self, chance: random.Random) -> bytes:
        body = chance.choice([self.recorded, chance.choice(self.vectors)])
        return mutate.mutated_bytes(chance, body) if chance.random() < 0.8 else body

    @staticmethod
    def _write(folder: Path, files: Mapping[str, bytes]) -> None:
        for path, body in files.items():
            try:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(body)
            except (OSError, ValueError):
                continue  # a name that this system does not take

    def _odd_arguments(self, chance: random.Random) -> list[str]:
        if chance.random() < 0.85:
            return []
        options = ("--registry", "--against", "--format", "--fail-on", "--context", "--urn", "--data", "--plan", "--owner",
                   "--today", "--sunset", "--select", "--limit", "--wire", "--to", "--roots", "--status")  # fmt: skip
        return [chance.choice(options), chance.choice([*WORDS, *URNS, str(self.sources)])]

    def _commands(self, chance: random.Random) -> dict[str, tuple[str, ...]]:
        registry = ("--registry", str(self.registry))
        published = ("--against", str(self.top / "published"))
        given = {name: str(self.sources / name) for name in SOURCES}
        values = {
            "URN": chance.choice(URNS),
            "WORD": chance.choice(WORDS),
            "FORMAT": chance.choice(FORMATS),
            "OTHER": chance.choice(FORMATS),
            "BYTES": str(self.top / "in.bin"),
            "CODE": str(self.top / "code.py"),
            "OUT": str(self.top / "out"),
            "SOURCES": str(self.sources),
            "PLAN": str(self.top / "plan.yaml"),
            **given,
        }
        return {
            name: tuple(values.get(word, word) for word in words.split())
            + (registry if "registry" in flags else ())
            + (published if "against" in flags else ())
            for name, (words, flags) in COMMANDS.items()
        }


COMMANDS: dict[str, tuple[str, str]] = {
    "import asyncapi": ("import asyncapi SOURCES --dry-run", "registry"),
    "import asyncapi of a file": ("import asyncapi api.json", "registry"),
    "import jsonschema": ("import jsonschema SOURCES", "registry"),
    "import jsonschema by roots": ("import jsonschema money.json created.json --roots #/definitions/*", "registry"),
    "import bqschema": ("import bqschema registry.json", "registry"),
    "import by a plan": ("import jsonschema SOURCES --plan registry.json", "registry"),
    "compare": ("compare created.json money.json", ""),
    "compare by a certificate": ("compare money.json created.json --verify registry.json", ""),
    "new": ("new urn:babel:orders:refunded --from BYTES --dry-run", "registry"),
    "list": ("list", "registry"),
    "show": ("show URN", "registry"),
    "search": ("search WORD", "registry"),
    "lint": ("lint --no-cache", "registry"),
    "lint --fix": ("lint --fix --diff --no-cache", "registry"),
    "format": ("format --check", "registry"),
    "breaking": ("breaking --no-cache", "registry against"),
    "breaking --fix": ("breaking --fix --dry-run --no-cache", "registry against"),
    "diff": ("diff URN", "registry against"),
    "changelog": ("changelog", "registry against"),
    "mint": ("mint URN --dry-run", "registry against"),
    "scan": ("scan CODE", "registry"),
    "validate": ("validate BYTES", "registry"),
    "validate of a format": ("validate BYTES --wire FORMAT", "registry"),
    "validate of data": ("validate BYTES --data URN", "registry"),
    "wire decode": ("wire decode --wire FORMAT BYTES", ""),
    "wire decode of any format": ("wire decode BYTES", ""),
    "wire decode of standard input": ("wire decode --wire FORMAT", ""),
    "wire encode": ("wire encode --wire FORMAT BYTES", ""),
    "wire convert": ("wire convert --wire FORMAT --to OTHER BYTES", "registry"),
    "wire validate": ("wire validate --wire FORMAT BYTES", ""),
    "gen docs": ("gen docs --dry-run --out OUT", "registry"),
    "gen catalog": ("gen catalog --dry-run --out OUT", "registry"),
    "gen asyncapi": ("gen asyncapi --dry-run --out OUT", "registry"),
    "gen jsonschema": ("gen jsonschema --dry-run --out OUT", "registry"),
    "gen bqschema": ("gen bqschema --dry-run --out OUT", "registry"),
    "gen codeowners": ("gen codeowners --dry-run --out OUT", "registry"),
    "gen spark": ("gen spark --dry-run --out OUT", "registry"),
    "rules": ("rules", "registry"),
    "explain": ("explain WORD", ""),
    "completion": ("completion WORD", ""),
}
"""The arguments of each command, with words that stand for values, and what else it is given."""
