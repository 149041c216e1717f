"""A log of events: appended to, bounded, and sound after a kill."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from babelreg.lake.operations.event_log import append_events, rotated


def test_events_are_appended_to_what_an_earlier_process_wrote(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    append_events(log, ["1", "2"])
    append_events(log, ["3"])
    assert log.read_text() == "1\n2\n3\n"
    assert not rotated(log).exists()


def test_the_log_and_the_one_before_it_hold_the_newest_events_and_do_not_grow(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    for number in range(100):
        append_events(log, [f"{number:09}"], largest_bytes=35)  # three lines of ten bytes
        assert log.stat().st_size <= 35
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "events.jsonl.1"]
    kept = (rotated(log).read_text() + log.read_text()).split()
    assert [int(line) for line in kept] == [96, 97, 98, 99]


def test_events_larger_than_a_log_are_kept_whole(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    append_events(log, ["x" * 50], largest_bytes=10)
    append_events(log, ["y" * 50], largest_bytes=10)
    assert (rotated(log).read_text(), log.read_text()) == ("x" * 50 + "\n", "y" * 50 + "\n")


@pytest.mark.parametrize(
    "content, expected",
    [
        pytest.param('{"a": 1}\n{"b', '{"a": 1}\n{"b\nnew\n', id="a line that a killed process left unfinished"),
        pytest.param("", "new\n", id="an empty file"),
    ],
)
def test_an_event_begins_a_line(content: str, expected: str, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    log.write_text(content)
    append_events(log, ["new"])
    assert log.read_text() == expected


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    link = tmp_path / "events.jsonl"
    link.symlink_to(tmp_path / "logs" / "real.jsonl")
    for event in "123":
        append_events(link, [event], largest_bytes=3)
    assert link.is_symlink()
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == ["real.jsonl", "real.jsonl.1"]
    assert link.read_text() == "3\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "events"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
    reader.start()
    append_events(pipe, ["1", "2"], largest_bytes=1)
    reader.join(60)
    assert received == ["1\n2\n"]
    assert [path.name for path in tmp_path.iterdir()] == ["events"]
