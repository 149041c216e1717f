"""Registries in memory whose messages are widened by samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from inferred import OPTIONS

from babelreg.analysis.infer.schema import Decisions
from babelreg.analysis.infer.widened_files import WidenedFiles, widened_files
from babelreg.analysis.infer.widening_trials import Check
from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.load.files.tree import Memory
from babelreg.load.registry.builder import from_tree
from babelreg.load.yaml.yaml_text import yaml_text

URN = "urn:babel:orders:created"
PATH = "orders/created.yaml"


def message_text(schema: Any, status: str = "active") -> str:
    return yaml_text({"urn": URN, "kind": "event", "status": status, "owner": "team-orders", "data": schema}, "message")


def widened_texts(
    files: Mapping[str, str],
    samples: Mapping[str, Iterable[Any]],
    *,
    check: Check | None = None,
    settings: str = "version: 1\n",
    **decisions: Any,
) -> tuple[dict[str, str], WidenedFiles]:
    """Return the texts of ``files`` after they were widened by ``samples``, by URN, and what was done."""
    every = {"babelreg.yaml": settings, "orders/_context.yaml": "owner: team-orders\n", **files}
    tree = Memory({path: text.encode() for path, text in every.items()})
    registry = from_tree(tree, "")
    assert not registry.defects, registry.defects
    sketches = {}
    for urn, values in samples.items():
        sketches[urn] = MessageSketch(OPTIONS.detectors)
        for value in values:
            sketches[urn].count += 1
            sketches[urn].data.add(value)
    options = replace(OPTIONS, decisions=Decisions(**decisions))
    result = widened_files(registry, tree, sketches, options, check)
    return {**files, **{path: change.new.decode() for path, change in result.changes.items()}}, result


def schema_in(files: Mapping[str, str], urn: str = URN) -> Any:
    """Return the bundled schema of a message."""
    every = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: team-orders\n", **files}
    registry = from_tree(Memory({path: text.encode() for path, text in every.items()}), "")
    assert not registry.defects, registry.defects
    return registry.by_urn[urn].schema


def is_readable(files: Mapping[str, str]) -> bool:
    """Return True where a registry of ``files`` has no defects."""
    every = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: team-orders\n", **files}
    return not from_tree(Memory({path: text.encode() for path, text in every.items()}), "").defects
