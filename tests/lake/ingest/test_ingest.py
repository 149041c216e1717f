"""Ingest with a real Spark session: tables, quarantine, duplicates, runs after runs, runs that were killed."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.lake.ingest import schema_check
from babelreg.lake.storage.log import manifest
from babelreg.load.registry_error import RegistryError
from babelreg.model import Registry
from babelreg.spark import LocalEngine, Summary, ingest
from babelreg.typemap.spark import Scalar, Struct, StructField

CREATED, PAID = "urn:babel:orders:created", "urn:babel:billing:payment.captured.v2"
SCHEMAS: dict[str, Any] = {
    CREATED: {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "integer", "minimum": 1},
            "price": {"type": "number"},
            "at": {"type": "string", "format": "date-time"},
            "day": {"type": "string", "format": "date"},
            "vip": {"type": "boolean"},
            "free": {},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
        },
    },
    PAID: {"type": "object", "required": ["minor"], "properties": {"minor": {"type": "integer"}}},
}
Make = Callable[..., Registry]


def envelope(data: Any, identity: str | None = "m-1", urn: str = CREATED, **members: Any) -> bytes:
    meta = {"id": identity, "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_123}
    return json.dumps({"job": urn, "trace_id": "t-1", "data": data, "meta": meta, "attempts": 0, **members}).encode()


@pytest.fixture
def registry(make_registry: Make) -> Registry:
    return make_registry(SCHEMAS)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path


def put(home: Path, name: str, *lines: bytes) -> None:
    (home / "in" / name).write_bytes(b"".join(line + b"\n" for line in lines))


def run(engine: Any, registry: Registry, home: Path, **options: Any) -> Summary:
    summary = ingest(engine, registry, home / "in", home / "out", **options)
    assert summary.read == summary.accepted + summary.duplicates + summary.quarantined
    assert not (home / "out" / ".staging").exists()
    return summary


def rows(home: Path, urn: str = CREATED) -> list[dict[str, Any]]:
    """The rows of a table as pyarrow reads them, without Spark, by file and position."""
    context, name = urn.split(":")[2:]
    folder = home / "out" / "tables" / context / name
    if not folder.is_dir():
        return []
    found = ds.dataset(folder, format="parquet").to_table().to_pylist()
    return sorted(found, key=lambda row: (row["source_file"], row["source_offset"]))


def refused(home: Path) -> list[dict[str, Any]]:
    folder = home / "out" / "quarantine"
    found = ds.dataset(folder, format="parquet").to_table().to_pylist() if folder.is_dir() else []
    return sorted(found, key=lambda row: (row["source_file"], row["source_offset"]))


def reasons(home: Path) -> list[str]:
    return [row["reason"] for row in refused(home)]


@pytest.mark.spark
def test_a_message_becomes_one_typed_row(spark: Any, registry: Registry, home: Path) -> None:
    data = {
        "id": 7,
        "price": 1.5,
        "at": "2026-11-20T17:00:00.123456789+02:00",
        "day": "2026-11-20",
        "vip": True,
        "free": {"b": [1, None]},
        "counts": {"a": 2},
        "lines": [{"sku": "x"}, {}],
        "undeclared": 1,
    }
    put(home, "a.jsonl", b"", envelope(data))
    run(spark, registry, home)
    (row,) = rows(home)
    assert json.loads(row.pop("data_json")) == data
    assert row == {
        "urn": CREATED,
        "message_id": "m-1",
        "trace_id": "t-1",
        "created_at": datetime(2026, 5, 28, 20, 26, 40, 123_000, UTC),
        "lang": "go",
        "queue": "orders",
        "attempts": 0,
        "source_file": "a.jsonl",
        "source_offset": 1,
        "data": {
            "id": 7,
            "price": 1.5,
            "at": datetime(2026, 11, 20, 15, 0, 0, 123_456, UTC),
            "day": date(2026, 11, 20),
            "vip": True,
            "free": '{"b":[1,null]}',
            "counts": [("a", 2)],
            "lines": [{"sku": "x"}, {"sku": None}],
        },
    }


@pytest.mark.spark
def test_spark_reads_the_types_that_gen_spark_declares(spark: Any, registry: Registry, home: Path) -> None:
    from pyspark.sql.types import StructType

    from babelreg.typemap import spark as typemap

    put(home, "a.jsonl", envelope({"id": 1}))
    summary = run(spark, registry, home)
    read = spark.read.parquet(summary.folders[CREATED])
    declared = StructType.fromJson(typemap.as_json(typemap.columns(registry.schemas[CREATED])))
    assert read.schema["data"].dataType.simpleString() == declared.simpleString()
    envelope_types = [(field.name, field.dataType.simpleString()) for field in read.schema if field.name != "data"]
    assert envelope_types == [
        ("urn", "string"),
        ("message_id", "string"),
        ("trace_id", "string"),
        ("created_at", "timestamp"),
        ("lang", "string"),
        ("queue", "string"),
        ("attempts", "bigint"),
        ("source_file", "string"),
        ("source_offset", "bigint"),
        ("data_json", "string"),
        ("batch", "int"),
    ]


def test_a_message_without_declared_properties_keeps_its_json(
    engine: LocalEngine, make_registry: Make, home: Path
) -> None:
    put(home, "a.jsonl", envelope({"any": [1]}))
    run(engine, make_registry({CREATED: {"type": "object"}}), home)
    (row,) = rows(home)
    assert ("data" in row, row["data_json"]) == (False, '{"any":[1]}')


def test_of_names_that_differ_in_case_alone_one_is_a_column_and_the_json_has_both(
    engine: LocalEngine, make_registry: Make, home: Path
) -> None:
    schema = {"type": "object", "properties": {"Id": {"type": "integer"}, "id": {"type": "integer"}, "a.b": {}}}
    put(home, "a.jsonl", envelope({"Id": 1, "id": 2, "a.b": 3}))
    run(engine, make_registry({CREATED: schema}), home)
    (row,) = rows(home)
    assert (row["data"], row["data_json"]) == ({"Id": 1, "a.b": "3"}, '{"Id":1,"a.b":3,"id":2}')


def test_every_bad_message_is_kept_byte_by_byte(engine: LocalEngine, home: Path, messages: ModuleType) -> None:
    from babelreg import load

    messages.write_registry(home / "registry")
    bad = [way(messages.good(3, random.Random(7))) for way in messages.BAD.values()]
    good = [messages.encode(messages.good(n, random.Random(n))) for n in range(messages.URNS)]
    put(home, "a.jsonl", *bad, *good)
    summary = run(engine, load.registry(home / "registry"), home)
    assert (summary.accepted, summary.quarantined, len(summary.tables)) == (20, 20, 20)
    content = (home / "in" / "a.jsonl").read_bytes()
    found = refused(home)
    assert [row["body"] for row in found] == bad
    assert all(content[row["source_offset"] :].startswith(row["body"] + b"\n") for row in found)
    assert Counter(row["reason"] for row in found) == summary.reasons


SECONDS = [
    pytest.param(envelope({"id": 1}), envelope({"id": 1}, attempts=3), (1, 1), [], id="redelivered"),
    pytest.param(
        envelope({"id": 1, "price": 2.0}),
        envelope({"price": 2, "id": 1}, dead_letter={"reason": "failed", "failed_at": 1, "original_queue": "q"}),
        (1, 1),
        [],
        id="redelivered through another language and a dead letter queue",
    ),
    pytest.param(envelope({"id": 1}), envelope({"id": 2}), (1, 0), ["id_conflict"], id="other data"),
    pytest.param(envelope({"id": 1}), envelope({"minor": 1}, urn=PAID), (1, 0), ["id_conflict"], id="another message"),
    pytest.param(envelope({"id": 0}), envelope({"id": 1}), (1, 0), ["below_minimum"], id="the first was quarantined"),
    pytest.param(
        envelope({"id": 2**63}), envelope({"id": 1}), (1, 0), ["unstorable_integer"], id="the first did not fit"
    ),
    pytest.param(
        envelope({"id": 1}), envelope({"id": 0}), (1, 0), ["below_minimum"], id="the second is bad for itself"
    ),
    pytest.param(envelope({"id": 1}, None), envelope({"id": 1}, None), (2, 0), [], id="without an id"),
    pytest.param(envelope({"id": 1}), envelope({"id": 1}, "M-1"), (2, 0), [], id="ids differ by case"),
]


@pytest.fixture(scope="module")
def seconds(
    engine: LocalEngine, make_registry: Make, tmp_path_factory: pytest.TempPathFactory
) -> dict[bool, tuple[list[Summary], Path]]:
    """All cases ingested together, in one batch and in two; each has ids of its own and its number as trace id."""
    found = {}
    for apart in (False, True):
        home = tmp_path_factory.mktemp("seconds")
        (home / "in").mkdir()
        put(home, "a.jsonl", *(_own(case.values[0], n) for n, case in enumerate(SECONDS)))
        summaries = [run(engine, make_registry(SCHEMAS), home)] if apart else []
        put(home, "b.jsonl", *(_own(case.values[1], n) for n, case in enumerate(SECONDS)))
        found[apart] = ([*summaries, run(engine, make_registry(SCHEMAS), home)], home)
    return found


def _own(body: Any, number: int) -> bytes:
    return bytes(body).replace(b'-1"', b'-1 of %d"' % number).replace(b'"t-1 of', b'"t of')


@pytest.mark.parametrize("apart", [False, True], ids=["in one batch", "in two"])
@pytest.mark.parametrize("first, second, counts, kept", SECONDS)
def test_what_a_second_message_with_the_same_id_is(
    first: bytes,
    second: bytes,
    counts: tuple[int, int],
    kept: list[str],
    apart: bool,
    seconds: dict[bool, tuple[list[Summary], Path]],
) -> None:
    _, home = seconds[apart]
    number = next(n for n, case in enumerate(SECONDS) if case.values[:2] == (first, second))
    mine = f"t of {number}"
    stored = [row for urn in SCHEMAS for row in rows(home, urn) if row["trace_id"] == mine]
    kept_rows = [row for row in refused(home) if row["trace_id"] == mine]
    assert (len(stored), 2 - len(stored) - len(kept_rows)) == counts
    assert [row["reason"] for row in kept_rows] == kept
    assert all(row["body"] in (_own(first, number), _own(second, number)) for row in kept_rows)


@pytest.mark.parametrize("apart", [False, True], ids=["in one batch", "in two"])
def test_duplicates_are_counted_by_table(apart: bool, seconds: dict[bool, tuple[list[Summary], Path]]) -> None:
    summaries, _ = seconds[apart]
    assert [summary.duplicates for summary in summaries] == ([0, 2] if apart else [2])
    assert summaries[-1].repeated == {CREATED: 2}


def _pack(path: Path) -> None:
    path.write_bytes(gzip.compress(path.read_bytes()))


def test_many_repeats_over_many_batches(engine: LocalEngine, registry: Registry, home: Path) -> None:
    put(home, "a.jsonl", envelope({"id": 1}, "a"), envelope({"id": 2}, "b"), envelope({"id": 1}, "a"))
    put(home, "b.jsonl", envelope({"id": 9}, "a"))
    _pack(home / "in" / "b.jsonl")
    framed = [envelope({"id": 9}, "a"), envelope({"id": 3}, "c")]
    (home / "in" / "c.frames").write_bytes(b"".join(len(one).to_bytes(4, "big") + one for one in framed))
    first = run(engine, registry, home)
    put(home, "d.jsonl", envelope({"id": 2}, "b"), envelope({"id": 3}, "c"), envelope({"id": 4}, "d"))
    second = run(engine, registry, home)
    for run_of_ids in (home / "out" / "ids").rglob("*.ids"):
        run_of_ids.unlink()  # the tables know as well
    put(home, "e.jsonl", envelope({"id": 4}, "d"), envelope({"id": 9}, "a"), envelope({"id": 1}, "a"))
    third = run(engine, registry, home)
    assert [(s.accepted, s.duplicates, s.quarantined) for s in (first, second, third)] == [
        (3, 1, 2),
        (1, 2, 0),
        (0, 2, 1),
    ]
    assert [row["message_id"] for row in rows(home)] == ["a", "b", "c", "d"]
    assert reasons(home) == ["id_conflict"] * 3
    assert {row["body"] for row in refused(home)} == {envelope({"id": 9}, "a")}


def test_duplicates_are_kept_when_asked(engine: LocalEngine, registry: Registry, home: Path) -> None:
    put(home, "a.jsonl", envelope({"id": 1}), envelope({"id": 1}), envelope({"id": 2}))
    summary = run(engine, registry, home, keep_duplicates=True)
    assert (summary.accepted, summary.duplicates, summary.quarantined) == (3, 0, 0)


def test_a_second_run_reads_only_what_is_new(engine: LocalEngine, registry: Registry, home: Path) -> None:
    put(home, "a.jsonl", envelope({"id": 1}, "a"))
    assert run(engine, registry, home).batch == 1
    assert run(lambda: pytest.fail("no session is needed"), registry, home).batch is None
    put(home, "b.jsonl", envelope({"id": 2}, "b"))
    with (home / "in" / "a.jsonl").open("ab") as file:
        file.write(envelope({"id": 3}, "c") + b"\n")
    summary = run(engine, registry, home)
    assert (summary.batch, summary.read, summary.files, summary.known_files) == (2, 2, 2, 0)
    assert [row["data"]["id"] for row in rows(home)] == [1, 3, 2]


def test_an_empty_file_does_not_count_as_ingested_before(engine: LocalEngine, registry: Registry, home: Path) -> None:
    put(home, "empty.jsonl")
    nothing = run(lambda: pytest.fail("no session is needed"), registry, home)
    assert (nothing.batch, nothing.known_files) == (None, 0)
    put(home, "a.jsonl", envelope({"id": 1}, "a"))
    summary = run(engine, registry, home)
    assert (summary.batch, summary.files, summary.known_files) == (1, 1, 0)
    assert run(engine, registry, home).known_files == 1


@pytest.mark.parametrize("name", ["a b", "a%20b", "[1]{2}*?", "é;,=#&", "-x"])
def test_folders_may_have_any_name(name: str, engine: LocalEngine, registry: Registry, home: Path) -> None:
    here = home / name
    (here / "in").mkdir(parents=True)
    put(here, f"{name}.jsonl", envelope({"id": 1}, "a"), envelope({"id": 1}, "a"), envelope({"id": 2}, "a"), b"{")
    summary = run(engine, registry, here)
    assert (summary.accepted, summary.duplicates, summary.quarantined) == (1, 1, 2)
    assert [row["source_file"] for row in rows(here) + refused(here)] == [f"{name}.jsonl"] * 3


def test_large_messages_are_stored_or_kept(engine: LocalEngine, registry: Registry, home: Path) -> None:
    large, too_large = envelope({"id": 1, "free": "x" * 10_000_000}, "a"), envelope({"id": 2, "free": "y" * 17_000_000})
    put(home, "a.jsonl", large, too_large)
    run(engine, registry, home)
    assert [len(row["data"]["free"]) for row in rows(home)] == [10_000_002]
    assert [(row["reason"], row["body"] == too_large) for row in refused(home)] == [("too_large", True)]


@pytest.mark.spark
def test_the_settings_of_a_given_session_stay_as_they_are(spark: Any, registry: Registry, home: Path) -> None:
    before = spark.conf.getAll
    put(home, "a.jsonl", envelope({"id": 1}))
    run(spark, registry, home)
    assert spark.conf.getAll == before


def test_the_manifest_names_every_file_and_every_byte(engine: LocalEngine, registry: Registry, home: Path) -> None:
    put(home, "a.jsonl", envelope({"id": 1}, "a"), b"{", envelope({"minor": 1}, "b", PAID))
    run(engine, registry, home)
    (batch,) = manifest.read(home / "out")
    named = {*batch.quarantine.files, *(f for t in batch.tables.values() for f in t.files)}
    named |= {run.file for run in batch.index}
    there = {path.relative_to(home / "out").as_posix() for path in (home / "out").rglob("part-*")}
    assert named == there
    assert sum(pq.read_metadata(home / "out" / name).num_rows for name in batch.tables[CREATED].files) == 1
    size = (home / "in" / "a.jsonl").stat().st_size
    assert [(one.name, one.start, one.end) for one in batch.consumed] == [("a.jsonl", 0, size)]


def _changed_type(home: Path, make: Make) -> Registry:
    return make({**SCHEMAS, CREATED: {"type": "object", "properties": {"id": {"type": "string"}}}})


def _another_registry(home: Path, make: Make) -> Registry:
    return make({PAID: SCHEMAS[PAID]})


def _empty_registry(home: Path, make: Make) -> Registry:
    return make({})


def _unusable_schema(home: Path, make: Make) -> Registry:
    return make({**SCHEMAS, PAID: {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}})


@pytest.mark.parametrize(
    "then, kind, said",
    [
        pytest.param(_changed_type, InputError, "'data.id' as BIGINT, .* STRING", id="a column changed its type"),
        pytest.param(_another_registry, UsageError, "does not declare", id="another registry"),
        pytest.param(_empty_registry, UsageError, "declares no message", id="a registry without messages"),
        pytest.param(
            _unusable_schema, RegistryError, "schema of 1 message cannot be used", id="a schema that cannot be used"
        ),
    ],
)
def test_what_does_not_fit_an_earlier_run_is_refused_and_nothing_changes(
    then: Callable[[Path, Make], Registry],
    kind: type[BabelregError],
    said: str,
    engine: LocalEngine,
    registry: Registry,
    make_registry: Make,
    home: Path,
) -> None:
    put(home, "a.jsonl", envelope({"id": 1}))
    run(engine, registry, home)
    before = _files(home / "out")
    put(home, "b.jsonl", envelope({"id": 2}, "b"))
    with pytest.raises(kind, match=said):
        run(engine, then(home, make_registry), home)
    assert _files(home / "out") == before


def _files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_one_output_is_written_in_one_way(engine: LocalEngine, registry: Registry, home: Path) -> None:
    put(home, "a.jsonl", envelope({"id": 1}))
    run(engine, registry, home)
    put(home, "b.jsonl", envelope({"id": 1}))
    with pytest.raises(UsageError, match="without --keep-duplicates"):
        run(engine, registry, home, keep_duplicates=True)


def test_a_registry_with_defects_is_refused(engine: LocalEngine, home: Path) -> None:
    from babelreg import load

    files = {"babelreg.yaml": b"version: 1\n", "a/_context.yaml": b"owner: team\n", "a/b.yaml": b"{"}
    broken = load.from_tree(load.files.tree.Memory(files))
    put(home, "a.jsonl", envelope({"id": 1}))
    with pytest.raises(RegistryError):
        run(engine, broken, home)


@pytest.mark.spark
def test_a_new_column_is_picked_up(spark: Any, registry: Registry, make_registry: Make, home: Path) -> None:
    put(home, "a.jsonl", envelope({"id": 1, "size": 5}, "a"))
    run(spark, registry, home)
    wider = {"type": "object", "properties": {"id": {"type": "integer"}, "size": {"type": "integer"}}}
    put(home, "b.jsonl", envelope({"id": 2, "size": 6}, "b"))
    run(spark, make_registry({**SCHEMAS, CREATED: wider}), home)
    read = spark.read.option("mergeSchema", "true").parquet(str(home / "out" / "tables" / "orders" / "created"))
    assert sorted(tuple(row) for row in read.select("data.id", "data.size").collect()) == [(1, None), (2, 6)]


def test_a_value_that_does_not_fit_its_column_ends_the_run(
    engine: LocalEngine, registry: Registry, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tripwire: with columns that are not the schema's, the run fails; it never writes a null instead."""
    wrong = Struct((StructField("id", Scalar.STRING),))
    honest = schema_check.spec_of

    def misled(*args: Any, **options: Any) -> Any:
        spec = honest(*args, **options)
        return replace(spec, columns=(wrong,) * len(spec.columns), key="misled")

    monkeypatch.setattr(schema_check, "spec_of", misled)
    put(home, "a.jsonl", envelope({"id": 1}))
    with pytest.raises(Exception, match="a document that passed all checks does not fit its columns"):
        run(engine, registry, home)
    assert (manifest.read(home / "out"), list((home / "out").rglob("*.parquet"))) == ((), [])


