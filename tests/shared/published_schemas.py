"""Published schemas with documents that readers accept: GitHub's webhooks, and the pairs of BABELREG_CORPORA where it is set.

Half of the documents are payloads that GitHub or its documentation has, the others are variants of them: without a
property, with one more, with another value or item, as the schema still admits. The webhooks are fetched from npm once, into
the cache folder; see :mod:`octokit`.
"""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jars
import jsonschema_rs
import octokit
from corpora import CORPORA

from babelreg.contract.schema_problem import schema_problem
from babelreg.contract.views import reader_view

__all__ = ["Published", "published"]

_SCRIPT = Path(__file__).resolve().parents[1] / "gen/fetch_octokit.py"
_WEBHOOKS = 40
_DOCUMENTS = 16
_LONGEST = 20_000
_DRAFTS = {"draft7": "http://json-schema.org/draft-07/schema#", "draft2020-12": None}
_OTHERS: list[Any] = [
    None, True, False, 0, -1, 1.0, 1.5, -0.0, 2**53 + 1, 10**20, 1e300, "", "é", "2026-11-20T10:00:00Z", [], {}, [None],
    {"x": [1.0]},
]  # fmt: skip


class Published(NamedTuple):
    """A schema and distinct documents that readers accept."""

    schema: dict[str, Any]
    documents: list[Any]


@cache
def published() -> list[Published]:
    """Return the schemas, the same ones with the same documents in each run."""
    found = [_with_variants(schema, documents) for schema, documents in [*_webhooks(), *_pairs()]]
    return [each for each in found if len(each.documents) * 2 > _DOCUMENTS]


def _webhooks() -> Iterator[tuple[dict[str, Any], list[Any]]]:
    folder = _folder()
    payloads: dict[str, list[Any]] = {}
    for example in octokit.examples(folder):
        if len(json.dumps(example.payload)) <= _LONGEST:
            payloads.setdefault(example.urn, []).append(example.payload)
    schemas = octokit.mended(folder)
    urns = sorted(payloads)
    for number in range(_WEBHOOKS):  # one of each part of the alphabet, which is of the events
        urn = urns[number * len(urns) // _WEBHOOKS]
        yield schemas[urn], payloads[urn]


def _folder() -> Path:
    """Return the folder with the webhooks, fetched where it is not there yet."""
    if "BABELREG_OCTOKIT" in os.environ:
        return Path(os.environ["BABELREG_OCTOKIT"])
    target = jars.cache() / "octokit"
    if not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            fetched = Path(scratch) / "octokit"
            done = subprocess.run([sys.executable, _SCRIPT, fetched], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            if not target.is_dir():  # unless another process was faster
                fetched.rename(target)
    return target


def _pairs() -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Yield the schemas of objects in the pairs, with the documents that tell two of them apart."""
    for path in sorted(CORPORA.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row.get("draft") in _DRAFTS and isinstance(row["old"], dict) and row["old"].get("type") == "object":
                schema = {name: value for name, value in row["old"].items() if name not in ("$id", "id", "$schema")}
                dialect = _DRAFTS[row["draft"]]
                schema = {"$schema": dialect, **schema} if dialect else schema
                if schema_problem(schema) is None:
                    yield schema, [{}, *(row.get("witness") or {}).values()]


def _with_variants(schema: dict[str, Any], documents: list[Any]) -> Published:
    """Return the schema with those of ``documents``, and variants of them, that readers accept."""
    validator = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True)
    accepted = {json.dumps(each): each for each in documents if validator.is_valid(each)}
    accepted = dict(list(accepted.items())[: _DOCUMENTS // 2])
    drawing = random.Random(json.dumps(sorted(accepted)))
    for _ in range(_DOCUMENTS * 30 if accepted else 0):
        if len(accepted) == _DOCUMENTS:
            break
        variant = _variant(drawing.choice(list(accepted.values())), schema, drawing)
        if validator.is_valid(variant):
            accepted[json.dumps(variant)] = variant
    return Published(schema, list(accepted.values()))


def _variant(document: Any, schema: dict[str, Any], drawing: random.Random) -> Any:
    """Return a copy of ``document`` with a few changes, which the schema need not admit."""
    result = {"": copy.deepcopy(document)}
    for _ in range(drawing.choice([1, 1, 2, 4])):
        change = drawing.choice(["remove", "add", "append", "replace"])
        other = copy.deepcopy(drawing.choice(_OTHERS))
        kind = {"add": dict, "append": list}.get(change, object)
        places = [place for place in _places(result) if isinstance(place[0][place[1]], kind)]
        if not places:
            continue
        holder, step = drawing.choice(places)
        if change == "add":
            holder[step][drawing.choice([*_names(schema), "undeclared", "a-b", "2nd"])] = other
        elif change == "append":
            holder[step].append(copy.deepcopy(drawing.choice([*holder[step], other])))
        elif change == "replace":
            holder[step] = other
        elif step:
            del holder[step]
    return result[""]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, (dict, list)):
        for step in value if isinstance(value, dict) else range(len(value)):
            yield value, step
            yield from _places(value[step])


def _names(schema: dict[str, Any]) -> list[str]:
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, dict) else []
