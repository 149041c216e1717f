"""Registries in memory and their traffic, from one text of YAML files."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import yaml

from babelreg.analysis.drift.coverage import measured
from babelreg.analysis.drift.rules.rule import DriftScope
from babelreg.analysis.infer.message_names import recorded_messages
from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.cli.shared.inference import name_rules
from babelreg.contract.envelope import Envelope
from babelreg.lake.traffic.detection import detectors
from babelreg.load.files.tree import Memory
from babelreg.load.registry.builder import from_tree
from babelreg.model import Registry

_FILE = re.compile(r"^\s*# file: (\S+)\n", re.MULTILINE)


def files_of(text: str) -> dict[str, str]:
    """Return the files of a block: each begins with a line ``# file: PATH``."""
    parts = _FILE.split(text)
    files = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {path: f"kind: event\n{text}" if text.startswith("urn:") else text for path, text in files.items()}


def registry_of(files: dict[str, str]) -> Registry:
    every = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: team-orders\n", **files}
    return from_tree(Memory({path: text.encode() for path, text in every.items()}), "")


def traffic_of(messages: list[dict[str, Any]]) -> TrafficSketch:
    """Return the sketch of messages with urn and data, and perhaps times, lang, queue and day."""
    sketch = TrafficSketch(detectors())
    for message in messages:
        day = message.get("day")
        meta = {"lang": message.get("lang", "php"), "queue": message.get("queue", "orders")}
        if day is not None:
            meta["created_at"] = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp() * 1000)
        for _ in range(message.get("times", 1)):
            sketch.add(Envelope(message["urn"], {"meta": meta, "data": message["data"]}))
    return sketch


def scope_of(
    files: dict[str, str], messages: list[dict[str, Any]], before: list[dict[str, Any]] | None = None, days: int = 7
) -> DriftScope:
    """Return the scope of a registry and its traffic; ``before`` is that of an earlier window."""
    registry = registry_of(files)
    baseline = measured(scope_of(files, before).messages, 7) if before is not None else None
    sent = traffic_of(messages).messages or {}
    rules = name_rules()
    recorded = recorded_messages(registry, sent, rules)
    return DriftScope(registry, sent, recorded, rules.holds_data, days, ["recordings"], baseline)


def scope_in(text: str) -> DriftScope:
    """Return the scope of a block whose files ``traffic.yaml`` and ``before.yaml`` are traffic."""
    files = files_of(text)
    traffic = {name: yaml.safe_load(files.pop(name)) for name in ("traffic.yaml", "before.yaml") if name in files}
    return scope_of(files, traffic["traffic.yaml"], traffic.get("before.yaml"))
