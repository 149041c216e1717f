"""Messages of FlowLayer, PHPMQ and Strata in the tables of BabelQueue: typed, counted or in quarantine, and once."""

from __future__ import annotations

import gzip
import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import foreign

from babelreg.cli.lake.group import command
from babelreg.errors import InputError, UsageError
from babelreg.lake.ingest.run import pending
from babelreg.lake.input import input_discovery
from babelreg.lake.input import message_files as file_source
from babelreg.lake.storage.log import manifest, replay
from babelreg.lake.storage.log.replay import LakeState
from babelreg.model import Registry
from babelreg.sources import input_folder, packet_stream
from babelreg.spark import LocalEngine, Summary, all_files, compact, files, ingest, redrive, watch
from babelreg.wire.formats import phpmq
from babelreg.wire.formats.phpmq.models import MessageClientToServer

Make = Callable[..., Registry]
RECORDINGS = {
    "strata": foreign.strata_lines(),
    "flowlayer": foreign.flowlayer_lines(),
    "phpmq": foreign.phpmq_stream(),
    "babelqueue": foreign.envelope(1, "o1") + b"\n" + foreign.envelope(3, "b1") + b"\n",
}
MTIME_NS = 1_700_000_000_123_456_789


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for wire, content in RECORDINGS.items():
        write(tmp_path / wire / "a", content)
    return tmp_path


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content)
    os.utime(path, ns=(MTIME_NS, MTIME_NS))


def rows(lake: Path, table: str) -> list[dict[str, Any]]:
    found = [row for name in files(lake, table) for row in pq.read_table(name).to_pylist()]
    return sorted(found, key=lambda row: (row["source_file"], row["source_offset"], str(row.get("reason"))))


