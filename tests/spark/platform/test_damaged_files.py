"""Damaged and unusual files become the same rows by every path that reads files, or the same error: one table of each."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.lake import ingest as ingest_locally
from babelreg.sources import input_folder
from babelreg.spark import ingest

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import damaged_files
import input_kinds
from path_rows import of_lake, of_place, streamed

REGISTRY = input_kinds.registry()


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "inbox"
    folder.mkdir()
    damaged_files.write_read(folder)
    return folder


@pytest.fixture(scope="module")
def local(engine: Any, inbox: Path, tmp_path_factory: pytest.TempPathFactory) -> input_kinds.Rows:
    """The rows of the folder by the local engine."""
    lake = tmp_path_factory.mktemp("local") / "lake"
    ingest_locally(engine, REGISTRY, inbox, lake, compacting=False)
    return of_lake(lake)


def _check(path: str, rows: input_kinds.Rows, local: input_kinds.Rows) -> None:
    print(f"\n{rows.digest[:16]}  {len(rows.accepted)} accepted, {len(rows.refused)} refused: {path}")
    assert rows.accepted
    assert sorted(rows.refused) == sorted(local.refused)
    assert rows.digest == local.digest


def test_every_unusual_file_is_read_but_hidden_ones(inbox: Path, local: input_kinds.Rows) -> None:
    _check("a folder, by the local engine", local, local)
    hidden = {name for name, _ in damaged_files.READ.values() if input_folder.is_ignored(name)}
    assert len(hidden) == 4
    names = {"good.jsonl", "linked.jsonl", "linked/lines.jsonl", *(name for name, _ in damaged_files.READ.values())}
    assert set(input_folder.names(inbox)) == names - hidden


@pytest.mark.servers  # for its time: fifty runs
def test_single_files_have_the_rows_of_their_folder(
    engine: Any, inbox: Path, local: input_kinds.Rows, tmp_path: Path
) -> None:
    for name in input_folder.names(inbox):
        ingest_locally(engine, REGISTRY, inbox / name, tmp_path / "lake", compacting=False)
    _check("single files, by the local engine", of_lake(tmp_path / "lake"), local)


@pytest.mark.spark
def test_a_lake_by_spark_has_the_rows_of_the_local_engine(
    spark: Any, inbox: Path, local: input_kinds.Rows, tmp_path: Path
) -> None:
    ingest(spark, REGISTRY, inbox, tmp_path / "lake", compacting=False)
    _check("a folder, by Spark", of_lake(tmp_path / "lake"), local)


@pytest.mark.spark
@pytest.mark.servers
@pytest.mark.parametrize("to", ["delta", "iceberg"])
def test_a_stream_has_the_rows_of_a_lake(
    table_session: Any, inbox: Path, local: input_kinds.Rows, tmp_path: Path, to: str
) -> None:
    place = streamed(table_session, str(inbox), to, tmp_path)
    _check(f"a stream of the folder to {to}", of_place(place), local)


def _refused(case: str, folder: Path, output: Path, engine: Any) -> str:
    """Return the error of the folder by the local engine; nothing is committed."""
    if case == "a file that may not be read" and os.geteuid() == 0:
        pytest.skip("root may read all files")
    damaged_files.write_refused(folder, case)
    with pytest.raises(InputError, match=damaged_files.REFUSED[case][1]) as raised:
        ingest_locally(engine, REGISTRY, folder, output)
    assert not list(output.glob("tables/**/*.parquet"))
    return str(raised.value)


@pytest.mark.parametrize("case", damaged_files.REFUSED)
def test_a_damaged_file_is_refused_by_name(case: str, engine: Any, tmp_path: Path) -> None:
    _refused(case, tmp_path / "in", tmp_path / "lake", engine)


@pytest.mark.spark
@pytest.mark.servers
@pytest.mark.parametrize("case", sorted(damaged_files.IN_CONTENT))
def test_a_lake_by_spark_refuses_in_the_same_words(case: str, engine: Any, spark: Any, tmp_path: Path) -> None:
    says = _refused(case, tmp_path / "in", tmp_path / "local", engine)
    with pytest.raises(InputError) as raised:
        ingest(spark, REGISTRY, tmp_path / "in", tmp_path / "lake")
    assert str(raised.value) == says


@pytest.mark.spark
@pytest.mark.servers
@pytest.mark.parametrize("case", damaged_files.REFUSED)
def test_a_stream_refuses_in_the_same_words(case: str, engine: Any, table_session: Any, tmp_path: Path) -> None:
    says = _refused(case, tmp_path / "in", tmp_path / "local", engine)
    with pytest.raises(InputError) as raised:
        streamed(table_session, str(tmp_path / "in"), "delta", tmp_path)
    assert str(raised.value) == says


@pytest.mark.spark
@pytest.mark.servers
def test_a_name_that_spark_cannot_list_is_refused_before_the_stream(table_session: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a:b.jsonl").write_bytes(damaged_files.GOOD)
    with pytest.raises(InputError, match="has a colon in its name"):
        streamed(table_session, str(tmp_path / "in"), "delta", tmp_path)
