"""How long pairs of changed schemas take, whole processes: ``python benchmarks/breaking_pairs.py CORPUS [RUNS]``.

CORPUS is a file of JSON lines, each with ``old``, ``new`` and ``draft``: schemas as ``babelreg.containment.schema_pair`` takes
them. Until there are 1,000 pairs, its lines come again, with one property more each time, so that no two are the same.

``compare``: a process that asks for the verdict of each pair, under the readers and formats that ``breaking`` takes.
``breaking``: a registry of two commits, the old schemas and then the new; nothing is kept from a run before. A registry
takes draft 7: a pair that is none there is left out, and others stand in.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import machine

PAIRS = 1_000
BARS = {"compare": 6.0, "breaking": 6.0}
DRAFT7 = "http://json-schema.org/draft-07/schema#"
COMPARE = """
import json, sys
from babelreg.containment import compare
for line in open(sys.argv[1], encoding="utf-8"):
    pair = json.loads(line)
    compare(pair["old"], pair["new"], reader="tolerant", formats="asserted", dialect=pair["draft"])
"""
Pair = dict[str, Any]


def pairs(lines: list[Pair]) -> Iterator[Pair]:
    """Those of ``lines``, and again with a property more, for ever."""
    for turn in itertools.count():
        for pair in lines:
            yield {**pair, "old": grown(pair["old"], turn), "new": grown(pair["new"], turn)}


def grown(schema: Any, turn: int) -> Any:
    """``schema`` with ``turn`` properties more, where it lists any."""
    listed = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(listed, dict):
        return schema
    return {**schema, "properties": {**listed, **{f"grown_{n}": {"type": "integer"} for n in range(turn)}}}


def in_draft7(pair: Pair) -> bool:
    """True where both schemas are objects that a registry takes as draft 7."""
    schemas = (pair["old"], pair["new"])
    objects = all(isinstance(schema, dict) and schema.get("type") == "object" for schema in schemas)
    return objects and all(jsonschema_rs.meta.is_valid({**schema, "$schema": DRAFT7}) for schema in schemas)


def message(number: int, schema: dict[str, Any]) -> str:
    """A file that declares it; JSON is YAML."""
    said = re.sub(r'"\\$schema": "[^"]*",? ?', "", json.dumps(schema, indent=1))
    data = json.loads(said)
    data.pop("id", None)
    body = json.dumps({"$schema": DRAFT7, **data}, indent=1)
    about = f"urn: urn:babel:pairs:number-{number}\nkind: event\nproducers: [pairs-api]\nconsumers: [pairs-worker]\n"
    return f"{about}data: {body}\n"


def make(folder: Path, chosen: list[Pair]) -> None:
    """A repository with the old schemas in its one commit and the new ones in its work tree."""
    registry = folder / "registry"
    for name in ("_services", "pairs"):
        (registry / name).mkdir(parents=True)
    (registry / "babelreg.yaml").write_text("version: 1\n", "utf-8")
    (registry / "pairs" / "_context.yaml").write_text("owner: team-pairs\n", "utf-8")
    for name in ("pairs-api", "pairs-worker"):
        (registry / "_services" / f"{name}.yaml").write_text("owner: team-pairs\nlang: go\n", "utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.com"]
    for side in ("old", "new"):
        for number, pair in enumerate(chosen):
            (registry / "pairs" / f"number-{number}.yaml").write_text(message(number, pair[side]), "utf-8")
        if side == "old":
            subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-qm", "old"], check=True)


def seconds(command: list[str], folder: Path, ends: int) -> float:
    """Of one whole process, which must end with ``ends``, with an empty cache."""
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    environment = {**os.environ, "BABELREG_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).parents[1])}
    start = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, cwd=folder, env=environment)
    taken = time.perf_counter() - start
    if done.returncode != ends:
        raise SystemExit(f"exit {done.returncode}: {(done.stdout + done.stderr)[-800:].decode()}")
    return taken


def main() -> int:
    """Print the table; returns 1 where a bar is missed."""
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    lines = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked = folder / "pairs.jsonl"
        asked.write_text("".join(json.dumps(p) + "\n" for p in itertools.islice(pairs(lines), PAIRS)), "utf-8")
        make(folder / "repository", list(itertools.islice(pairs([p for p in lines if in_draft7(p)]), PAIRS)))
        commands = {
            "compare": ([sys.executable, "-c", COMPARE, str(asked)], folder, 0),
            "breaking": ([sys.executable, "-m", "babelreg", "breaking", "registry"], folder / "repository", 1),
        }
        for command, where, ends in commands.values():
            seconds(command, where, ends)  # compiles the code
        taken = {row: [seconds(*command) for _ in range(runs)] for row, command in commands.items()}
    print(f"{'median of ' + str(runs):20} {'s':>6} {'bar':>6}   {machine.described()}")
    missed = False
    for row, times in taken.items():
        bar = BARS.get(row)
        print(f"{row:20} {statistics.median(times):6.2f} {bar or '':>6}   {machine.beside(statistics.median(times))}")
        missed |= bar is not None and statistics.median(times) > bar
    return int(missed)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.exit(main())
