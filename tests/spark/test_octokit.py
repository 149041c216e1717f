"""Payloads of the world: GitHub's webhooks land typed, and the tables give them back.

What a payload and its row may differ in is the list ``EXPLAINED``, no more; ``data_json`` is the payload as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg.model import Registry
from babelreg.spark import files, ingest
from babelreg.spark.judge import Judge
from babelreg.spark.verdict import Refused
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark import Array, Json, Map, Scalar, SparkType, Struct

sys.path.insert(0, str(Path(__file__).parent / "shared"))
import octokit

pytestmark = pytest.mark.long

EXPLAINED = {
    "undeclared": "the schema does not declare the property: it stands in data_json alone",
    "absent": "a property that is not there is null in its column",
    "null": "so is one that is null; data_json tells the two apart",
    "instant": "a date-time with an offset or another fraction is the same instant, in UTC and microseconds",
    "json text": "where Spark has no type for what a value may be, its column holds the JSON text of it",
}


@pytest.fixture(scope="module")
def folder() -> Path:
    if "BABELREG_OCTOKIT" not in os.environ:
        pytest.skip("NOT HELD AGAINST GITHUB'S WEBHOOKS: run tests/gen/fetch_octokit.py, then set BABELREG_OCTOKIT")
    return Path(os.environ["BABELREG_OCTOKIT"])


def _reasons(schemas: dict[str, Any], folder: Path) -> Counter[str]:
    bench = Judge.of(schemas).bench()
    rows = (bench.judge(octokit.envelope(*numbered)) for numbered in enumerate(octokit.examples(folder)))
    return Counter(row.reason if isinstance(row, Refused) else "accepted" for row in rows)


def test_what_the_schemas_as_published_say_of_the_examples(folder: Path) -> None:
    """See ``octokit`` for why: 385 lack what came later, 8 and 1 have null, or not null, and 2 no T in a date-time."""
    assert _reasons(octokit.as_published(folder), folder) == {
        "accepted": 305,
        "missing_required": 385,
        "not_a_string": 8,
        "not_null": 1,
        "wrong_format": 2,
        "unknown_urn": 25,
    }


def test_the_mended_schemas_take_every_example(folder: Path) -> None:
    assert _reasons(octokit.mended(folder), folder) == {"accepted": 726}


@pytest.mark.spark
def test_every_example_lands_typed_and_is_read_back(
    spark: Any, make_registry: Callable[..., Registry], folder: Path, tmp_path: Path, record_property: Any
) -> None:
    schemas = octokit.mended(folder)
    sent = {f"m-{number}": example for number, example in enumerate(octokit.examples(folder))}
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "github.jsonl").write_bytes(
        b"".join(octokit.envelope(*numbered) + b"\n" for numbered in enumerate(sent.values()))
    )
    summary = ingest(spark, make_registry(schemas), tmp_path / "in", tmp_path / "out")
    assert (summary.read, summary.accepted, summary.quarantined) == (726, 726, 0)
    found: Counter[str] = Counter()
    for urn in sorted({example.urn for example in sent.values()}):
        columns = typemap.columns(schemas[urn])
        for row in pq.ParquetDataset(files(tmp_path / "out", urn)).read().to_pylist():
            payload = sent.pop(row["message_id"]).payload
            assert (row["urn"], json.loads(row["data_json"])) == (urn, payload)
            found.update(kind for kind, _ in differences(columns, payload, row["data"], urn))
    assert not sent
    assert found.keys() == EXPLAINED.keys() | {"the same"}
    record_property("differences", dict(found))
    print(dict(found))


def differences(type_: SparkType, sent: Any, read: Any, path: str) -> Iterator[tuple[str, str]]:
    """How what was read differs from what was sent, value by value; fails where no explanation is known."""
    if sent is None:
        assert read is None, path
        yield "null", path
    elif isinstance(type_, Struct):
        yield from _in_struct(type_, sent, read, path)
    elif isinstance(type_, Array):
        assert len(read) == len(sent), path
        for index, (one, other) in enumerate(zip(sent, read, strict=True)):
            yield from differences(type_.element, one, other, f"{path}/{index}")
    elif isinstance(type_, Map):
        members = dict(read)
        assert members.keys() == sent.keys(), path
        for name, value in sent.items():
            yield from differences(type_.value, value, members[name], f"{path}/{name}")
    else:
        yield _of_scalar(type_, sent, read, path), path


def _in_struct(type_: Struct, sent: Any, read: Any, path: str) -> Iterator[tuple[str, str]]:
    assert read.keys() == type_.by_name.keys(), path
    for name in sent.keys() - type_.by_name.keys():
        yield "undeclared", f"{path}/{name}"
    for name, column in type_.by_name.items():
        if name in sent:
            yield from differences(column.type, sent[name], read[name], f"{path}/{name}")
        else:
            assert read[name] is None, f"{path}/{name}"
            yield "absent", f"{path}/{name}"


def _of_scalar(type_: SparkType, sent: Any, read: Any, path: str) -> str:
    if isinstance(type_, Json):
        assert json.loads(read) == sent, path
        return "json text"
    if type_ is Scalar.TIMESTAMP:
        assert read == datetime.fromisoformat(sent), path
        return "the same" if read.isoformat().replace("+00:00", "Z") == sent else "instant"
    kind = {Scalar.BIGINT: int, Scalar.DOUBLE: float, Scalar.BOOLEAN: bool, Scalar.STRING: str}[type_]  # type: ignore[index]
    assert (type(read), read) == (kind, sent), path
    return "the same"
