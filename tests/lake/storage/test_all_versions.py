"""Three versions of a message, ingested as each was the newest, read as one table: with Spark and without."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.contract.upcast import UpcastError, compiled, composed
from babelreg.errors import BabelregError, UsageError
from babelreg.lake.storage.all_versions import plan
from babelreg.model import Registry
from babelreg.spark import compact, ingest, version_batches, versions

V1, V2, V3 = (f"urn:babel:orders:created{end}" for end in ("", ".v2", ".v3"))
FIRST: dict[str, Any] = {"type": "object", "properties": {"amount": {"type": "integer"}, "state": {"type": "string"}}}
SECOND: dict[str, Any] = {
    "type": "object",
    "required": ["total"],
    "properties": {
        "total": {"type": "object", "required": ["minor"], "properties": {"minor": {"type": "integer", "minimum": 0}}},
        "state": {"type": "string"},
    },
}
THIRD: dict[str, Any] = {
    "type": "object",
    "required": ["total", "state"],
    "properties": {
        "total": {"type": "object", "properties": {"minor": {"type": "integer"}, "currency": {"type": "string"}}},
        "state": {"enum": ["new", "paid"]},
        "seen": {"type": "array", "items": {"type": "string", "format": "date-time"}},
        "extra": {},
        "own": {"x-spark-type": "variant"},
        "tags": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
}
TO_SECOND: list[Any] = [{"rename": {"amount": "total.minor"}}]
TO_THIRD: list[Any] = [{"default": {"total.currency": "EUR", "state": "new"}}, {"map": {"state": {"p": "paid"}}}]


def _registry(**changed: Any) -> Registry:
    messages = {
        "created": {"urn": V1, "data": FIRST},
        "created.v2": {"urn": V2, "data": SECOND, "supersedes": V1, "upcast": TO_SECOND},
        "created.v3": {"urn": V3, "data": THIRD, "supersedes": V2, "upcast": TO_THIRD},
    }
    files = {"babelreg.yaml": b"version: 1\n", "orders/_context.yaml": b"owner: team\n"}
    for name, message in {**messages, **changed}.items():
        if message is not None:
            files[f"orders/{name}.yaml"] = json.dumps({"kind": "event", **message}).encode()
    return load.from_tree(load.files.tree.Memory(files))


def _messages(count: int) -> dict[str, tuple[str, Any]]:
    """``{id: (URN, data)}`` of all three versions."""
    dice = random.Random(7)
    found = {}
    for number in range(count):
        urn = (V1, V2, V3)[number % 3]
        state = {"state": dice.choice(["new", "p", "paid", "odd"])} if dice.random() < 0.8 else {}
        if urn == V1:
            data: dict[str, Any] = {
                **state,
                **dice.choice([{}, {"amount": dice.randrange(9)}, {"amount": -1, "é": [1]}]),
            }
        elif urn == V2:
            data = {**state, "total": {"minor": dice.randrange(9)}, **dice.choice([{}, {"extra": 2**70, "own": "x"}])}
        else:
            data = {
                "state": "new",
                "total": {"minor": 1},
                "seen": ["2026-11-20T09:30:00Z"],
                "own": {"a": 1},
                "tags": {"k": 1},
            }
        found[f"m{number}"] = (urn, data)
    return found


def _envelope(identity: str, urn: str, data: Any) -> bytes:
    meta = {"id": identity, "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_000}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode() + b"\n"


@pytest.fixture(scope="module")
def lake(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("versions")
    (home / "in").mkdir()
    for part in range(2):
        chosen = list(_messages(120).items())[part::2]
        (home / "in" / f"{part}.jsonl").write_bytes(b"".join(_envelope(name, *one) for name, one in chosen))
        ingest(spark, _registry(), home / "in", home / "out")
    return home / "out"


def _session(spark: Any) -> Any:
    """A session of its own, for queries that are run once: compiling them takes longer than they do."""
    own = spark.newSession()
    own.conf.set("spark.sql.codegen.wholeStage", "false")
    own.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")  # as a user may have set it
    own.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    own.conf.set("spark.sql.ansi.enabled", "false")
    return own


def _by_id(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    found = {row["message_id"]: row for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.mark.spark
def test_every_row_is_what_a_consumer_would_have_been_given(spark: Any, lake: Path) -> None:
    frame = versions(_session(spark), _registry(), lake, V3)
    assert frame.columns[0] == "urn"
    assert frame.columns[-4:] == ["data", "data_json", "upcast_from", "upcast_error"]
    rows = _by_id([row.asDict(recursive=True) for row in frame.collect()])
    assert frame.where("created_at = timestamp'2026-05-28T20:26:40Z'").count() == len(rows)
    arrow = _by_id([row for batch in version_batches(_registry(), lake, V3) for row in batch.to_pylist()])
    assert rows.keys() == arrow.keys() == _messages(120).keys()

    steps = {V1: composed(map(compiled, (TO_SECOND, TO_THIRD))), V2: compiled(TO_THIRD)}
    failed = 0
    for name, (urn, data) in _messages(120).items():
        row = rows[name]
        own, other = row["data"] and row["data"].pop("own"), arrow[name]["data"] and arrow[name]["data"].pop("own")
        assert (own is None) == (other is None)
        tags = arrow[name]["data"] and arrow[name]["data"]["tags"]
        if tags is not None:
            arrow[name]["data"]["tags"] = dict(tags)
        seen = row["data"] and row["data"].pop("seen"), arrow[name]["data"] and arrow[name]["data"].pop("seen")
        assert [len(one or ()) for one in seen] in ([0, 0], [1, 1])
        row.pop("created_at")
        assert arrow[name].pop("created_at") == datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC)
        assert row == arrow[name]
        assert (row["urn"], row["upcast_from"]) == (urn, None if urn == V3 else urn)
        wanted = steps[urn].apply(data) if urn != V3 else data
        if wanted.get("state") == "odd" or "total" not in wanted:
            assert (row["data"], row["upcast_error"].split(":")[0]) == (
                None,
                "not_in_enum" if "total" in wanted else "missing_required",
            )
            assert json.loads(row["data_json"]) == data
            failed += 1
        else:
            assert row["upcast_error"] is None
            assert json.loads(row["data_json"]) == wanted
            assert row["data"]["total"] == {
                "minor": wanted["total"].get("minor"),
                "currency": wanted["total"].get("currency"),
            }
            assert own is None or own.toPython() == wanted["own"]
    assert 10 < failed < 60


@pytest.mark.spark
def test_a_version_is_read_by_itself_and_with_those_before_it(spark: Any, lake: Path) -> None:
    own = _session(spark)
    assert versions(own, _registry(), lake, V1).count() == 40
    second = versions(own, _registry(), lake, V2)
    assert second.where("upcast_from is not null").count() == second.where(f"urn = '{V1}'").count() == 40
    before = versions(own, _registry(), lake, V3).count()
    compact(spark, lake, at_least=2)
    assert versions(own, _registry(), lake, V3).count() == before == 120


def test_a_retired_version_is_carried_over_too() -> None:
    retired = {"urn": V1, "status": "retired", "retired_on": "2026-01-01"}
    assert plan(_registry(created=retired), V3).steps.keys() == {V1, V2}


@pytest.mark.parametrize(
    "urn, changed, error, text",
    [
        pytest.param(
            "urn:babel:orders:gone", {}, UsageError, "declares no message urn:babel:orders:gone", id="unknown"
        ),
        pytest.param(
            V1,
            {"created": {"urn": V1, "status": "retired", "retired_on": "2026-01-01"}},
            UsageError,
            f"has no schema for {V1}",
            id="retired",
        ),
    ],
)
def test_what_cannot_be_read_is_named(urn: str, changed: Any, error: type[BabelregError], text: str) -> None:
    with pytest.raises(error, match=text) as raised:
        plan(_registry(**changed), urn)
    assert V3 in (raised.value.fix or "")


def test_operations_that_make_no_sense_are_told_before_any_row_is_read() -> None:
    broken = {"urn": V3, "data": THIRD, "supersedes": V2, "upcast": [{"rename": {"a[]": "b"}}]}
    with pytest.raises((UpcastError, BabelregError), match="upcast|defects"):
        plan(_registry(**{"created.v3": broken}), V3)
