"""Messages whose place depends on what came before, and the one law: each is in exactly one place."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from babelreg.lake.storage.log import manifest, replay
from babelreg.spark import files

CREATED, PAID = "urn:babel:orders:created", "urn:babel:billing:paid"


def schemas(minimum: int, *columns: str) -> dict[str, Any]:
    """What ids may be, and which columns there are beside them."""
    more = {name: {"type": "integer"} for name in columns}
    data = {"type": "object", "properties": {"id": {"type": "integer", "minimum": minimum}, **more}}
    return {CREATED: data, PAID: data}


def lines(chance: random.Random, number: int) -> bytes:
    """Messages of file ``number``: good, repeated from any file so far, with ids that are taken, refused until the
    minimum is lowered, never good."""
    found = []
    for n in range(chance.randrange(1, 20)):
        earlier = f"{chance.randrange(number + 1)}-{n}"
        identity, data = chance.choice(
            [
                (f"{number}-{n}", {"id": n + 1, "a": n}),
                (earlier, {"id": n + 1, "a": n}),
                (earlier, {"id": 99}),
                (f"{number}-{n}-mended", {"id": -chance.randrange(3)}),
                (f"{number}-{n}-never", {"id": -99}),
            ]
        )
        meta = {"id": identity, "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
        body = {"job": [CREATED, PAID][n % 2], "trace_id": "t", "data": data, "meta": meta, "attempts": 0}
        found.append(json.dumps(body).encode() + b"\n")
    return b"".join(found)


def consumed(home: Path) -> set[str]:
    """The files that batches have read, by the names under which they did."""
    return {one.name for batch in manifest.read(home / "out") for one in batch.consumed if one.start < one.end}


def _text(home: Path, name: str) -> bytes:
    """What was sent as the file ``name``, which may have moved since."""
    sent = home / "sent" / name
    return (sent if sent.exists() else home / "in" / name).read_bytes()


def rows(home: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of all tables, and of the quarantine, as readers find them."""
    tables = replay.read(home / "out").tables
    accepted = [row for urn in tables for name in files(home / "out", urn) for row in _read(name)]
    return accepted, [row for name in files(home / "out", "quarantine") for row in _read(name)]


def _read(name: str) -> list[dict[str, Any]]:
    return list(pq.ParquetFile(name).read().to_pylist())


def check(home: Path) -> Counter[str]:
    """Every message that a batch read is in one place, and what is there is what its file says; how many are where."""
    batches = manifest.read(home / "out")
    if not batches:
        return Counter()
    assert replace(replay.read(home / "out"), checkpoint=0) == replay.of(batches), "the checkpoint is wrong"
    texts = {name: _text(home, name) for name in consumed(home)}
    accepted, refused = rows(home)
    places = [(row["source_file"], row["source_offset"]) for row in [*accepted, *refused]]
    assert len(places) == len(set(places)), "a message is there twice"
    duplicates = sum(batch.duplicates for batch in batches)
    assert len(places) + duplicates == sum(text.count(b"\n") for text in texts.values()), "a message was lost"
    ids = [row["message_id"] for row in accepted]
    assert len(ids) == len(set(ids)), "an id was accepted twice"
    for row in accepted:
        told = json.loads(texts[row["source_file"]][row["source_offset"] :].partition(b"\n")[0])
        assert (told["job"], told["meta"]["id"]) == (row["urn"], row["message_id"])
        assert told["data"] == json.loads(row["data_json"])
        assert {key: value for key, value in row["data"].items() if value is not None}.items() <= told["data"].items()
    for row in refused:
        assert texts[row["source_file"]][row["source_offset"] :].startswith(row["body"] + b"\n")
    return Counter(accepted=len(accepted), duplicates=duplicates) + Counter(row["reason"] for row in refused)
