"""Registries in memory: what a test does not show is supplied, so that it shows only what matters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date

import pytest

from babelreg import lint, load
from babelreg.finding import Finding
from babelreg.lint.config import Config
from babelreg.load.files.tree import Memory
from babelreg.model import Registry, Urn, UrnError

SERVICES = {
    "orders-api": "owner: team-orders\nlang: php\n",
    "billing-worker": "owner: team-billing\nlang: go\n",
    "storefront": "owner: team-web\nlang: node\n",
}
# What a message file needs, in the order in which it is supplied.
SUPPLIED = {
    "kind": "kind: event\n",
    "description": "description: What the test is about.\n",
    "producers": "producers: [orders-api]\n",
    "data": "data:\n  type: object\n",
    "examples": "examples: [{}]\n",
}
RETIRED = re.compile(r"^status: retired", re.MULTILINE)
FILE = re.compile(r"^# (no )?file: (\S+)(?: \((.*)\))?\n", re.MULTILINE)

Load = Callable[[str], Registry]
Lint = Callable[..., list[Finding]]


def complete(shown: Mapping[str, str]) -> dict[str, str]:
    """The files of a whole registry of which ``shown`` are given."""
    files = {path: text if not is_message(path) else completed(text) for path, text in shown.items()}
    for path in shown:
        if is_message(path):
            files.setdefault(f"{path.partition('/')[0]}/_context.yaml", "owner: team-a\n")
    for name, text in SERVICES.items():
        files.setdefault(f"_services/{name}.yaml", text)
    files.setdefault("babelreg.yaml", "version: 1\n")
    return files


def is_message(path: str) -> bool:
    return "/" in path and not path.startswith("_") and "/_" not in path and path.endswith((".yaml", ".yml"))


def completed(text: str) -> str:
    if RETIRED.search(text):
        return text
    supplied = dict(SUPPLIED)
    if re.search(r"^kind: command", text, re.MULTILINE):
        supplied["consumers"] = "consumers: [billing-worker]\n"
    return text + "".join(more for key, more in supplied.items() if not re.search(rf"^{key}:", text, re.MULTILINE))


def blocks(block: str) -> tuple[dict[str, bytes], set[str]]:
    """The files of a block, complete, and the paths it says are missing. The convention is that of ``lint.page``."""
    absent: set[str] = set()
    shown: dict[str, str] = {}
    notes: dict[str, str] = {}
    lead, *parts = FILE.split(block)
    if lead.strip():
        shown[default_path(lead)] = lead
    for no, path, note, text in zip(*[iter(parts)] * 4, strict=True):
        if no:
            absent.add(path)
            assert not text.strip()
        else:
            shown[path] = text
            notes[path] = note or ""
    files = {path: as_noted(text, notes.get(path, "")) for path, text in complete(shown).items() if path not in absent}
    return files, absent


def default_path(text: str) -> str:
    urn = re.search(r"^urn: (.*)$", text, re.MULTILINE)
    try:
        return Urn.parse(urn[1]).path if urn else "orders/created.yaml"
    except UrnError:
        return "orders/created.yaml"


def as_noted(text: str, note: str) -> bytes:
    if note == "UTF-16":
        return text.encode("utf-16")
    if note == "2 MiB":
        return text.encode() + b"#" * (2 << 20)
    if note == "200 levels":
        return f"{text}x-deep: {'[' * 200}{']' * 200}\n".encode()
    assert not note, note
    return text.encode()


@pytest.fixture
def registry() -> Load:
    """Loads a block of files; what it does not show is supplied."""
    return lambda block: load.from_tree(Memory(blocks(block)[0]))


@pytest.fixture
def findings(registry: Load) -> Lint:
    """Lints a block: ``findings(block)``, or ``findings(block, "rule-id")`` for those of one rule, in any profile.

    ``today`` is the day of the run.
    """

    def linted(block: str, rule: str | None = None, today: date | None = None) -> list[Finding]:
        loaded = registry(block)
        config = Config.of(loaded.settings, None if rule is None else "strict")
        return [f for f in lint.run(loaded, config=config, today=today) if rule in (None, f.rule)]

    return linted


@pytest.fixture
def places(findings: Lint) -> Callable[[str, str], list[str]]:
    """The places of one rule's findings in a block, as ``path:line:column``."""
    return lambda block, rule: [str(f.place) for f in findings(block, rule)]


@pytest.fixture
def in_data(findings: Lint) -> Callable[..., list[str]]:
    """``in_data(rule, properties, urn=..., more=...)``: the properties that a rule reports, as they are nested.

    ``properties`` are lines of YAML below ``data: properties:``; ``more`` are further lines of the message.
    """

    def reported(rule: str, properties: str, urn: str = "urn:babel:orders:created", more: str = "") -> list[str]:
        indented = "".join(f"    {line}\n" for line in properties.strip().splitlines())
        found = findings(f"urn: {urn}\ndata:\n  type: object\n  properties:\n{indented}{more}", rule)
        skipped = {"data", "properties", "type", "items", "enum", "format", "pattern", "description"}
        return [".".join(s for s in (f.pointer or "").split("/")[1:] if s not in skipped) for f in found]

    return reported