def everything(lake: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables that there are."""
    return {table: rows(lake, table) for table in all_files(lake)}


def counts(summary: Summary) -> tuple[int, int, int, int]:
    assert summary.read == summary.accepted + summary.duplicates + summary.quarantined
    return summary.read, summary.accepted, summary.duplicates, summary.quarantined


def contents(folder: Path) -> Iterator[bytes]:
    """Every byte below ``folder``, and the columns of parquet files unpacked."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.read_bytes()
            if path.suffix == ".parquet":
                yield repr(pq.read_table(path).to_pylist()).encode()


def test_all_four_wires_land_in_the_same_tables_with_the_same_reasons(
    engine: LocalEngine, make_registry: Make, home: Path
) -> None:
    lake, registry = home / "lake", make_registry(foreign.schemas(), foreign.WIRES)
    found = {wire: ingest(engine, registry, home / wire, lake, wire=wire) for wire in RECORDINGS}
    assert {wire: counts(summary) for wire, summary in found.items()} == {
        "strata": (8, 2, 1, 5),
        "flowlayer": (8, 4, 0, 4),
        "phpmq": (8, 5, 0, 3),
        "babelqueue": (2, 1, 1, 0),  # the first was carried by PHPMQ, too
    }
    assert found["strata"].reasons == {
        "invalid_json": 2, "above_maximum": 1, "missing_member": 1, "unmapped_name": 1,
    }  # fmt: skip
    assert found["flowlayer"].reasons == {
        "invalid_json": 1, "missing_id": 1, "missing_required": 1, "unmapped_name": 1,
    }  # fmt: skip
    assert found["phpmq"].reasons == {"above_maximum": 1, "control_message": 1, "unmapped_name": 1}
    tables = everything(lake)
    assert [row["data"] for row in tables[foreign.START]] == [{"service": "api"}, {"service": "db"}]
    assert [row["data_json"] for row in tables[foreign.MAIL]] == [f'{{"content":"mail {n}"}}' for n in range(3)]
    assert {(row["message_id"], row["queue"]) for row in tables[foreign.CREATED]} == {
        ("o1", "orders"), ("b1", "orders"), ("o2", "orders"),
    }  # fmt: skip
    assert {row["created_at"].timestamp() for row in tables[foreign.CREATE]} == {foreign.TIME / 1000}
    assert {row["created_at"].timestamp() for row in tables[foreign.START]} == {MTIME_NS // 1_000_000 / 1000}
    log = tables[foreign.LOG]
    assert len({row["message_id"] for row in log}) == len(log) == 2  # equal events are two events
    for wire in RECORDINGS:
        assert ingest(pytest.fail, registry, home / wire, lake, wire=wire).batch is None
    before = everything(lake)
    assert compact(engine, lake, at_least=2).batch is not None
    assert everything(lake) == before


def test_bytes_of_the_quarantine_are_those_of_the_message_but_for_secrets(
    engine: LocalEngine, make_registry: Make, home: Path
) -> None:
    lake, registry = home / "lake", make_registry(foreign.schemas(), foreign.WIRES)
    for wire in ("phpmq", "strata"):
        ingest(engine, registry, home / wire, lake, wire=wire)
    kept = {(row["batch_read"], row["source_offset"]): row["body"] for row in rows(lake, "quarantine")}
    for (batch, offset), body in kept.items():
        written = RECORDINGS["phpmq" if batch == 1 else "strata"][offset:]
        if batch == 1:
            assert written.startswith(body)
    line = foreign.request("A0000000000000000003", 10)
    assert line.replace(b'"S3CRET-jwt"', b'"***"') in {body + b"\n" for body in kept.values()}


def test_the_same_input_gives_the_same_rows_at_once_and_by_redrive(
    engine: LocalEngine, make_registry: Make, home: Path
) -> None:
    registry = make_registry(foreign.schemas(), foreign.WIRES)
    narrow = make_registry(foreign.schemas(0), foreign.WIRES.replace("start_service", "stop_service"))
    for lake, first in (("at once", registry), ("by redrive", narrow)):
        for wire in ("strata", "flowlayer", "phpmq"):
            ingest(engine, first, home / wire, home / lake, wire=wire)
    assert everything(home / "at once") != everything(home / "by redrive")
    for wire in ("strata", "flowlayer", "phpmq"):
        (home / wire / "a").unlink()  # what a redrive needs is in the lake
    assert redrive(engine, registry, home / "by redrive").accepted > 4
    assert everything(home / "at once") == everything(home / "by redrive")
    assert rows(home / "at once", "quarantine") == rows(home / "by redrive", "quarantine")


def test_a_receive_time_that_is_given_holds_for_redrive_too(
    engine: LocalEngine, make_registry: Make, home: Path
) -> None:
    lake, registry = home / "lake", make_registry(foreign.schemas(), foreign.WIRES)
    without = make_registry(foreign.schemas(), "version: 1\n")
    ingest(engine, without, home / "flowlayer", lake, wire="flowlayer", received_at=77_000)
    assert foreign.START not in all_files(lake)
    redrive(engine, registry, lake, reasons=["unknown_urn"])
    assert {row["created_at"].timestamp() for row in rows(lake, foreign.START)} == {77}


def test_an_input_folder_is_of_one_wire(engine: LocalEngine, make_registry: Make, home: Path) -> None:
    lake, registry = home / "lake", make_registry(foreign.schemas(), foreign.WIRES)
    ingest(engine, registry, home / "strata", lake, wire="strata")
    ingest(engine, registry, home / "babelqueue", lake)
    for wire, before in (("strata", "babelqueue"), ("babelqueue", "strata"), ("flowlayer", "strata")):
        source = home / before
        with pytest.raises(UsageError, match=f"messages of the wire format {before} were ingested from") as raised:
            ingest(pytest.fail, registry, source, lake, wire=wire)
        assert raised.value.fix is not None
        assert f"--wire {before}" in raised.value.fix
        with pytest.raises(UsageError, match=before):
            pending(source, lake, wire=wire)
    with pytest.raises(UsageError, match="'amqp' is not a wire format"):
        ingest(pytest.fail, registry, home / "strata", lake, wire="amqp")
    # A file of another wire's folder is another file, though its bytes were read there.
    (home / "babelqueue" / "a").rename(home / "strata" / "moved")
    assert ingest(engine, registry, home / "strata", lake, wire="strata").reasons == {"missing_message_type": 2}


def test_the_wire_of_a_folder_outlives_a_checkpoint(
    engine: LocalEngine, make_registry: Make, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    lake, registry = home / "lake", make_registry(foreign.schemas(), foreign.WIRES)
    without = make_registry(foreign.schemas(), "version: 1\n")
    ingest(engine, without, home / "flowlayer", lake, wire="flowlayer")
    for number in range(5):
        write(home / "babelqueue" / f"{number}", foreign.envelope(number, f"more {number}") + b"\n")
        ingest(engine, registry, home / "babelqueue", lake)
    assert replay.read(lake).checkpoint == 4
    assert not manifest.path_of(lake, 1).exists()
    assert redrive(engine, registry, lake).tables == {foreign.START: 2}
    with pytest.raises(UsageError, match="the wire format flowlayer"):
        ingest(pytest.fail, registry, home / "flowlayer", lake)


def test_a_stream_of_packets_is_the_work_of_several_tasks(
    engine: LocalEngine, make_registry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_source, "SPLIT_BYTES", 1024 * 1024)
    write(tmp_path / "in" / "a", foreign.phpmq_stream(mails=400, padding=10_000))
    registry = make_registry(foreign.schemas(), foreign.WIRES)
    names = input_folder.names(tmp_path / "in")
    todo = input_discovery.find(tmp_path / "in", names, LakeState(), wire="phpmq")
    shares = file_source.FileSource(str(tmp_path / "in"), todo.ranges, 1, "phpmq").splits(2)
    assert len(shares) == 4
    summary = ingest(engine, registry, tmp_path / "in", tmp_path / "lake", wire="phpmq")
    assert counts(summary) == (405, 402, 0, 3)
    ids = [row["message_id"] for row in rows(tmp_path / "lake", foreign.MAIL)]
    assert len(set(ids)) == 400


def test_after_an_error_a_stream_is_held_until_it_is_repaired(
    engine: LocalEngine, make_registry: Make, tmp_path: Path
) -> None:
    good, rest = foreign.phpmq_stream(), foreign.phpmq_stream(mails=5)
    path, lake, registry = tmp_path / "in" / "a", tmp_path / "lake", make_registry(foreign.schemas(), foreign.WIRES)
    write(path, good + b"X" + rest[1:])
    summary = ingest(engine, registry, path.parent, lake, wire="phpmq")
    assert counts(summary) == (8, 5, 0, 3)
    assert (summary.files, summary.known_files) == (1, 0)
    why = "a message does not begin with the flag H [invalid_message_flag]"
    text = f"reading stopped at byte {len(good):,}: {why}; once it is repaired there, the next run continues"
    assert summary.set_aside == {"a": text}
    again = ingest(pytest.fail, registry, path.parent, lake, wire="phpmq")
    assert (again.batch, again.set_aside, again.known_files) == (None, {"a": text}, 0)
    write(path, good + rest)
    os.utime(path)
    summary = ingest(engine, registry, path.parent, lake, wire="phpmq")
    assert (summary.read, summary.set_aside) == (10, {})
    assert len(rows(lake, foreign.MAIL)) == 8


def test_an_error_in_the_first_message_holds_the_whole_file(make_registry: Make, tmp_path: Path) -> None:
    path, lake, registry = tmp_path / "in" / "a", tmp_path / "lake", make_registry(foreign.schemas(), foreign.WIRES)
    write(path, b"{}\n")
    summary = ingest(pytest.fail, registry, path.parent, lake, wire="phpmq")
    assert summary.read == 0
    assert "reading stopped at byte 0" in summary.set_aside["a"]
    path.write_bytes(foreign.phpmq_stream())
    assert len(pending(path.parent, lake, wire="phpmq").ranges) == 1


def test_a_message_with_an_error_in_a_content_costs_no_other(
    engine: LocalEngine, make_registry: Make, tmp_path: Path
) -> None:
    stream = foreign.phpmq_stream()
    broken = phpmq.encode(MessageClientToServer(b"Mails", b"x", 3600).packets())[:-4] + b"36x0"
    write(tmp_path / "in" / "a", broken + stream)
    registry = make_registry(foreign.schemas(), foreign.WIRES)
    summary = ingest(engine, registry, tmp_path / "in", tmp_path / "lake", wire="phpmq")
    assert counts(summary) == (9, 5, 0, 4)
    (row,) = [row for row in rows(tmp_path / "lake", "quarantine") if row["reason"] == "invalid_integer"]
    assert row["body"] == broken


def test_a_stream_that_is_being_written_waits_for_its_last_message(
    engine: LocalEngine, make_registry: Make, tmp_path: Path
) -> None:
    stream, cut = foreign.phpmq_stream(), foreign.phpmq_stream()[:-7]
    path, registry = tmp_path / "in" / "a", make_registry(foreign.schemas(), foreign.WIRES)
    write(path, cut)
    stop, found = threading.Event(), []

    def told(summary: Summary) -> None:
        found.append(summary)
        path.write_bytes(stream)
        if len(found) == 2:
            stop.set()

    watch(
        engine, lambda: registry, path.parent, tmp_path / "lake", stop=stop, told=told, every_seconds=0.01, wire="phpmq"
    )
    assert [(summary.read, dict(summary.set_aside)) for summary in found] == [(7, {}), (1, {})]
    write(path.with_name("b"), cut)
    summary = ingest(engine, registry, path.parent, tmp_path / "lake", wire="phpmq")
    assert "the stream ends within a message [truncated]" in summary.set_aside["b"]


def test_frames_and_packed_lines_hold_foreign_messages_too(
    engine: LocalEngine, make_registry: Make, tmp_path: Path
) -> None:
    stream = foreign.phpmq_stream()
    spans = [span for span in phpmq.spans(lambda at, n: stream[at : at + n], len(stream)) if isinstance(span, tuple)]
    bodies = [stream[start:end] for start, end in spans]
    write(tmp_path / "in" / "a.frames", b"".join(len(one).to_bytes(4, "big") + one for one in bodies))
    write(tmp_path / "lines" / "a.gz", gzip.compress(foreign.strata_lines(), mtime=0))
    registry = make_registry(foreign.schemas(), foreign.WIRES)
    assert counts(ingest(engine, registry, tmp_path / "in", tmp_path / "lake", wire="phpmq")) == (8, 5, 0, 3)
    assert counts(ingest(engine, registry, tmp_path / "lines", tmp_path / "lake", wire="strata")) == (8, 2, 1, 5)
    write(tmp_path / "packed" / "a.gz", gzip.compress(stream))
    with pytest.raises(InputError, match="cannot be split within it"):
        ingest(pytest.fail, registry, tmp_path / "packed", tmp_path / "lake", wire="phpmq")


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = sys.argv[3:5]
import foreign
from lake_fixtures import registry_of
from babelreg.spark import ingest
from babelreg.lake.storage.log import manifest

manifest.write = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
wire, home = sys.argv[1], Path(sys.argv[2])
ingest("local", registry_of(foreign.schemas(), foreign.WIRES), home / wire, home / "lake", wire=wire)
"""


@pytest.mark.parametrize("wire", ["phpmq", "flowlayer"])
def test_a_run_that_is_killed_leaves_nothing_and_the_next_gives_the_same_rows(
    engine: LocalEngine, make_registry: Make, home: Path, wire: str
) -> None:
    registry, here = make_registry(foreign.schemas(), foreign.WIRES), Path(__file__).parents[2]
    program = [sys.executable, "-c", KILLED, wire, str(home), str(here / "shared"), str(here / "lake" / "shared")]
    assert subprocess.run(program, capture_output=True).returncode == -signal.SIGKILL
    with pytest.raises(UsageError, match="contains no tables"):
        all_files(home / "lake")
    ingest(engine, registry, home / wire, home / "lake", wire=wire)
    ingest(engine, registry, home / wire, home / "whole", wire=wire)
    assert everything(home / "lake") == everything(home / "whole")
    assert rows(home / "lake", "quarantine") == rows(home / "whole", "quarantine")


@pytest.mark.spark
def test_no_secret_is_anywhere_in_what_is_written_or_said(
    home: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    make_registry: Make,
    spark: Any,
) -> None:
    registry, lake = make_registry(foreign.schemas(), foreign.WIRES), home / "lake"
    monkeypatch.chdir(home)
    narrow = make_registry(foreign.schemas(0), foreign.WIRES)
    said = []
    for wire in ("strata", "flowlayer"):
        conflict = foreign.request("A0000000000000000001", -7)
        write(home / wire / "b", conflict + b'{"id":1,"auth":"S3CRET-jwt"}\n' if wire == "strata" else b"{}")
        said.append(repr(ingest(spark, registry, home / wire, lake, wire=wire)))
        assert all(secret not in content for secret in foreign.SECRETS for content in contents(lake))
    assert {row["reason"] for row in rows(lake, "quarantine")} >= {"id_conflict", "invalid_json", "unmapped_name"}
    said += [repr(redrive(spark, narrow, lake)), repr(redrive(spark, registry, lake))]
    (home / "registry").mkdir()
    for name, text in {"babelreg.yaml": foreign.WIRES, "orders/_context.yaml": "owner: team\n"}.items():
        write(home / "registry" / name, text.encode())
    asked = ["report", "--registry", "registry", "--lake", "lake", "--output", "report.html"]
    done = CliRunner().invoke(command, asked)
    assert done.exit_code == 0, done.output
    written = [*contents(lake), (home / "report.html").read_bytes(), *(text.encode() for text in said)]
    out, err = capfd.readouterr()
    written += [done.output.encode(), out.encode(), err.encode()]
    assert any(b'"***"' in content for content in written)
    for secret in foreign.SECRETS:
        assert all(secret not in content for content in written)


def test_borders_are_found_by_headers_alone(tmp_path: Path) -> None:
    stream = foreign.phpmq_stream(mails=50, padding=100)
    write(tmp_path / "a", stream)
    end, cuts, error = packet_stream.borders(phpmq.spans, tmp_path / "a", 0, len(stream), step=1_000)
    assert (end, error) == (len(stream), None)
    assert len(cuts) > 3
    edges = [0, *cuts, *([end] if cuts[-1] != end else [])]
    found = []
    with (tmp_path / "a").open("rb") as file:
        for start, stop in itertools.pairwise(edges):
            found += packet_stream.read(phpmq.spans, file, tmp_path / "a", start, stop)
    assert b"".join(body for body, _ in found) == stream
    assert [offset for _, offset in found] == list(
        itertools.accumulate((len(body) for body, _ in found[:-1]), initial=0)
    )
