"""The same messages become the same rows, whichever way they come: one hash over all paths."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from server import Server

from babelreg.errors import UsageError
from babelreg.lake import ingest as ingest_locally
from babelreg.spark import ingest, quarantine, typed, validate_frame

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import input_kinds
from lakehouse import WRITERS, Lakehouse
from path_rows import of_lake, of_place, streamed

POSITION = ["n"]


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inbox")
    input_kinds.write_files(folder)
    return folder


@pytest.fixture(scope="module")
def local(engine: Any, inbox: Path, tmp_path_factory: pytest.TempPathFactory) -> input_kinds.Rows:
    """The rows of the folder lake by the local engine."""
    lake = tmp_path_factory.mktemp("local") / "lake"
    ingest_locally(engine, input_kinds.registry(), inbox, lake)
    return of_lake(lake)


def _check(path: str, rows: input_kinds.Rows, local: input_kinds.Rows) -> None:
    """Assert that the rows of ``path`` are those of the local engine; their hash is printed."""
    print(f"\n{rows.digest[:16]}  {len(rows.accepted)} accepted, {len(rows.refused)} refused: {path}")
    assert rows.refused
    assert rows.digest == local.digest


def _frame(spark: Any) -> Any:
    rows = [(bytearray(body), number) for number, body in enumerate(input_kinds.bodies())]
    return spark.createDataFrame(rows, "value binary, n long").repartition(3)


@pytest.fixture(scope="module")
def two_partitions(spark: Any) -> Any:
    """A session whose shuffles have two partitions."""
    own = spark.newSession()
    own.conf.set("spark.sql.shuffle.partitions", "2")
    return own


def test_sixty_kinds_of_messages_are_accepted_refused_and_dropped(local: input_kinds.Rows) -> None:
    print(f"\n{local.digest[:16]}  {len(local.accepted)} accepted, {len(local.refused)} refused: the local engine")
    assert len(input_kinds.KINDS) >= 60
    reasons = {text.partition('", ')[0] for text in local.refused}
    assert len(reasons) > 15
    assert '["id_conflict' in reasons
    messages = len(input_kinds.bodies())
    assert len(local.accepted) + len(local.refused) + DUPLICATES == messages


DUPLICATES = 5
"""Two more of the same bytes, one redelivery, one other spelling, and the third message of a conflict."""


@pytest.mark.spark
def test_a_lake_by_spark_has_the_rows_of_the_local_engine(
    spark: Any, inbox: Path, local: input_kinds.Rows, tmp_path: Path
) -> None:
    ingest(spark, input_kinds.registry(), inbox, tmp_path / "lake")
    _check("a lake by Spark", of_lake(tmp_path / "lake"), local)


def test_a_lake_of_single_files_has_the_rows_of_their_folder(
    engine: Any, inbox: Path, local: input_kinds.Rows, tmp_path: Path
) -> None:
    for name in input_kinds.FILES:
        ingest_locally(engine, input_kinds.registry(), inbox / name, tmp_path / "lake")
    _check("a lake of single files, by the local engine", of_lake(tmp_path / "lake"), local)


def test_a_lake_of_pipes_has_the_rows_of_the_folder(
    engine: Any, inbox: Path, local: input_kinds.Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in input_kinds.FILES:
        with (inbox / name).open(encoding="utf-8") as file:
            monkeypatch.setattr("sys.stdin", file)
            # A pipe has no name that says that it holds frames.
            source = inbox / name if ".frames" in name else "-"
            ingest_locally(engine, input_kinds.registry(), source, tmp_path / "lake")
    _check("a lake of pipes, by the local engine", of_lake(tmp_path / "lake"), local)


@pytest.mark.spark
def test_a_lake_of_a_single_file_by_spark_has_the_rows_of_the_folder(
    spark: Any, local: input_kinds.Rows, tmp_path: Path
) -> None:
    (tmp_path / "other.jsonl").write_bytes(b"damaged")
    file = tmp_path / "all.frames"
    file.write_bytes(b"".join(len(body).to_bytes(4, "big") + body for body in input_kinds.bodies()))
    ingest(spark, input_kinds.registry(), file, tmp_path / "lake")
    _check("a lake of one file, by Spark", of_lake(tmp_path / "lake"), local)


@pytest.mark.spark
def test_a_frame_has_the_rows_of_a_lake(two_partitions: Any, local: input_kinds.Rows) -> None:
    registry, rows = input_kinds.registry(), input_kinds.Rows()
    validated = validate_frame(
        _frame(two_partitions), registry, position=POSITION, urns=[input_kinds.OTHER], deduplicate=True
    ).cache()
    for urn in registry.schemas:
        rows.add(typed(validated, urn, registry).toArrow())
    rows.add_refused(quarantine(validated).toArrow())
    _check("a DataFrame", rows, local)


@pytest.mark.spark
@pytest.mark.parametrize(
    "given, message",
    [
        pytest.param({}, "no position is given", id="no position"),
        pytest.param({"position": ["same"]}, "two messages with one meta.id have the same position", id="a position that is not unique"),
    ],
)  # fmt: skip
def test_a_frame_without_a_first_message_is_refused(two_partitions: Any, given: dict[str, Any], message: str) -> None:
    from pyspark.sql import functions as F

    frame = _frame(two_partitions).withColumn("same", F.lit(1))
    with pytest.raises(Exception, match=message):
        validate_frame(frame, input_kinds.registry(), deduplicate=True, **given).collect()


@pytest.mark.spark
@pytest.mark.servers
@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_tables_have_the_rows_of_a_lake(
    new_place: Callable[[str], Lakehouse], written: str, to: str, local: input_kinds.Rows
) -> None:
    from babelreg.spark import Tables

    place = new_place(to)
    tables = Tables(input_kinds.registry(), to, place.at, position=POSITION)
    tables.write(_frame(place.spark), application="job", batch=0)
    _check(f"Tables, {to} {written}", of_place(place), local)


@pytest.mark.spark
@pytest.mark.servers
@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_a_position_that_is_not_unique_is_refused_before_anything_is_written(
    new_place: Callable[[str], Lakehouse], written: str, to: str
) -> None:
    from pyspark.sql import functions as F

    from babelreg.spark import Tables

    place = new_place(to)
    frame = _frame(place.spark).withColumn("same", F.lit(1))
    with pytest.raises(UsageError, match="no position is given"):
        Tables(input_kinds.registry(), to, place.at).write(frame, application="job", batch=0)
    with pytest.raises(UsageError, match=r"have the same position.*: same"):
        Tables(input_kinds.registry(), to, place.at, position=["same"]).write(frame, application="job", batch=0)
    # The batch has not begun, so it is written with a position that tells messages apart.
    counts = Tables(input_kinds.registry(), to, place.at, position=POSITION).write(frame, application="job", batch=0)
    assert counts.read == len(input_kinds.bodies())
    assert counts.duplicates == DUPLICATES


@pytest.mark.spark
@pytest.mark.servers
@pytest.mark.parametrize("to", ["delta", "iceberg"])
def test_a_stream_of_the_folder_has_the_rows_of_a_lake(
    table_session: Any, inbox: Path, local: input_kinds.Rows, tmp_path: Path, to: str
) -> None:
    place = streamed(table_session, str(inbox), to, tmp_path)
    _check(f"a stream of the folder to {to}", of_place(place), local)
    for row in place.read("babelreg__quarantine"):
        assert _at(row["source_file"], row["source_offset"], len(row["body"])) == row["body"]


@pytest.mark.spark
@pytest.mark.servers
def test_a_file_that_spark_splits_has_the_offsets_of_its_lines(
    table_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from babelreg.spark.platform.stream import file_source, stream_run

    inbox = tmp_path / "inbox"
    inbox.mkdir()
    lines = [input_kinds._other(str(number), {"k": number, "x": "y" * (number % 997)}) for number in range(2_000)]
    bad = [b"{%d" % number + b" " * (number % 13) for number in range(2_000)]
    pairs = b"\n".join(line for pair in zip(lines, bad, strict=True) for line in pair)
    (inbox / "a.jsonl").write_bytes(pairs)
    marked = b"\xef\xbb\xbf" + pairs.replace(
        b'"id": "', b'"id": "b'
    )  # Spark drops the mark, a lake refuses the message
    (inbox / "b.jsonl").write_bytes(marked)
    monkeypatch.setattr(file_source, "_WHOLE_BYTES", 200_000)
    monkeypatch.setitem(stream_run._SESSION, "spark.sql.files.maxPartitionBytes", "100000")
    place = streamed(table_session, str(inbox), "delta", tmp_path)
    rows = place.read("babelreg__quarantine")
    assert len(rows) == 4_001
    for row in rows:
        assert _at(row["source_file"], row["source_offset"], len(row["body"])) == row["body"]


@pytest.mark.spark
@pytest.mark.servers
def test_a_stream_of_kafka_has_the_rows_of_a_lake(
    table_session: Any, kafka: Server, local: input_kinds.Rows, tmp_path: Path
) -> None:
    import kafka_server

    kafka_server.create(kafka, "kinds", 1, max_message_bytes="67108864")
    kafka_server.produce(kafka, "kinds", input_kinds.bodies(), **{"message.max.bytes": 64_000_000})
    place = streamed(table_session, f"{kafka.url}/kinds", "delta", tmp_path)
    _check("a stream of Kafka, one partition, to delta", of_place(place), local)


def _at(source_file: str, offset: int, size: int) -> bytes:
    """The bytes of a message in its file."""
    from urllib.parse import unquote, urlparse

    from babelreg.sources.compression import compression_at, opened

    path = Path(unquote(urlparse(source_file).path))
    with opened(path, compression_at(path)) as file:
        file.seek(offset)
        return file.read(size)
