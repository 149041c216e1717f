"""A flipped bit in any byte of fifty Parquet files: our reader reports it or returns the same rows, never other ones."""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import input_kinds

from babelreg.lake import LocalEngine, ingest
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.parquet import metadata_of, table_of

FILES = 50
_TAIL = 8
"""Bytes behind the footer of a Parquet file: its length and the magic number."""


def _orders(number: int) -> bytes:
    """Rows of every tenth of which is refused."""
    rows = []
    for row in range(10 * number, 10 * number + 5 + 3 * number):
        meta = {"id": f"f{row}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": row}
        data = {"k": None if row % 5 == 0 else row * 997}
        body = {"job": input_kinds.OTHER, "trace_id": f"{row % 3}", "data": data, "meta": meta, "attempts": row % 2}
        rows.append(json.dumps(body).encode())
    return b"\n".join(rows)


@pytest.fixture(scope="module")
def paths(engine: LocalEngine, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files of tables and of the quarantine of a lake: of sixty kinds of messages, and of more and more rows."""
    home = tmp_path_factory.mktemp("files")
    input_kinds.write_files(home / "kinds")
    (home / "orders").mkdir()
    sources = [home / "kinds" / name for name in input_kinds.FILES]
    for number in range(FILES):
        sources.append(home / "orders" / f"{number:02}.jsonl")
        sources[-1].write_bytes(_orders(number))
    found: list[Path] = []
    for source in sources:
        ingest(engine, input_kinds.registry(), source, home / "lake", compacting=False)
        state = replay.read(home / "lake")
        names = [*state.quarantine, *(name for table in state.tables.values() for name in table)]
        found = sorted(home / "lake" / name for name in names)
        if len(found) >= FILES:
            break
    return found[:FILES]


def _flipped(paths: list[Path], places: Iterable[tuple[int, int]], chance: random.Random) -> Counter[str]:
    """Flip a bit at each of ``places``, a file and a byte; return how often that was reported, and how often not."""
    outcomes: Counter[str] = Counter()
    expected, read = pa.table({}), None
    for number, place in places:
        path = paths[number]
        if read != number:
            expected, read = table_of(path), number
            footer = path.stat().st_size - _TAIL - metadata_of(path).serialized_size
        file = os.open(path, os.O_RDWR)
        byte = os.pread(file, 1, place)
        os.pwrite(file, bytes([byte[0] ^ 1 << chance.randrange(8)]), place)
        part = "page" if place < footer else "footer"
        try:
            rows = table_of(path)
        except (OSError, pa.ArrowException):
            outcomes[f"{part}, reported"] += 1
        else:
            same = rows.equals(expected)
            outcomes[f"{part}, {'same rows' if same else 'other rows'}"] += 1
        finally:
            os.pwrite(file, byte, place)
            os.close(file)
    return outcomes


@pytest.mark.parametrize(
    "flips", [pytest.param(1_000, id="here and there"), pytest.param(None, id="every byte", marks=pytest.mark.long)]
)
def test_no_flipped_bit_of_fifty_files_gives_other_rows(flips: int | None, paths: list[Path]) -> None:
    assert len(paths) == FILES
    assert any("quarantine" in path.parts for path in paths)
    chance = random.Random(50)
    places = [(number, place) for number, path in enumerate(paths) for place in range(path.stat().st_size)]
    chosen = places if flips is None else sorted(chance.sample(places, flips))
    outcomes = _flipped(paths, chosen, chance)
    print(f"{len(chosen):,} flips: {dict(outcomes)}")
    assert outcomes["page, other rows"] == 0
    # A footer says where pages are and how they are read; the name of a file has its check sum.
    assert outcomes.keys() & {"footer, same rows", "footer, other rows"} == set()
    assert outcomes["page, reported"] > len(chosen) / 10
    assert outcomes["footer, reported"] > len(chosen) / 10
