"""What becomes of odd and hostile messages, in Spark, for ``validate`` and in a consumer; docs/spark.md says the same.

One ingest reads them all, with what ``mutants`` makes beside them: a JVM and its jobs are dear.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from babelreg import load
from babelreg.cli.validate import command as validate
from babelreg.contract.parse import deep
from babelreg.model import Registry
from babelreg.spark import LocalEngine, Summary, files, ingest
from babelreg.typemap import spark as typemap

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import guard
import mutants
import read_back
from hostile_messages import CASES, FILES, URN, Case

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"
IDS = [case.what for case in CASES]
Landed = dict[tuple[str, int], dict[str, Any]]
"""Rows and refused messages by file and number of the line, from 0."""

SPOILT = list(mutants.messages(1_200, 3))
LINES = {"hostile.jsonl": [case.body for case in CASES], "mutants.jsonl": SPOILT, "one.jsonl": [b"x"]}
BLANK = b"\n \t\r\n\n"


def _table() -> str:
    return "\n".join(
        ["| A message with | becomes |", "| --- | --- |", *(f"| {one.what} | {one.becomes} |" for one in CASES)]
    )


def test_the_docs_say_it() -> None:
    assert _table() in PAGE.read_text("utf-8"), f"put this into docs/spark.md:\n\n{_table()}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The registry of both on disk."""
    return guard.write({**mutants.FILES, **FILES}, tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def registry(folder: Path) -> Registry:
    found = load.registry(folder)
    assert not found.defects
    return found


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("inbox")
    for name, bodies in LINES.items():
        (found / name).write_bytes(b"".join(body + b"\n" for body in bodies) + BLANK)
    (found / "one.jsonl").write_bytes(b"x")
    (found / "blank.jsonl").write_bytes(BLANK)
    (found / "empty.jsonl").write_bytes(b"")
    return found


@pytest.fixture(scope="module")
def summary(engine: LocalEngine, registry: Registry, inbox: Path, tmp_path_factory: pytest.TempPathFactory) -> Summary:
    out = tmp_path_factory.mktemp("lake") / "out"
    return ingest(engine, registry, inbox, out, keep_duplicates=True)


@pytest.fixture(scope="module")
def landed(summary: Summary, registry: Registry) -> Landed:
    lines = {(name, at): number for name, bodies in LINES.items() for number, at in enumerate(_offsets(bodies))}
    found: Landed = {}
    for urn in ["quarantine", *registry.schemas]:
        for row in pq.ParquetDataset(files(summary.output, urn)).read().to_pylist():
            key = row["source_file"], lines[row["source_file"], row["source_offset"]]
            assert key not in found
            found[key] = row
    return found


def _offsets(bodies: list[bytes]) -> Iterator[int]:
    at = 0
    for body in bodies:
        yield at
        at += len(body) + 1


def test_every_message_is_in_one_place_and_white_space_is_none(summary: Summary, landed: Landed) -> None:
    assert summary.read == len(landed) == len(CASES) + len(SPOILT) + 1
    assert summary.read == summary.accepted + summary.quarantined


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_what_becomes_of_it_in_spark(case: Case, landed: Landed) -> None:
    row = landed["hostile.jsonl", CASES.index(case)]
    if case.reason:
        assert (row["reason"], row["pointer"], row["body"]) == (case.reason, case.pointer, case.body)
        return
    assert case.columns is not None
    assert case.text is not None
    assert row["data"].items() >= case.columns.items()
    assert _digits(row["data_json"]) == _digits(case.text)


def _digits(text: str) -> Any:
    """The JSON value, integers apart from fractions, every digit kept."""
    return json.loads(text, parse_float=lambda digits: ("fraction", digits))


def test_validate_foretells_all_of_it(folder: Path, inbox: Path, landed: Landed) -> None:
    for name in LINES:
        arguments = [str(inbox / name), "--spark", "--format", "jsonl", "--registry", str(folder)]
        done = CliRunner().invoke(validate, arguments, standalone_mode=False)
        told = [line for line in map(json.loads, done.stdout.splitlines()) if line["severity"] == "error"]
        assert {line["line"] - 1: (line["reason"], line.get("pointer") or "") for line in told} == {
            number: (row["reason"], row["pointer"])
            for (file, number), row in landed.items()
            if file == name and "reason" in row
        }


def test_what_was_accepted_is_kept_as_it_was_sent(landed: Landed, registry: Registry) -> None:
    """Without a silent null: of every value that was sent, the column or ``data_json`` says what it was."""
    columns = {urn: typemap.columns(schema) for urn, schema in registry.schemas.items()}
    found: Counter[str] = Counter()
    for (file, number), row in landed.items():
        if "reason" not in row:
            with deep():
                sent = json.loads(LINES[file][number], parse_float=read_back.number)["data"]
                assert json.loads(row["data_json"], parse_float=read_back.number) == sent
                told = list(read_back.differences(columns[row["urn"]], sent, row["data"], f"{file}:{number}"))
            found.update(kind for kind, _ in told)
    assert found.keys() == read_back.EXPLAINED.keys() | {"the same"}
    assert found["the same"] > 1_000


def test_a_consumer_says_the_same(folder: Path, tmp_path: Path) -> None:
    with guard.consumer(folder, tmp_path, "hostile_consumer", [URN]) as says:
        said = {case.what: says(case.body) for case in CASES}
    assert said == {case.what: None if (case.reason or "").startswith("unstorable_") else case.reason for case in CASES}
