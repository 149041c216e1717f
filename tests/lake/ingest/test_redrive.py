"""The quarantine judged again with a mended registry."""

from __future__ import annotations

import errno
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg.errors import UsageError
from babelreg.lake.storage.log import manifest
from babelreg.model import Registry
from babelreg.spark import (
    LocalEngine,
    Summary,
    files,
    ingest,
    redrive,
)

CREATED, PAID = "urn:babel:orders:created", "urn:babel:billing:payment.captured"
Make = Callable[..., Registry]


def schemas(minimum: int) -> dict[str, Any]:
    data = {"type": "object", "properties": {"id": {"type": "integer", "minimum": minimum}}}
    return {CREATED: data, PAID: {"type": "object", "required": ["minor"]}}


def envelope(data: Any, identity: str, urn: str = CREATED) -> bytes:
    meta = {"id": identity, "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    body = {"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}
    return json.dumps(body).encode() + b"\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path


def rows(home: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table as its manifest lists them, without Spark."""
    found = [row for name in files(home / "out", table) for row in pq.read_table(name).to_pylist()]
    return sorted(found, key=lambda row: (row["source_file"], row["source_offset"]))


def counts(summary: Summary) -> tuple[int, int, int, int]:
    assert summary.read == summary.accepted + summary.duplicates + summary.quarantined
    return summary.read, summary.accepted, summary.duplicates, summary.quarantined


def tree(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (home / "out").rglob("*") if path.is_file()}


def test_what_passes_now_lands_once_and_the_rest_stays(
    engine: LocalEngine, make_registry: Make, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        envelope({"id": 5}, "good"),
        envelope({"id": 0}, "mended"),
        envelope({"id": 0}, "mended"),
        envelope({"id": 0}, "good"),  # mended as well, and then the id is taken
        envelope({"id": -9}, "still"),
        envelope({}, "paid", PAID),
        b"{\n",
    ]
    (home / "in" / "a.jsonl").write_bytes(b"".join(lines))
    assert counts(ingest(engine, make_registry(schemas(1)), home / "in", home / "out")) == (7, 1, 0, 6)

    mended = make_registry(schemas(-5))
    before = tree(home)
    with monkeypatch.context() as patch:
        patch.setattr(manifest, "write", _full)
        with pytest.raises(UsageError, match="No space left"):
            redrive(engine, mended, home / "out", reasons=["below_minimum"])
    assert tree(home) == before

    summary = redrive(engine, mended, home / "out", reasons=["below_minimum"])
    assert (summary.batch, counts(summary)) == (2, (4, 1, 1, 2))
    assert summary.reasons == {"below_minimum": 1, "id_conflict": 1}
    assert [(row["message_id"], row["source_offset"]) for row in rows(home, CREATED)] == [
        ("good", 0),
        ("mended", len(lines[0])),
    ]
    kept = rows(home, "quarantine")
    assert Counter(row["reason"] for row in kept) == {
        "below_minimum": 1,
        "id_conflict": 1,
        "missing_required": 1,
        "invalid_json": 1,
    }
    assert [row["body"] + b"\n" for row in kept] == lines[3:]
    assert {row["batch_read"] for row in kept} == {1}

    before = tree(home)
    assert redrive(engine, mended, home / "out").batch is None
    assert redrive(pytest.fail, mended, home / "out", urns=[PAID], reasons=["invalid_json"]).read == 0
    for names, said, fix in MISSPELT:
        with pytest.raises(UsageError, match=said) as raised:
            redrive(pytest.fail, mended, home / "out", **names)
        assert raised.value.fix == fix
    gone = make_registry({CREATED: schemas(-5)[CREATED]})
    with pytest.raises(UsageError, match="neither the quarantine nor the registry knows"):
        redrive(pytest.fail, gone, home / "out", urns=["urn:babel:orders:gone"])
    assert redrive(pytest.fail, gone, home / "out", urns=[PAID], reasons=["too_deep"]).read == 0
    assert tree(home) == before


MISSPELT: list[tuple[dict[str, list[str]], str, str]] = [
    (
        {"reasons": ["invalid_json", "unknwon_urn"]},
        "no message is ever refused for 'unknwon_urn'",
        "did you mean 'unknown_urn'?",
    ),
    ({"reasons": ["unstorable_integr"]}, "for 'unstorable_integr'", "did you mean 'unstorable_integer'?"),
    ({"reasons": ["~"]}, "for '~'", "without --reason the whole quarantine is validated again"),
    (
        {"urns": [PAID, "urn:babel:orders:craeted"]},
        "neither the quarantine nor the registry knows 'urn:babel:orders:craeted'",
        f"did you mean '{CREATED}'?",
    ),
]


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_where_nothing_was_ingested_nothing_is_judged_again(make_registry: Make, home: Path) -> None:
    with pytest.raises(UsageError, match="does not exist") as raised:
        redrive(pytest.fail, make_registry(schemas(1)), home / "out")
    assert (raised.value.fix, (home / "out").exists()) == ("pass the --lake of an earlier run", False)
