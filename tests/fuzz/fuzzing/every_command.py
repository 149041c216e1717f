"""Commands with random arguments on damaged registries, sources, schemas, messages and bytes."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Mapping
from functools import cached_property
from operator import itemgetter
from pathlib import Path

from wire_vectors import rows

from fuzzing import mutate
from fuzzing.case import Ran, messages, originals, run_command
from fuzzing.damaged_lake import DamagedLake
from fuzzing.import_sources import SOURCES
from fuzzing.odd_broker import OddBroker

__all__ = ["COMMANDS", "NOT_FUZZED", "Workplace"]

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
FORMATS = ("babelqueue", "flowlayer", "phpmq", "strata", "cloudevents", "json")


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
        self.lake = DamagedLake(top / "lake", top / "published", self.recorded)
        self._write(top / "published", self.files)

    @cached_property
    def broker(self) -> OddBroker:
        """The broker that the commands of brokers reach."""
        return OddBroker()

    def case(self, seed: int, command: str | None = None) -> tuple[tuple[str, ...], Ran]:
        """Run one command, by default any, on the input of that number; return its arguments and what it did."""
        chance = random.Random(seed)
        name = command or chance.choice(sorted(COMMANDS))
        self._damage(chance)
        if "lake" in COMMANDS[name][1]:  # also "in-lake"
            self.lake.damage(chance)
        if "service" in COMMANDS[name][1]:
            self._damage_service(chance)
        arguments = self._commands(chance, name)
        ran = run_command((*arguments, *self._odd_arguments(chance)), chance.choice([b"", self._bytes(chance)]))
        return ran.arguments, ran

    def _damage(self, chance: random.Random) -> None:
        for folder in ("registry", "sources", "out", "new-lake"):
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
        for path, sound in self._written_by_commands.items():
            self._write(self.top, mutate.mutated(chance, {path: sound}) if chance.random() < 0.8 else {path: sound})
        body = self._bytes(chance)
        self._write(self.top, {"in.bin": body, "code.py": self._bytes(chance), "folder/in.jsonl": body})

    def _damage_service(self, chance: random.Random) -> None:
        """A service's repository, with the lock of an earlier update half of the time."""
        shutil.rmtree(self.top / "service", ignore_errors=True)
        self._write(self.top / "service", {"babelreg.service.yaml": SERVICE})
        if chance.random() < 0.5:
            run_command(("-C", str(self.top / "service"), "update"))
        files = {path.name: path.read_bytes() for path in (self.top / "service").iterdir() if path.is_file()}
        if chance.random() < 0.8:
            self._write(self.top / "service", mutate.mutated(chance, files))

    @cached_property
    def _written_by_commands(self) -> dict[str, bytes]:
        """What later runs read: a certificate, the plan of an import, a coverage file and a report of an impact."""
        self._write(self.top / "first", {path: json.dumps(value).encode() for path, value in SOURCES.items()})
        files = {name: self.top / name for name in ("certificate.json", "plan.yaml", "coverage.json", "impact.json")}
        schemas = (str(self.top / "first" / name) for name in ("narrow.json", "wide.json"))
        run_command(("compare", *schemas, "--certificate", str(files["certificate.json"])))
        registry = ("--registry", str(self.top / "published"))
        run_command(("import", "jsonschema", str(self.top / "first"), "--plan", str(files["plan.yaml"]), *registry))
        self._write(self.top / "first", {"in.jsonl": self.recorded})
        recorded = str(self.top / "first" / "in.jsonl")
        run_command(("drift", recorded, "--write", str(files["coverage.json"]), *registry))
        report = ("--format", "json", "--output", str(files["impact.json"]))
        run_command(("impact", recorded, "--against", str(self.top / "published"), *report, *registry))
        return {name: path.read_bytes() for name, path in files.items()}

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

    def _commands(self, chance: random.Random, name: str) -> tuple[str, ...]:
        words, flags = COMMANDS[name]
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
            "COVERAGE": str(self.top / "coverage.json"),
            "IMPACT": str(self.top / "impact.json"),
            "CERTIFICATE": str(self.top / "certificate.json"),
            "FOLDER": str(self.top / "folder"),
            "LAKE": str(self.lake.place),
            "NEW_LAKE": str(self.top / "new-lake"),
            "SERVICE": str(self.top / "service"),
            **{source: str(self.sources / source) for source in SOURCES},
        }
        if "broker" in flags:
            values |= self._broker_urls(chance)
        extra: dict[str, tuple[str, ...]] = {
            "registry": ("--registry", str(self.registry)),
            "sound": ("--registry", str(self.top / "published")),
            "against": ("--against", str(self.top / "published")),
            "lake": ("--lake", str(self.lake.place)),
        }
        given = [word for flag in flags.split() for word in extra.get(flag, ())]
        return (*(values.get(word, word) for word in words.split()), *given)

    def _broker_urls(self, chance: random.Random) -> dict[str, str]:
        self.broker.damage(chance)
        place = f"127.0.0.1:{self.broker.port}"
        odd = chance.choice([f"redis://:p%40@{place}/x", f"amqp://a:b@{place}/%ff", "redis://[", "kafka://", *WORDS])
        urls = {kind: odd if chance.random() < 0.2 else f"{kind}://{place}/0" for kind in ("redis", "amqp")}
        return {"REDIS": urls["redis"], "AMQP": urls["amqp"], "MANAGEMENT": f"http://{place}"}


