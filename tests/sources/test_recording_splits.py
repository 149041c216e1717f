"""Splits of recordings: each message is in one split, whatever the sizes."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from babelreg.contract.parse import MAX_BYTES
from babelreg.errors import InputError
from babelreg.sources import recording_splits as splitting
from babelreg.sources.recorded_messages import recorded_messages
from babelreg.sources.recording_splits import recording_splits
from babelreg.wire.length_frames import frame

LINES = [b"{}", b"", b"  ", b'{"a": 1}' * 9, b"\r", b"x" * 50, b"\xff", b"1"]


def bodies(splits):
    return [body for split in splits for body in split.messages()]


@pytest.mark.parametrize("size", [1, 2, 7, 50, 51, 52, 10_000])
def test_lines_of_each_split_add_up_to_those_of_the_file(tmp_path, monkeypatch, size):
    monkeypatch.setattr(splitting, "_MIN_SPLIT_BYTES", size)
    for number, end in enumerate((b"", b"\n", b"\n\n ")):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(b"\n".join(random.Random(number).choices(LINES, k=60)) + end)
        splits = recording_splits([path], 1_000)
        assert bodies(splits) == list(recorded_messages(path))
        assert size > 60 or len(splits) > 3


@pytest.mark.parametrize("size", [1, 20, 100, 10_000])
def test_frames_of_each_split_add_up_to_those_of_the_file(tmp_path, monkeypatch, size):
    monkeypatch.setattr(splitting, "_MIN_SPLIT_BYTES", size)
    path = tmp_path / "a.frames"
    path.write_bytes(b"".join(map(frame, LINES * 9)))
    splits = recording_splits([path], 1_000)
    assert bodies(splits) == LINES * 9
    assert size > 100 or len(splits) > 3


def test_a_frame_that_is_cut_off_is_told_and_what_comes_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(splitting, "_MIN_SPLIT_BYTES", 1)
    path = tmp_path / "a.frames"
    path.write_bytes(b"".join(map(frame, LINES)) + frame(b"last")[:-1])
    (split,) = recording_splits([path], 9)
    messages = split.messages()
    assert [next(messages) for _ in LINES] == LINES
    with pytest.raises(InputError, match="ends within the frame"):
        next(messages)


def test_a_line_that_is_too_long_is_one_message_in_any_split(tmp_path, monkeypatch):
    monkeypatch.setattr(splitting, "_MIN_SPLIT_BYTES", 1024 * 1024)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n" + b"x" * (3 * MAX_BYTES) + b"\n2\n")
    lengths = [len(body) for body in bodies(recording_splits([path], 64))]
    assert lengths == [1, MAX_BYTES + 2, 1]


def test_packed_files_and_pipes_are_one_split_each(tmp_path, monkeypatch):
    monkeypatch.setattr(splitting, "_MIN_SPLIT_BYTES", 1)
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"1\n2\n3\n"))
    (split,) = recording_splits([path], 9)
    assert bodies([split]) == [b"1", b"2", b"3"]
    (pipe,) = recording_splits([Path("-")], 9)
    assert pipe.is_pipe
