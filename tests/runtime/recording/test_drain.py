from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
import recorded_files
import runtime_messages as on

from babelreg.errors import UsageError
from babelreg.runtime import drain
from babelreg.wire.length_frames import frame

BODIES = ['{"a":1.10}', "not json", "é☃", "\udcff\udcfe", "", '{\r\n  "a": 1\n}', '{"deep":' + "[" * 5000 + "}"]


def test_every_message_is_a_frame_as_it_came(tmp_path: Path) -> None:
    app = on.app()
    for body in BODIES:
        on.put(app, body)
    drained = drain(app, tmp_path)
    (file,) = drained.files
    assert file.name.startswith("orders-")
    found = recorded_files.bodies([file])
    assert found == [body.encode("utf-8", "surrogateescape") for body in BODIES]
    assert (drained.messages, drained.size_bytes) == (len(BODIES), sum(map(len, found)))
    assert on.bodies(app, "orders") == []


@pytest.mark.parametrize(
    "limit, per_file, counts",
    [
        pytest.param(None, 4, [4, 4, 2], id="files of a size"),
        pytest.param(7, 4, [4, 3], id="a limit"),
        pytest.param(0, 4, [], id="a limit of none"),
        pytest.param(None, 10, [10], id="just one file"),
    ],
)
def test_files(tmp_path: Path, limit: int | None, per_file: int, counts: list[int]) -> None:
    app = on.app()
    for number in range(10):
        on.put(app, f"{number}")
    drained = drain(app, tmp_path, limit=limit, per_file=per_file, batch=3)
    assert [len(recorded_files.bodies([file])) for file in drained.files] == counts
    assert len(on.bodies(app, "orders")) == 10 - sum(counts)


def test_a_later_run_adds_files(tmp_path: Path) -> None:
    app = on.app()
    files = []
    for _ in range(2):
        on.put(app, "x")
        files += drain(app, tmp_path).files
    assert sorted(files) == sorted(tmp_path.iterdir())
    assert len(files) == 2


def test_an_empty_queue_makes_no_file(tmp_path: Path) -> None:
    assert drain(on.app(), tmp_path).files == ()
    assert list(tmp_path.iterdir()) == []


def test_a_message_is_acknowledged_only_when_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = on.app()
    on.put(app, "one")

    def check(received: object) -> None:
        (part,) = tmp_path.iterdir()
        assert part.name.startswith(".orders-")
        assert part.read_bytes() == frame(b"one")

    monkeypatch.setattr(app.transport, "ack", check)
    drain(app, tmp_path)


def test_a_queue_with_a_path_in_its_name_stays_in_the_folder(tmp_path: Path) -> None:
    app = on.app()
    on.put(app, "x", "../../orders:é")
    drained = drain(app, tmp_path / "in", "../../orders:é")
    assert [file.parent for file in drained.files] == [tmp_path / "in"]


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    app = on.app()
    on.put(app, "x")
    with pytest.raises(UsageError, match="cannot be written"):
        drain(app, tmp_path / "file")
    assert on.bodies(app, "orders") == ["x"]


def test_a_broker_that_fails_is_not_taken_for_a_disk_that_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = on.app()
    on.put(app, "x")

    def fail(received: object) -> None:
        raise ConnectionError("away")

    monkeypatch.setattr(app.transport, "ack", fail)
    with pytest.raises(ConnectionError, match="away"):
        drain(app, tmp_path)
    assert recorded_files.bodies(recorded_files.visible(tmp_path)) == [b"x"]


def test_the_name_of_a_file_is_on_the_disk_before_a_message_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = on.app()
    on.put(app, "x")
    synced: list[bool] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(app.transport, "ack", lambda received: synced.append(None))  # type: ignore[arg-type]
    drain(app, tmp_path)
    assert synced[: synced.index(None)] == [True, False]  # type: ignore[arg-type]
