"""Files and pipes of messages."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from babelreg.errors import InputError, UsageError
from babelreg.sources.message_input import chunks, input_paths, opened_input, receive_time, shown_path

EXAMPLE = "babelreg validate messages.jsonl"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stdin", [Terminal(), None], ids=["a terminal", "closed"])
def test_without_files_messages_are_piped_in(stdin: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(UsageError) as refused:
        input_paths((), EXAMPLE)
    assert refused.value.fix == "babelreg validate messages.jsonl, or pipe them in"


def test_standard_input_that_is_closed_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    (path,) = input_paths([Path("-")], EXAMPLE)
    assert shown_path(path) == "<stdin>"
    with pytest.raises(InputError), opened_input(path):
        pass


def test_a_file_is_read_in_chunks(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * 600_000)
    with opened_input(file) as stream:
        read = list(chunks(stream))
    assert b"".join(read) == b"x" * 600_000
    assert max(map(len, read)) <= 262_144


def test_the_receive_time_has_a_source(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x")
    os.utime(file, ns=(0, -5_000_000))
    with file.open("rb") as stream:
        assert receive_time(stream, 7) == (7, "argument")
        assert receive_time(stream, None) == (0, "mtime")
    assert receive_time(io.BytesIO(), None)[1] == "now"


def test_a_pipe_is_received_now() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        assert receive_time(stream, None)[1] == "now"