KINDS: dict[str, Callable[[int], bytes]] = {
    "good": lambda n: envelope({"id": n + 1}, f"good-{n}"),
    "paid": lambda n: envelope({"minor": n}, f"paid-{n}", PAID),
    "again": lambda n: envelope({"id": 1}, "again", attempts=n),
    "conflict": lambda n: envelope({"id": n + 1}, "conflict"),
    "refused": lambda n: envelope({"id": -n}, "again"),
    "garbage": lambda n: b"\xff" * (n + 1),
    "blank": lambda n: b" " * n,
}


BIG = 2**63


def _integers(value: Any) -> Iterator[int]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _integers(item)
    elif isinstance(value, int):
        yield value


def expected(batches: Iterable[Iterable[bytes]], schemas: Mapping[str, Any]) -> tuple[int, int, int]:
    """(accepted, duplicates, quarantined) by decision 6, worked out message by message without Spark."""
    from babelreg.contract import Contract

    contract, seen, counts = Contract(schemas), {}, Counter[str]()
    for body in (body for batch in batches for body in batch if body.strip()):
        verdict = contract.verdict(body)
        if verdict.reason or not verdict.envelope or any(not -BIG <= n < BIG for n in _integers(verdict.envelope.data)):
            counts["quarantined"] += 1
            continue
        content = (verdict.envelope.urn, json.dumps(verdict.envelope.data, sort_keys=True))
        known = seen.setdefault(verdict.envelope.id, content)
        first = known is content
        counts["accepted" if first else "duplicates" if known == content else "quarantined"] += 1
    return counts["accepted"], counts["duplicates"], counts["quarantined"]


