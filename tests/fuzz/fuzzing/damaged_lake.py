"""A lake that is made once and damaged anew for each case: manifests, checkpoints, tables, indexes and published metadata."""

from __future__ import annotations

import json
import random
import re
import shutil
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

from babelreg.lake.storage.log import replay
from babelreg.lake.storage.log.batch_record import sealed
from fuzzing import mutate
from fuzzing.case import run_command

__all__ = ["DamagedLake"]

_CHECKSUM = re.compile(rb"[0-9a-f]{8}\n")


class DamagedLake:
    """The lake ``place`` of five ingests and a compaction, published as Delta and Iceberg tables."""

    def __init__(self, place: Path, registry: Path, messages: bytes) -> None:
        self.place = place
        self._sound = place.with_name("sound-lake")
        self._registry = registry
        self._messages = messages

    @cached_property
    def _made(self) -> Path:
        recorded = self.place.with_name("recorded")
        recorded.mkdir()
        for number in range(5):
            (recorded / f"{number}.jsonl").write_bytes(self._numbered(number))
            with patch.object(replay, "EVERY", 2):  # so that there are checkpoints and folded manifests
                self._run(
                    "lake", "ingest", "--input", str(recorded), "--registry", str(self._registry), "--engine", "local"
                )
        self._run("lake", "compact", "--at-least", "2", "--engine", "local")
        self._run("lake", "publish", "--to", "delta,iceberg")
        self.place.rename(self._sound)
        return self._sound

    def _numbered(self, number: int) -> bytes:
        lines = []
        for at, line in enumerate(self._messages.splitlines()):
            message = json.loads(line)
            message["meta"]["id"] = f"m{at + 100 * (number and at % 3)}"
            lines.append(json.dumps(message).encode())
        return b"\n".join([*lines, b"{", b""])

    def _run(self, *arguments: str) -> None:
        ran = run_command((*arguments, "--lake", str(self.place)))
        assert ran.code in (0, 1), ran.err

    def damage(self, chance: random.Random) -> None:
        """Write the lake anew, with damage to a file or two."""
        sound = self._made
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(sound, self.place)
        files = sorted(path for path in self.place.rglob("*") if path.is_file())
        manifests = [path for path in files if "manifest" in path.parts]
        for _ in range(chance.choice([0, 1, 1, 1, 2])):
            path = chance.choice(chance.choice([files, manifests, manifests]))
            if path.exists():
                self._damage(chance, path)

    @staticmethod
    def _damage(chance: random.Random, path: Path) -> None:
        roll, body = chance.random(), path.read_bytes()
        if roll < 0.1:
            path.unlink()
        elif roll < 0.2:
            path.write_bytes(body[: chance.randint(0, len(body))])
        elif roll < 0.8 and body[:1] in (b"{", b"["):
            path.write_bytes(_changed(chance, body))
        else:
            path.write_bytes(mutate.mutated_bytes(chance, body))


def _changed(chance: random.Random, body: bytes) -> bytes:
    """Change a value of a JSON file; of a file with a document a line, in one of them. All check sums are right."""
    try:
        return _spelled(mutate.changed_value(chance, json.loads(body)))
    except ValueError:
        lines = body.splitlines(keepends=True)
    documents = [number for number, line in enumerate(lines) if line[:1] in (b"{", b"[")]
    number = chance.choice(documents)
    try:
        lines[number] = _spelled(mutate.changed_value(chance, json.loads(lines[number])))
    except ValueError:
        return mutate.mutated_bytes(chance, body)
    for place in (number + 1, len(lines) - 1):
        if lines[place:] and _CHECKSUM.fullmatch(lines[place]):
            covered = lines[number] if place < len(lines) - 1 else b"".join(lines[:-1])
            lines[place] = sealed(covered).removeprefix(covered)
    return b"".join(lines)


def _spelled(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass") + b"\n"
