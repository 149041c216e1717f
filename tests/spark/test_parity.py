"""One verdict: ``validate``, a generated consumer and Spark's Arrow pass say the same of every message, and why.

The messages are those of ``mutants``: valid ones over all keywords, spoilt at values and at bytes.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from babelreg.cli.spark.validate_spark import stored
from babelreg.contract import Contract
from babelreg.contract.parse import deep
from babelreg.lake.arrow.table_schema import REFUSED_SCHEMA
from babelreg.lake.message_source import MessageChunk
from babelreg.lake.tasks.row_validator import RefusedRow
from babelreg.lake.tasks.staged_segments import REFUSED, StagingReader
from babelreg.lake.tasks.staging_writer import TaskWriter
from babelreg.lake.tasks.validation_spec import ValidationSpec

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import guard
import mutants
import read_back

Says = Callable[[bytes], tuple[str | None, str, str]]
"""A message's reason, None where it is good, its pointer and the sentence about it."""

STRICT = [urn for urn in mutants.SCHEMAS if ":strict:" in urn]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The registry on disk."""
    return guard.write(mutants.FILES, tmp_path_factory.mktemp("parity"))


@pytest.fixture(scope="module")
def validate_says() -> Says:
    registry = mutants.registry()
    spec = stored(Contract(registry.schemas, strict=STRICT).verdict, registry, None)

    def says(body: bytes) -> tuple[str | None, str, str]:
        verdict = spec(body)
        return verdict.reason, verdict.pointer or "", (verdict.detail or "").encode(errors="replace").decode()[:500]

    return says


@pytest.fixture(scope="module")
def spark_says() -> Says:
    validator = ValidationSpec.of(mutants.registry().schemas, STRICT).row_validator()

    def says(body: bytes) -> tuple[str | None, str, str]:
        row = validator.validate(body)
        return (row.reason, row.pointer, row.detail) if isinstance(row, RefusedRow) else (None, "", "")

    return says


@pytest.fixture(scope="module")
def consumer_says(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[bytes], str | None]]:
    with guard.consumer(folder, tmp_path_factory.mktemp("generated"), "parity_messages", mutants.SCHEMAS) as says:
        yield says


_OF_CONSUMER: dict[str | None, list[str | None]] = {
    "unstorable_integer": [None],
    "unstorable_decimal": [None],
    "unstorable_timestamp": [None],
    "unstorable_date": [None],
    "unstorable_binary": [None],
    "unstorable_type": [None],
    # Columns have no room for an unpaired surrogate; neither have models of pydantic, where it is a property's name.
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
        if said != spark or consumer not in _OF_CONSUMER.get(reason, [reason]):
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


def test_many_messages_at_once_are_judged_as_each_alone_and_typed_as_sent(spark_says: Says, tmp_path: Path) -> None:
    """Columns are made of many messages; what else is in a batch must not matter to any of them."""
    spec = ValidationSpec.of(mutants.registry().schemas, STRICT, digests=False)
    bodies = list(mutants.messages(6_000, 4))
    with deep(), TaskWriter(spec, tmp_path) as writer:
        writer.add(MessageChunk("a.jsonl", bodies, list(range(len(bodies)))))
    refused: dict[int, tuple[str, str, str]] = {}
    rows: dict[int, dict[str, Any]] = {}
    for place, segment in writer.segments:
        schema = REFUSED_SCHEMA if place == REFUSED else spec.row_validator().table(place).schema
        for row in (row for batch in StagingReader().batches([segment], schema) for row in batch.to_pylist()):
            if place == REFUSED:
                refused[row["source_offset"]] = row["reason"], row["pointer"], row["detail"]
            else:
                rows[row["source_offset"]] = row
    assert len(refused) + len(rows) == len(bodies)
    assert refused == {n: said for n, body in enumerate(bodies) if (said := spark_says(body))[0] is not None}
    columns = dict(zip(spec.schemas, spec.columns, strict=True))
    with deep():
        for number, row in rows.items():
            sent = json.loads(bodies[number], parse_float=read_back.number)["data"]
            assert read_back.exact(json.loads(row["data_json"], parse_float=read_back.number)) == read_back.exact(sent)
            explained = read_back.differences(columns[row["urn"]], sent, row["data"], str(number))
            assert {kind for kind, _ in explained} <= read_back.EXPLAINED.keys() | {"the same"}