SERVICE = b"version: 1\nservice: billing-worker\nregistry: {path: ../registry}\ngen: {python: {out: .}}\n"

COMMANDS: dict[str, tuple[str, str]] = {
    "import asyncapi": ("import asyncapi SOURCES --dry-run", "registry"),
    "import asyncapi of a file": ("import asyncapi api.json", "registry"),
    "import jsonschema": ("import jsonschema SOURCES", "registry"),
    "import jsonschema by roots": ("import jsonschema money.json created.json --roots #/definitions/*", "registry"),
    "import bqschema": ("import bqschema registry.json", "registry"),
    "import by a plan": ("import jsonschema SOURCES --plan PLAN", "registry"),
    "compare": ("compare created.json money.json", ""),
    "compare by a certificate": ("compare narrow.json wide.json --verify CERTIFICATE", ""),
    "new": ("new urn:babel:orders:refunded --from BYTES --dry-run", "registry"),
    "list": ("list", "registry"),
    "show": ("show URN", "registry"),
    "search": ("search WORD", "registry"),
    "lint": ("lint --no-cache", "registry"),
    "lint --fix": ("lint --fix --diff --no-cache", "registry"),
    "format": ("format --check", "registry"),
    "breaking": ("breaking --no-cache", "registry against"),
    "breaking with traffic": ("breaking --no-cache --traffic IMPACT --format waivers", "registry against"),
    "breaking --fix": ("breaking --fix --dry-run --no-cache", "registry against"),
    "diff": ("diff URN", "registry against"),
    "diff as Markdown": ("diff --format markdown --title T", "registry against"),
    "mint": ("mint URN --dry-run", "registry against"),
    "scan": ("scan CODE", "registry"),
    "validate": ("validate BYTES", "registry"),
    "validate of a format": ("validate BYTES --wire FORMAT", "registry"),
    "validate of data": ("validate BYTES --data URN", "registry"),
    "wire decode": ("wire decode --wire FORMAT BYTES", ""),
    "wire decode of standard input": ("wire decode --wire FORMAT", ""),
    "wire encode": ("wire encode --wire FORMAT BYTES", ""),
    "wire convert": ("wire convert --wire FORMAT --to OTHER BYTES", "registry"),
    "wire validate": ("wire validate --wire FORMAT BYTES", ""),
    "gen docs": ("gen docs --dry-run --out OUT", "registry"),
    "gen agents": ("gen agents --dry-run --out OUT", "registry"),
    "gen catalog": ("gen catalog --dry-run --out OUT", "registry"),
    "gen asyncapi": ("gen asyncapi --dry-run --out OUT", "registry"),
    "gen jsonschema": ("gen jsonschema --dry-run --out OUT", "registry"),
    "gen bqschema": ("gen bqschema --dry-run --out OUT", "registry"),
    "gen codeowners": ("gen codeowners --dry-run --out OUT", "registry"),
    "gen spark": ("gen spark --dry-run --out OUT", "registry"),
    "gen typescript": ("gen typescript --dry-run --out OUT", "registry"),
    "gen php": ("gen php --dry-run --out OUT", "registry"),
    "gen go": ("gen go --dry-run --out OUT", "registry"),
    "gen python": ("gen python --dry-run --out OUT", "registry"),
    "gen python of a service": ("-C SERVICE gen python --dry-run", "service"),
    "update": ("-C SERVICE update", "service"),
    "update --check": ("-C SERVICE update --check", "service"),
    "update --locked": ("-C SERVICE update --locked", "service"),
    "init": ("init OUT --context WORD --owner WORD", ""),
    "init of a service": ("init OUT --service billing-worker", "registry"),
    "init from recordings": ("init OUT --from FOLDER --owner WORD --dry-run", ""),
    "init from a format": ("init OUT --from FOLDER --owner WORD --wire FORMAT --setting urn.field=type --dry-run", ""),
    "infer": ("infer FOLDER --owner WORD --dry-run --tolerate 1%", "registry"),
    "impact": ("impact FOLDER --window 30d --today 2026-11-27 --format markdown", "registry against"),
    "impact of a lake": ("impact LAKE --format json --fail-above 1%", "registry against in-lake"),
    "impact of a format": ("impact FOLDER --wire FORMAT", "sound against"),
    "infer of a format": ("infer FOLDER --owner WORD --dry-run --wire FORMAT", "registry"),
    "drift": ("drift FOLDER --window 30d --today 2026-11-27", "registry"),
    "drift with a check": ("drift FOLDER --check --write COVERAGE --format json", "sound"),
    "infer of a sound registry": ("infer FOLDER --owner WORD --in-place --no-values --status active", "sound"),
    "demo": ("demo --out SOURCES", ""),
    "topology": ("topology", "registry"),
    "topology of a broker": ("topology REDIS", "sound broker"),
    "topology of RabbitMQ": ("topology AMQP --management MANAGEMENT", "sound broker"),
    "fanout": ("fanout REDIS --once", "sound broker"),
    "drain": ("drain redis REDIS WORD --out OUT --limit 3 --yes", "broker"),
    "drain --dry-run": ("drain rabbitmq AMQP WORD --out OUT --dry-run", "broker"),
    "tap": ("tap rabbitmq AMQP --exchange WORD --out OUT --limit 3", "broker"),
    "redrive": ("redrive --broker REDIS --from orders.dlq --to WORD --limit 3", "sound broker"),
    "redrive of a lake": ("redrive --broker REDIS --from lake:LAKE --dry-run", "sound broker in-lake"),
    "lake ingest": ("lake ingest --input FOLDER --lake NEW_LAKE --wire FORMAT", "sound"),
    "lake ingest of a file": ("lake ingest --input BYTES --lake NEW_LAKE --wire FORMAT", "sound"),
    "lake ingest of standard input": ("lake ingest --input - --lake NEW_LAKE --wire FORMAT", "sound"),
    "lake ingest again": ("lake ingest --input FOLDER", "sound lake"),
    "lake redrive": ("lake redrive", "sound lake"),
    "lake compact": ("lake compact --at-least 2", "lake"),
    "lake publish": ("lake publish", "lake"),
    "lake files": ("lake files --as json", "lake"),
    "lake quarantine": ("lake quarantine", "sound lake"),
    "lake report": ("lake report --output report.html", "sound lake"),
    "spark pack": ("spark pack --dry-run", "registry"),
    "rules": ("rules", "registry"),
    "explain": ("explain WORD", ""),
    "completion": ("completion WORD", ""),
    "runtime": ("runtime --out OUT", ""),
}
"""The arguments of each command, with words that stand for values, and what else it is given."""

NOT_FUZZED = {
    "spark ingest": "it is `lake ingest` in Spark, and each case starts a JVM",
    "spark stream": "each case starts a JVM; tests/cli/test_spark_failures.py and tests/spark/platform/stream have its faults",
}
"""The commands without a form here, with the reason."""