@pytest.mark.spark
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    batches=st.lists(
        st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.integers(0, 3)), max_size=30), min_size=1, max_size=2
    )
)
def test_counts_add_up_for_every_mixture(
    batches: list[list[tuple[str, int]]],
    spark: Any,
    registry: Registry,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("mixture")
    (home / "in").mkdir()
    bodies = [[KINDS[kind](n) for kind, n in batch] for batch in batches]
    summaries = []
    for number, batch in enumerate(bodies):
        put(home, f"{number}.jsonl", *batch)
        summaries.append(run(spark, registry, home))
    total = tuple(sum(getattr(s, name) for s in summaries) for name in ("accepted", "duplicates", "quarantined"))
    assert total == expected(bodies, registry.schemas)
    assert len(rows(home)) + len(rows(home, PAID)) == total[0]
    assert len(refused(home)) == total[2]


KILLED = """
import json, os, pathlib, signal, sys
from babelreg import load
from babelreg.load.files import tree
from babelreg.spark import ingest
from babelreg.lake.ingest import table_writer as tables
from babelreg.lake.storage import output_folder as output
from babelreg.spark.session.local import start

home, point = pathlib.Path(sys.argv[1]), sys.argv[2]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def after(times, call):
    def counted(*args, **kwargs):
        nonlocal times
        times -= 1
        return die() if times < 0 else call(*args, **kwargs)
    return counted

def then_die(call):
    return lambda *args: (call(*args), die())

if point == "when tables are written":
    tables.write = then_die(tables.write)
elif point == "while files are moved into place":
    output.publish = after(1, output.publish)
elif point == "before the manifest is renamed":
    pathlib.Path.replace = die
files = {"babelreg.yaml": b"version: 1"}
for urn, schema in json.loads((home / "registry.json").read_text()).items():
    context, name = urn.split(":")[2:]
    files[f"{context}/_context.yaml"] = b"owner: team"
    files[f"{context}/{name}.yaml"] = json.dumps({"urn": urn, "kind": "event", "data": schema}).encode()
registry = load.from_tree(tree.Memory(files))
ingest(start, registry, home / "in", home / "out")
"""


@pytest.mark.spark
@pytest.mark.parametrize(
    "point",
    [
        "when tables are written",
        pytest.param("while files are moved into place", marks=pytest.mark.long),
        pytest.param("before the manifest is renamed", marks=pytest.mark.long),  # in short: test_commit.py
    ],
)
def test_after_a_kill_the_next_run_does_the_work_once(point: str, spark: Any, registry: Registry, home: Path) -> None:
    bodies = [KINDS[kind](n) for kind in sorted(KINDS) for n in range(5)]
    put(home, "a.jsonl", *bodies)
    (home / "registry.json").write_text(json.dumps(SCHEMAS))
    program = [sys.executable, "-c", KILLED, str(home), point]
    killed = subprocess.run(program, cwd=Path(__file__).parents[3], check=False)
    assert (killed.returncode, manifest.read(home / "out")) == (-9, ())
    summary = run(spark, registry, home)
    counts = (summary.accepted, summary.duplicates, summary.quarantined)
    assert (summary.batch, counts) == (1, expected([bodies], registry.schemas))
    landed = [row for urn in SCHEMAS for row in rows(home, urn)]
    assert (len(landed), len(refused(home))) == (summary.accepted, summary.quarantined)
    assert len({row["message_id"] for row in landed}) == summary.accepted


@pytest.mark.spark
def test_a_source_file_that_vanishes_before_it_is_read_is_not_there(spark: Any, registry: Registry, home: Path) -> None:
    put(home, "a.jsonl", envelope({"id": 1}))

    def vanish() -> Any:
        (home / "in" / "a.jsonl").unlink(missing_ok=True)
        return spark

    with pytest.raises(UsageError, match="contains no files"):
        run(vanish, registry, home)
    put(home, "a.jsonl", envelope({"id": 1}))
    put(home, "b.jsonl", envelope({"id": 2}))
    assert run(vanish, registry, home).accepted == 1
