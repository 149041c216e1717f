"""The output folder: who may write there, what is removed, how files get in."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from babelreg.errors import InputError, UsageError
from babelreg.lake.storage import output_folder as output
from babelreg.lake.storage.current_files import files
from babelreg.lake.storage.log import batch_record, manifest, replay
from babelreg.lake.storage.log.manifest import Batch, Consumed, SortedFileRecord, TableRows

_BATCH = Batch(
    1,
    "ingest",
    3,
    1,
    1,
    1,
    False,
    (Consumed("/in", "a.jsonl", 0, 9, 1, True, "f0"),),
    {
        "urn:babel:orders:created": TableRows(
            1, ("tables/orders/created/batch=000001/part-00000.parquet",), {"id": "BIGINT"}
        )
    },
    TableRows(1, ("quarantine/batch=000001/part-00000.parquet",)),
    {"poison": 1},
    {"urn:babel:orders:created": 1},
    (SortedFileRecord("ids/batch=000001/part-00000.ids", 1),),
)


_BATCH_LINES = batch_record.encode(_BATCH).decode()


def _sealed(lines: str) -> str:
    return batch_record.sealed(lines.encode()).decode()


def _file(path: Path, content: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def _tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "urn, folder",
    [
        pytest.param("urn:babel:orders:created", "tables/orders/created", id="version 1"),
        pytest.param("urn:babel:orders:created.v2", "tables/orders/created.v2", id="version 2 is a table of its own"),
        pytest.param("urn:babel:a-b:email.welcome.send", "tables/a-b/email.welcome.send", id="many parts"),
    ],
)
def test_the_folder_of_a_table_mirrors_its_urn(urn: str, folder: str) -> None:
    assert output.table_folder(urn) == folder


@pytest.mark.parametrize(
    "target, said",
    [
        pytest.param("in", "is inside the input", id="the input itself"),
        pytest.param("in/out", "is inside the input", id="inside the input"),
        pytest.param("in/../in/out", "is inside the input", id="inside the input by a detour"),
        pytest.param("link/out", "is inside the input", id="inside the input by a link"),
        pytest.param(".", "is inside the output", id="around the input"),
        pytest.param("file", "is a file", id="a file"),
        pytest.param("foreign", "it holds 'photo.jpg'", id="a folder of something else"),
        pytest.param("mixed", "it holds 'notes.txt'", id="one of ours that something else was put in"),
        pytest.param("no-manifest", "has tables, but no folder 'manifest'", id="a lake that lost its manifests"),
        pytest.param("s3://bucket/out", "not a folder of this machine", id="an address"),
    ],
)
def test_an_output_that_will_not_do(target: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("link").symlink_to("in")
    _file(Path("file"))
    _file(Path("foreign/photo.jpg"))
    _file(Path("mixed/manifest/000001.json"))
    _file(Path("mixed/notes.txt"))
    _file(Path("no-manifest/tables/a/b/batch=000001/part-00000.parquet"))
    with pytest.raises(UsageError, match=said) as raised:
        output.check(Path(target), Path("in"))
    assert raised.value.fix


@pytest.mark.parametrize(
    "held",
    [
        pytest.param([], id="a new folder"),
        pytest.param([".lock"], id="one that a run stopped in at once"),
        pytest.param(["manifest/000001.json", "tables/a/b/c", ".lock", ".staging/x"], id="one of an earlier run"),
    ],
)
def test_an_output_that_will_do(held: list[str], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in held:
        _file(tmp_path / "out" / name)
    output.check(tmp_path / "out", tmp_path / "in")


def test_a_second_run_is_refused_while_the_first_holds_the_folder(tmp_path: Path) -> None:
    with (
        output.locked(tmp_path / "out"),
        pytest.raises(UsageError, match="another run is writing"),
        output.locked(tmp_path / "out"),
    ):
        pass
    with output.locked(tmp_path / "out"):
        pass


def test_a_process_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, sys\nfrom babelreg.lake.storage import output_folder as output\n"
        "with output.locked(pathlib.Path(sys.argv[1])):\n    os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(tmp_path / "out")], check=False)
    assert killed.returncode == -9
    with output.locked(tmp_path / "out"):
        pass


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_where_there_are_no_locks_a_file_names_who_writes(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(code, "none here")

    monkeypatch.setattr(fcntl, "flock", none)
    target = tmp_path / "out"
    for _ in range(2):
        with output.locked(target):
            with (
                pytest.raises(UsageError, match=f"process {os.getpid()} on .* is writing") as raised,
                output.locked(target),
            ):
                pass
            assert raised.value.fix is not None
            assert raised.value.fix.endswith(f"remove {target / '.writer'}")
            output.check(target, tmp_path / "in")
        assert not (target / ".writer").exists()
    (target / ".writer").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="another run is writing"), output.locked(target):
        pass
    assert (target / ".writer").exists(), "it belongs to somebody else"


def test_an_output_below_a_file_is_an_error(tmp_path: Path) -> None:
    _file(tmp_path / "file")
    with pytest.raises(UsageError, match="cannot write"), output.locked(tmp_path / "file" / "out"):
        pass


def test_what_no_manifest_names_is_removed_and_the_rest_stays(tmp_path: Path) -> None:
    kept = {
        "tables/orders/created/batch=000001/part-00000.parquet",
        "quarantine/batch=000001/part-00000.parquet",
        "ids/batch=000001/part-00000.ids",
        "manifest/000001.json",
        "manifest/newest",
    }
    gone = {
        "tables/orders/created/batch=000002/part-00000.parquet",
        "tables/orders/new/batch=000002/part-00000.parquet",
        "quarantine/batch=000002/part-00000.parquet",
        "ids/batch=000001/part-00001.ids",
        "ids/batch=000002/part-00000.ids",
        "manifest/000002.tmp",
        ".staging/batch-x/landing/place=0/part.parquet",
    }
    for name in (kept | gone) - {"manifest/newest"}:
        _file(tmp_path / name)
    manifest.write(tmp_path, _BATCH)
    output.discard_uncommitted(tmp_path)
    assert _tree(tmp_path) == kept


def _written(output: Path) -> None:
    """What batch 1 leaves."""
    (output / "manifest").mkdir()
    for name in (*_BATCH.tables["urn:babel:orders:created"].files, *_BATCH.quarantine.files):
        _file(output / name)
    manifest.write(output, _BATCH)


def test_an_output_that_was_copied_halfway_is_noticed(tmp_path: Path) -> None:
    _written(tmp_path)
    (tmp_path / _BATCH.quarantine.files[0]).unlink()
    with pytest.raises(InputError, match="part-00000.parquet is missing, but the manifest of batch 1") as raised:
        output.opened(tmp_path)
    assert raised.value.fix


def test_files_are_published_together_under_plain_names(tmp_path: Path) -> None:
    written = [_file(tmp_path / "staging" / name, name) for name in ("part-0-uuid.c000.parquet", "part-1.parquet")]
    named = output.publish(written, tmp_path / "out", "tables/orders/created", "batch=000001")
    assert named == (
        "tables/orders/created/batch=000001/part-00000.parquet",
        "tables/orders/created/batch=000001/part-00001.parquet",
    )
    assert [(tmp_path / "out" / name).read_text() for name in named] == [path.name for path in written]


def test_publishing_nothing_makes_no_folder(tmp_path: Path) -> None:
    assert (output.publish([], tmp_path, "quarantine", "batch=000001"), list(tmp_path.iterdir())) == ((), [])


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "manifest").mkdir()
    manifest.write(tmp_path, _BATCH)
    assert (manifest.read(tmp_path), sorted(one.name for one in (tmp_path / "manifest").iterdir())) == (
        (_BATCH,),
        ["000001.json", "newest"],
    )


@pytest.mark.parametrize(
    "content, said",
    [
        pytest.param("{", "not a manifest of a batch", id="cut off"),
        pytest.param(_BATCH_LINES[:-9], "last line is not the checksum", id="without its last line"),
        pytest.param(_BATCH_LINES[:-1], "last line is not the checksum", id="without its last byte"),
        pytest.param(_BATCH_LINES + "\n", "last line is not the checksum", id="with a byte more"),
        pytest.param(_sealed("[]\n"), "not a manifest of a batch", id="not an object"),
        pytest.param(_sealed('{"format": 4}\n'), "not a manifest of a batch", id="without its parts"),
        pytest.param(_sealed('{"format": 99}\n'), "another version", id="of a later format"),
        pytest.param('{"format": 3}\n', "another version", id="of an earlier format, which had no check sum"),
        pytest.param(_sealed('{"format": 4, "number": []}\n'), "not a manifest of a batch", id="of other types"),
    ],
)
def test_a_manifest_that_cannot_be_understood(content: str, said: str, tmp_path: Path) -> None:
    _file(tmp_path / "manifest" / "000001.json", content)
    with pytest.raises(InputError, match=said) as raised:
        manifest.read(tmp_path)
    assert raised.value.fix


def test_a_manifest_that_is_missing_in_between_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "manifest").mkdir()
    manifest.write(tmp_path, _BATCH)
    (tmp_path / "manifest" / "000001.json").rename(tmp_path / "manifest" / "000002.json")
    with pytest.raises(InputError, match="is missing"):
        manifest.read(tmp_path)


@pytest.mark.parametrize(
    "left",
    [
        pytest.param("tables/orders/created/batch=000002/part-00000.parquet", id="a table"),
        pytest.param("quarantine/batch=000002/part-00000.parquet", id="the quarantine"),
        pytest.param("ids/batch=000002/part-00000.ids", id="the ids"),
    ],
)
def test_the_newest_manifest_is_missed_and_nothing_is_removed(left: str, tmp_path: Path) -> None:
    _written(tmp_path)
    _file(tmp_path / left)
    before = _tree(tmp_path)
    with pytest.raises(InputError, match="manifest/000002.json is not") as raised:
        output.opened(tmp_path)
    assert raised.value.fix
    assert _tree(tmp_path) == before
    _file(tmp_path / ".staging" / "batch-x" / "file")  # now it is what a stopped run left
    assert output.opened(tmp_path) == replay.of([_BATCH])
    assert _tree(tmp_path) == before - {left}


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(replay.read, id="the state"),
        pytest.param(manifest.read, id="all batches"),
        pytest.param(manifest.numbers, id="their numbers"),
        pytest.param(lambda lake: files(lake, "quarantine"), id="the files of readers"),
        pytest.param(output.opened, id="a run"),
    ],
)
@pytest.mark.parametrize("left", [1, 0])
def test_a_newest_manifest_that_is_gone_is_not_taken_for_the_state_before(
    read: Callable[[Path], object], left: int, tmp_path: Path
) -> None:
    """Also where nothing of its batch is left, and where it was the only one."""
    (tmp_path / "manifest").mkdir()
    for number in range(1, left + 2):
        manifest.write(tmp_path, replace(_BATCH, number=number, tables={}, quarantine=TableRows(0, ()), index=()))
    (tmp_path / "manifest" / f"{left + 1:06d}.json").unlink()
    with pytest.raises(
        InputError, match=rf"{left + 1:06d}\.json is missing, but .*newest records that batch {left + 1}"
    ) as raised:
        read(tmp_path)
    assert raised.value.fix
    (tmp_path / "manifest" / "newest").unlink()
    assert replay.read(tmp_path).number == left, "as its owner decided"


def test_the_newest_batch_is_recorded_by_the_next_run_where_it_was_not(tmp_path: Path) -> None:
    """An earlier version wrote the lake, or a run was stopped after its manifest."""
    (tmp_path / "manifest").mkdir()
    for number in (1, 2):
        manifest.write(tmp_path, replace(_BATCH, number=number, tables={}, quarantine=TableRows(0, ()), index=()))
        newest = tmp_path / "manifest" / "newest"
        newest.write_bytes(batch_record.sealed(b"1\n")) if number == 2 else newest.unlink()
        assert replay.read(tmp_path).number == number
        output.opened(tmp_path)
        assert newest.read_bytes() == batch_record.sealed(b"%d\n" % number)
    newest.write_bytes(b"7\n")
    with pytest.raises(InputError, match="is damaged"):
        replay.read(tmp_path)
