"""``babelreg redrive --from lake:DIR``: quarantined messages that are valid now go to a queue, and to their tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from broker_queues import URN, RedisLists, dead_letter, envelope

pytest.importorskip("pyarrow")

from babelreg.lake.ingest import redrive as lake_redrive
from babelreg.spark import dataset

pytestmark = pytest.mark.redis

Run = Callable[..., tuple[int, str, str]]

LARGE = {"id": 100}
MESSAGES = [
    envelope(1),
    dead_letter(2, LARGE),
    envelope(3, LARGE),
    b"not json",
    dead_letter(2, LARGE),  # recorded twice
    dead_letter(4, LARGE, original_queue="payments"),
    envelope(5, {"id": None}),
]


@pytest.fixture
def broker(redis: Any, monkeypatch: pytest.MonkeyPatch) -> RedisLists:
    lists = RedisLists(redis)
    lists.create()
    monkeypatch.setenv("BABELREG_BROKER", lists.url)
    return lists


@pytest.fixture
def place(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a lake, whose registry has accepted larger ids since the messages were read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "registry" / "orders").mkdir(parents=True)
    (tmp_path / "registry" / "babelreg.yaml").write_text("version: 1\nspark: {engine: local}\n")
    (tmp_path / "registry" / "orders" / "_context.yaml").write_text("owner: team-orders\n")
    path = tmp_path / "registry" / "orders" / "created.yaml"
    schema: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "integer", "maximum": 99}}}
    path.write_text(json.dumps({"urn": URN, "kind": "event", "queue": "orders", "data": schema}))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(b"".join(message + b"\n" for message in MESSAGES))
    assert run("lake", "ingest", "--input", "in", "--lake", "lake")[0] == 0
    schema["properties"]["id"] = {"type": "integer"}
    path.write_text(json.dumps({"urn": URN, "kind": "event", "queue": "orders", "data": schema}))
    return tmp_path


def reasons(run: Run) -> dict[str, int]:
    document = json.loads(run("lake", "quarantine", "--lake", "lake", "--format", "json")[1])
    return dict(document["reasons"])


def test_what_passes_is_sent_once_and_leaves_the_quarantine(place: Path, broker: RedisLists, run: Run) -> None:
    code, out, err = run("redrive", "--from", "lake:lake", "--to", "orders")
    assert code == 0, err
    assert out.splitlines()[0] == "lake:lake: sent 3 dead letters"
    assert Counter(broker.bodies("orders")) == Counter(envelope(number, LARGE) for number in (2, 3, 4))
    assert sum(reasons(run).values()) == 2
    assert run("redrive", "--from", "lake:lake", "--to", "orders")[1].startswith("lake:lake: sent no dead letter")
    assert len(broker.bodies("orders")) == 3
    assert dataset(place / "lake", URN).count_rows() == 4


def test_a_message_under_an_alias_is_sent_byte_by_byte_as_it_was_received(
    place: Path, broker: RedisLists, run: Run
) -> None:
    sent = envelope(7).replace(URN.encode(), b"Orders.Created").replace(b": ", b" :  ")
    (place / "in" / "b").write_bytes(sent + b"\n")
    assert run("lake", "ingest", "--input", "in/b", "--lake", "lake")[0] == 0
    path = place / "registry" / "orders" / "created.yaml"
    path.write_text(json.dumps({**json.loads(path.read_text()), "aliases": ["Orders.Created"]}))
    assert run("redrive", "--from", "lake:lake", "--to", "orders", "--reason", "unknown_urn")[0] == 0
    assert sent in broker.bodies("orders")
    rows = dataset(place / "lake", URN).to_table().to_pylist()
    (row,) = (row for row in rows if row["sent_urn"] == "Orders.Created")
    assert row["urn"] == URN


def test_without_a_target_only_dead_letters_that_name_theirs_are_sent(
    place: Path, broker: RedisLists, run: Run
) -> None:
    out = json.loads(run("redrive", "--from", "lake:lake", "--format", "json")[1])
    assert out["messages"] == [{"urn": URN, "to": "orders", "count": 1}]
    assert Counter({each["reason"]: each["count"] for each in out["reasons"]})["target_unknown"] == 2
    assert broker.bodies("orders") == [envelope(2, LARGE)]
    assert sum(reasons(run).values()) == 4


def test_a_dry_run_sends_and_writes_nothing(place: Path, broker: RedisLists, run: Run) -> None:
    before = sorted(path.relative_to(place) for path in (place / "lake").rglob("*"))
    out = run("redrive", "--from", "lake:lake", "--to", "orders", "--dry-run")[1]
    assert out.splitlines()[0] == "lake:lake: would send 3 dead letters"
    assert broker.bodies("orders") == []
    assert sorted(path.relative_to(place) for path in (place / "lake").rglob("*")) == before


def test_a_limit_sends_so_many(place: Path, broker: RedisLists, run: Run) -> None:
    for count in (2, 3, 3):
        run("redrive", "--from", "lake:lake", "--to", "orders", "--limit", 2)
        assert len(broker.bodies("orders")) == count
    assert sum(reasons(run).values()) == 2


def test_a_run_that_dies_before_the_lake_is_written_sends_its_batch_again(
    place: Path, broker: RedisLists, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(lake_redrive, "commit", lambda *a, **k: (_ for _ in ()).throw(RuntimeError("killed")))
        run("redrive", "--from", "lake:lake", "--to", "orders")
    assert run("redrive", "--from", "lake:lake", "--to", "orders")[0] == 0
    sent = Counter(json.loads(body)["meta"]["id"] for body in broker.bodies("orders"))
    assert sent == {"m2": 2, "m3": 2, "m4": 2}
    assert sum(reasons(run).values()) == 2


def test_a_reason_that_no_message_has_is_suggested(place: Path, broker: RedisLists, run: Run) -> None:
    code, _, err = run("redrive", "--from", "lake:lake", "--to", "orders", "--reason", "above_maximm")
    assert code == 2
    assert "above_maximum" in err


def test_a_folder_that_is_no_lake_is_refused(place: Path, broker: RedisLists, run: Run) -> None:
    code, _, err = run("redrive", "--from", "lake:in", "--to", "orders")
    assert code == 2
    assert "in" in err
