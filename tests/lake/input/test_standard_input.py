"""A stream as the input of a batch: what of it is new."""

from __future__ import annotations

import gzip
import io
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from babelreg.errors import InputError
from babelreg.lake.input.input_discovery import InputBacklog
from babelreg.lake.input.standard_input import is_stream, stored
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.log.manifest import Batch, TableRows
from babelreg.lake.storage.log.replay import LakeState
from babelreg.wire.format import NATIVE

STDIN = Path("-")


def _stored(content: bytes, so_far: LakeState, folder: Path, monkeypatch: pytest.MonkeyPatch) -> InputBacklog:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    with stored(STDIN, folder) as stream:
        return stream.backlog(so_far, wire=NATIVE, received_at=None)


def _after(found: InputBacklog, number: int, so_far: LakeState) -> LakeState:
    none = TableRows(0, ())
    batch = Batch(number, "ingest", 0, 0, 0, 0, False, found.consumed, {}, none, {}, {}, ())
    return replay.after(so_far, batch)


@pytest.mark.parametrize(
    "streams, ranges",
    [
        pytest.param([b"{}\n"], [(0, 3)], id="the first one is read to its end"),
        pytest.param([b"{}\n[]"], [(0, 5)], id="a last line without LF is a message"),
        pytest.param([b"{}\n", b"{}\n"], None, id="the same bytes are not read again"),
        pytest.param([b"{}\n", b"[]\n", b"{}\n"], None, id="nor later"),
        pytest.param([b"{}\n", b"{}\n[]\n"], [(3, 6)], id="of one that begins with an earlier one, the rest is read"),
        pytest.param([b"{}\n", b"{}\n[]\n", b"{}\n"], None, id="an earlier one is not read again after it grew"),
        pytest.param([b"{}\n[]", b"{}\n[]\n1\n"], [(5, 8)], id="a line that has ended since"),
        pytest.param([b"{}\n[", b"{}\n[]\n"], [(0, 6)], id="a line that was cut off is read with all before it"),
        pytest.param([b"{}\n[]\n", b"{}\n"], [(0, 3)], id="a part of an earlier one is read"),
        pytest.param([b"{}\n", b"1\n"], [(0, 2)], id="another one is read"),
        pytest.param([b""], None, id="an empty one has nothing"),
        pytest.param([gzip.compress(b"{}\n", mtime=0), b"{}\n"], None, id="the content of a packed one"),
        pytest.param([b"{}\n", gzip.compress(b"{}\n", mtime=0)], None, id="the same, packed now"),
    ],
)
def test_what_of_the_last_stream_is_read(
    streams: list[bytes], ranges: list[tuple[int, int]] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    so_far = LakeState()
    for number, content in enumerate(streams, 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = _stored(content, so_far, folder, monkeypatch)
        assert not found.set_aside
        so_far = _after(found, number, so_far)
    assert ([(part.start, part.end) for part in found.ranges] or None) == ranges


def test_a_stream_of_another_wire_format_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    first = _after(_stored(b"{}\n", LakeState(), tmp_path / "1", monkeypatch), 1, LakeState())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}\n")))
    with stored(STDIN, tmp_path / "2") as stream:
        found = stream.backlog(replace(first), wire="json", received_at=None)
    assert [part.origin and (part.origin.wire, part.origin.clock) for part in found.ranges] == [("json", "now")]


def test_an_error_names_the_stream_and_what_may_be_piped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"^standard input is a bzip2 file, not JSON lines") as raised:
        _stored(b"BZh91AY&SY", LakeState(), tmp_path, monkeypatch)
    assert "compressed with gzip or zstd" in str(raised.value.fix)


def test_what_is_a_stream(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    streams = [STDIN, Path("/dev/stdin"), tmp_path / "pipe"]
    others = [tmp_path, tmp_path / "file", tmp_path / "absent", Path("/dev/shm/inbox")]
    assert [is_stream(path) for path in (*streams, *others)] == [True] * 3 + [False] * 4
