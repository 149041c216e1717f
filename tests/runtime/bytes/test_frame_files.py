"""Files of frames appear whole, and those of killed processes are completed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import recorded_files

from babelreg.runtime.bytes import frame_files
from babelreg.runtime.bytes.frame_files import FrameFiles, complete_abandoned, stem_of
from babelreg.sources import input_folder
from babelreg.wire.length_frames import frame

PART = ".orders-20260101T000000Z-00000000.frames.part"
FINAL = "orders-20260101T000000Z-00000000.frames"


def found(folder: Path) -> list[list[bytes]]:
    return [recorded_files.bodies([file]) for file in recorded_files.visible(folder)]


def test_ingestion_does_not_see_a_file_before_it_is_complete(tmp_path: Path) -> None:
    files = FrameFiles(tmp_path, "orders")
    files.append([b"one"])
    assert input_folder.list_files(tmp_path) == ()
    files.complete()
    assert input_folder.list_files(tmp_path) == (files.completed[0].name,)
    assert found(tmp_path) == [[b"one"]]


@pytest.mark.parametrize(
    "limits, counts",
    [
        pytest.param({"max_messages": 2}, [2, 2, 1], id="a number of messages"),
        pytest.param({"max_bytes": 20}, [2, 2, 1], id="a size"),
        pytest.param({"max_bytes": 1}, [1, 1, 1, 1, 1], id="a size smaller than any message"),
        pytest.param({}, [5], id="no limit is reached"),
    ],
)
def test_a_full_file_is_followed_by_another(tmp_path: Path, limits: dict[str, int], counts: list[int]) -> None:
    files = FrameFiles(tmp_path, "orders", **limits)
    files.append([b"0123456789"] * 3)
    files.append([b"0123456789"] * 2)
    files.complete()
    assert [len(recorded_files.bodies([file])) for file in files.completed] == counts


@pytest.mark.parametrize(
    "left, kept",
    [
        pytest.param(
            frame(b"one") + frame(b"two") + frame(b"three")[:-1], [[b"one", b"two"]], id="a part of a message"
        ),
        pytest.param(frame(b"one") + b"\0\0", [[b"one"]], id="a part of a length"),
        pytest.param(frame(b"one") + frame(b""), [[b"one", b""]], id="an empty message"),
        pytest.param(frame(b"one"), [[b"one"]], id="whole frames"),
        pytest.param(frame(b"one")[:-1], [], id="not even one frame"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(frame(b"one") + frame(b"x" * 300_000)[:200_000], [[b"one"]], id="a part of a long message"),
    ],
)
def test_what_a_killed_process_left_is_completed(tmp_path: Path, left: bytes, kept: list[list[bytes]]) -> None:
    (tmp_path / PART).write_bytes(left)
    assert FrameFiles(tmp_path, "other").prepare() == [tmp_path / FINAL for _ in kept]
    assert found(tmp_path) == kept
    assert not (tmp_path / PART).exists()


def test_the_file_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    files = FrameFiles(tmp_path, "orders")
    files.append([b"one"])
    assert complete_abandoned(tmp_path) == []
    files.append([b"two"])
    files.complete()
    assert found(tmp_path) == [[b"one", b"two"]]


@pytest.mark.parametrize("age_seconds, completed", [(10, 0), (10_000, 1)])
def test_without_locks_a_file_that_was_just_written_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age_seconds: int, completed: int
) -> None:
    monkeypatch.setattr(frame_files, "_locked", lambda stream: None)
    (tmp_path / PART).write_bytes(frame(b"one"))
    then = (tmp_path / PART).stat().st_mtime - age_seconds
    os.utime(tmp_path / PART, (then, then))
    assert len(complete_abandoned(tmp_path)) == completed


@pytest.mark.parametrize(
    "retracted, kept",
    [
        pytest.param([0], [[b"two", b"three"]], id="the first"),
        pytest.param([1, 2], [[b"one"]], id="the last ones"),
        pytest.param([0, 1, 2], [], id="all"),
    ],
)
def test_a_retracted_message_is_not_in_the_complete_file(
    tmp_path: Path, retracted: list[int], kept: list[list[bytes]]
) -> None:
    files = FrameFiles(tmp_path, "orders")
    places = []
    for body in (b"one", b"two", b"three"):
        size = files.position[1] if files.is_open else 0
        files.append([body])
        places.append((files.position[0], size))
    assert all(files.retract(*places[number]) for number in retracted)
    files.complete()
    assert found(tmp_path) == kept
    assert len(list(tmp_path.iterdir())) == len(kept)
    assert not files.retract(*places[0])


def test_a_process_killed_after_a_retraction_does_not_bring_the_message_back(tmp_path: Path) -> None:
    (tmp_path / FINAL).write_bytes(frame(b"two"))
    (tmp_path / PART).write_bytes(frame(b"one") + frame(b"two"))
    assert complete_abandoned(tmp_path) == []
    assert found(tmp_path) == [[b"two"]]


def test_a_full_disk_leaves_whole_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = FrameFiles(tmp_path, "orders")
    files.append([b"one"])
    write = os.write

    def full(descriptor: int, content: memoryview) -> int:
        if len(content) <= 5:
            raise OSError(28, "No space left on device")
        return write(descriptor, content[:5])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            files.append([b"0123456789"])
    files.append([b"two"])
    files.complete()
    assert found(tmp_path) == [[b"one", b"two"]]


@pytest.mark.parametrize(
    "name, stem",
    [
        ("orders.dlq", "orders.dlq"),
        ("../../etc", "etc"),
        ("_orders", "orders"),
        ("été:a b", "t__a_b"),
        ("☃", "queue"),
        ("q" * 300, "q" * 100),
    ],
)
def test_a_queue_of_any_name_has_a_file_that_is_read(name: str, stem: str) -> None:
    assert stem_of(name) == stem
