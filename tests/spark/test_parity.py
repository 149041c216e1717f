"""One verdict: ``validate``, a generated consumer and Spark's Arrow pass say the same of every message, and why.

The messages are those of ``mutants``: valid ones over all keywords, spoilt at values and at bytes.
"""

from __future__ import annotations

import importlib
import io
import json
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from babelreg.cli.gen import command as gen
from babelreg.cli.validate import command as validate
from babelreg.cli.validate_spark import stored
from babelreg.contract import Contract
from babelreg.spark import files, ingest
from babelreg.spark.judge import Judge
from babelreg.spark.verdict import Refused, deep

sys.path.insert(0, str(Path(__file__).parent / "shared"))
import mutants

Says = Callable[[bytes], tuple[str | None, str | None]]
"""A message's reason and pointer, both None where it is good."""

STRICT = [urn for urn in mutants.SCHEMAS if ":strict:" in urn]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The registry on disk."""
    root = tmp_path_factory.mktemp("parity")
    for path, text in mutants.FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


@pytest.fixture(scope="module")
def validate_says() -> Iterator[Says]:
    limit = sys.getrecursionlimit()
    registry = mutants.registry()
    judge = stored(Contract(registry.schemas, strict=STRICT).verdict, registry, None)

    def says(body: bytes) -> tuple[str | None, str | None]:
        verdict = judge(body)
        return verdict.reason, verdict.pointer

    yield says
    sys.setrecursionlimit(limit)


@pytest.fixture(scope="module")
def spark_says() -> Says:
    bench = Judge.of(mutants.registry().schemas, STRICT).bench()

    def says(body: bytes) -> tuple[str | None, str | None]:
        row = bench.judge(body)
        return (row.reason, row.pointer) if isinstance(row, Refused) else (None, None)

    return says


@pytest.fixture(scope="module")
def consumer_says(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[bytes], str | None]]:
    """The reason at the head of ``dead_letter.error`` of a consumer with a handler for every message."""
    out = tmp_path_factory.mktemp("generated")
    arguments = ["python", "--registry", str(folder), "--out", str(out), "--package", "parity_messages"]
    assert CliRunner().invoke(gen, arguments).exit_code == 0
    sys.path.insert(0, str(out))
    try:
        messages = importlib.import_module("parity_messages")
        testing = importlib.import_module("parity_messages.testing")
    finally:
        sys.path.remove(str(out))
    logger = logging.getLogger("babelreg.runtime")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    with closing(testing.Broker()) as broker:
        consumer = messages.Consumer(broker.app, on_unknown_urn="dead_letter")
        for name in consumer_classes(messages):
            consumer.on(getattr(messages, name))(lambda data, context: None)

        def says(body: bytes) -> str | None:
            outcome = broker.deliver_raw(consumer, body, "q")
            return None if outcome.kind == "handled" else outcome.detail.partition(":")[0]

        yield says
    logger.setLevel(level)


def consumer_classes(messages: Any) -> list[str]:
    return ["".join(part.title() for part in urn.split(":")[2:]) for urn in mutants.SCHEMAS]


_OF_CONSUMER: dict[str | None, list[str | None]] = {
    "unstorable_integer": [None],
    "unstorable_decimal": [None],
    "unstorable_timestamp": [None],
    "unstorable_date": [None],
    "unstorable_binary": [None],
    "unstorable_type": [None],
    # Columns have no room for half of a surrogate pair; neither have models of pydantic, where it is a property's name.
    "unstorable_string": [None, "rejected"],
}
"""What a consumer may say of a message that is valid and that no table can hold: it has no columns."""


def _compare(count: int, seed: int, validate_says: Says, spark_says: Says, consumer_says: Any) -> Counter[str]:
    reasons: Counter[str] = Counter()
    differing = []
    for body in mutants.messages(count, seed):
        said, spark = validate_says(body), spark_says(body)
        reason = said[0]
        reasons[reason or "good"] += 1
        consumer = consumer_says(body)
        if (said[0], said[1] or "") != (spark[0], spark[1] or "") or consumer not in _OF_CONSUMER.get(reason, [reason]):
            differing.append((body[:400], said, spark, consumer))
    assert differing == []
    return reasons


def test_the_three_say_the_same(validate_says: Says, spark_says: Says, consumer_says: Any) -> None:
    reasons = _compare(4_000, 2, validate_says, spark_says, consumer_says)
    assert reasons["good"] > 800
    assert len(reasons) > 35


@pytest.mark.long
def test_the_three_say_the_same_of_100_000(validate_says: Says, spark_says: Says, consumer_says: Any) -> None:
    reasons = _compare(100_000, 1, validate_says, spark_says, consumer_says)
    print(len(reasons), dict(reasons.most_common()))
    assert len(reasons) > 45


def test_many_messages_at_once_are_judged_as_each_alone(spark_says: Says) -> None:
    """Columns are made of many messages; what else is in a batch must not matter to any of them."""
    bench = Judge.of(mutants.registry().schemas, STRICT).bench()
    places: dict[int, list[tuple[Any, ...]]] = {}
    bodies = list(mutants.messages(6_000, 4))
    alone = {number: said for number, body in enumerate(bodies) if (said := spark_says(body))[0] is not None}
    together = {}
    with deep():
        for number, body in enumerate(bodies):
            row = bench.read(body, number)
            if isinstance(row, Refused):
                together[number] = (row.reason, row.pointer)
            else:
                places.setdefault(row[0], []).append(row)
        for place, rows in places.items():
            stored, refused = bench.batch(place, rows)
            together |= {one.source_offset: (one.reason, one.pointer) for one in refused}
            assert stored is not None
            assert stored.num_rows + len(refused) == len(rows)
    assert together == alone


@pytest.mark.spark
def test_validate_foretells_what_ingest_does(spark: Any, folder: Path, tmp_path: Path) -> None:
    bodies = list(mutants.messages(1_500, 3))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(b"".join(body + b"\n" for body in bodies))
    summary = ingest(spark, mutants.registry(), tmp_path / "in", tmp_path / "out", keep_duplicates=True)
    offsets = {}
    at = 0
    for number, body in enumerate(bodies, 1):
        offsets[at] = number
        at += len(body) + 1
    refused = pq.ParquetDataset(files(tmp_path / "out", "quarantine")).read().to_pylist()
    found = {offsets[row["source_offset"]]: (row["reason"], row["pointer"]) for row in refused}
    given = io.BytesIO((tmp_path / "in" / "a.jsonl").read_bytes())
    arguments = ["--spark", "--format", "jsonl", "--registry", str(folder)]
    done = CliRunner().invoke(validate, arguments, input=given, standalone_mode=False)
    told = [line for line in map(json.loads, done.stdout.splitlines()) if line["severity"] == "error"]
    assert {line["line"]: (line["reason"], line.get("pointer") or "") for line in told} == found
    assert (summary.read, summary.quarantined, summary.accepted) == (1_500, len(found), 1_500 - len(found))
    for urn in sorted(mutants.SCHEMAS):
        rows = pq.ParquetDataset(files(tmp_path / "out", urn)).read(["source_offset", "data_json"]).to_pylist()
        for row in rows:
            sent = json.loads(bodies[offsets.pop(row["source_offset"]) - 1])["data"]
            assert json.loads(row["data_json"]) == sent
    assert sorted(offsets.values()) == sorted(found)
