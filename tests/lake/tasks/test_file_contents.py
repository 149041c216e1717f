"""Messages of whole files that Spark read: those of a lake, whatever the files are called."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from babelreg.errors import InputError
from babelreg.lake.tasks import file_contents
from babelreg.lake.tasks.file_contents import ContentMessages
from babelreg.wire.formats import phpmq
from babelreg.wire.formats.phpmq.models import MessageClientToServer
from babelreg.wire.length_frames import frame
from babelreg.wire.message_headers import pack

MODIFIED = datetime(2026, 11, 20, tzinfo=UTC)
ROOT = "file:///in"


def batch(*files: tuple[str, bytes]) -> pa.RecordBatch:
    columns = [
        pa.array([content for _, content in files], pa.binary()),
        pa.array([f"file:/in/{name}" for name, _ in files], pa.string()),
        pa.array([MODIFIED] * len(files), pa.timestamp("us", "UTC")),
    ]
    return pa.RecordBatch.from_arrays(columns, ["value", "source_file", "modified"])


def messages(*files: tuple[str, bytes], wire: str = "babelqueue") -> list[tuple[str, int, bytes]]:
    rows = [row for part in ContentMessages(ROOT, wire)([batch(*files)]) for row in part.to_pylist()]
    assert all(row["source_modified"] == MODIFIED for row in rows)
    return [(row["source_file"].removeprefix("file:/in/"), row["source_offset"], row["value"]) for row in rows]


FRAMED = b"\0\0\0\x01a\0\0\0\x03\n \xff"
ZSTD = pa.compress(b"x\ny", codec="zstd", asbytes=True)
PACKED = pack([("ce_id", b"1")], b"{}")
PHPMQ = b"".join(phpmq.encode(MessageClientToServer(b"Data", body, 60).packets()) for body in (b"1", b"22"))


@pytest.mark.parametrize(
    "files, found",
    [
        pytest.param([("a", b"x\nyz\n")], [("a", 0, b"x"), ("a", 2, b"yz")], id="lines"),
        pytest.param([("a", b"\n \t\nx\r\n y")], [("a", 4, b"x\r"), ("a", 7, b" y")], id="white space is no message"),
        pytest.param([("a", b"x\n"), ("b", b""), ("c", b"y")], [("a", 0, b"x"), ("c", 0, b"y")], id="several files"),
        pytest.param([("a", b"\xef\xbb\xbfx\ny")], [("a", 0, b"\xef\xbb\xbfx"), ("a", 5, b"y")], id="a mark is kept"),
        pytest.param([("a", gzip.compress(b"x\ny"))], [("a", 0, b"x"), ("a", 2, b"y")], id="gzip without its name"),
        pytest.param([("a.gz", b"x\ny"), ("b.bz2", b"z")], [("a.gz", 0, b"x"), ("a.gz", 2, b"y"), ("b.bz2", 0, b"z")],
                     id="lines with the names of compressed files"),
        pytest.param([("a.gz", gzip.compress(b"x\n") + gzip.compress(b"y\n") + bytes(512))], [("a.gz", 0, b"x"), ("a.gz", 2, b"y")],
                     id="members of gzip and padding"),
        pytest.param([("a.zst", ZSTD + ZSTD)], [("a.zst", 0, b"x"), ("a.zst", 2, b"yx"), ("a.zst", 5, b"y")], id="frames of zstd"),
        pytest.param([("f.frames", FRAMED)], [("f.frames", 4, b"a"), ("f.frames", 9, b"\n \xff")], id="frames"),
        pytest.param([("f.frames.gz", gzip.compress(FRAMED))], [("f.frames.gz", 4, b"a"), ("f.frames.gz", 9, b"\n \xff")],
                     id="compressed frames"),
        pytest.param([("_a=b", b"x"), ("_metadata", b"x"), ("d/.h/a", b"x"), ("a._COPYING_", b"x"), ("a_b", b"x")],
                     [("a_b", 0, b"x")], id="what a lake ignores"),
        pytest.param([("a%20b%2541", b"x")], [("a b%41", 0, b"x")], id="a name as it is"),
        pytest.param([], [], id="nothing"),
    ],
)  # fmt: skip
def test_messages_are_those_of_a_lake(
    files: list[tuple[str, bytes]], found: list[tuple[str, int, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert messages(*files) == found
    monkeypatch.setattr(file_contents, "_BATCH_ROWS", 1)
    assert messages(*files) == found


@pytest.mark.parametrize(
    "name, content, says",
    [
        pytest.param("a.gz", gzip.compress(b"x" * 99)[:-9], "/in/a.gz is not a complete gzip file", id="gzip is cut off"),
        pytest.param("a.gz", gzip.compress(b"x") + b"rest", "/in/a.gz is not a complete gzip file", id="bytes after gzip"),
        pytest.param("a.zst", ZSTD[:-1], "/in/a.zst is not a complete zstd file", id="zstd is cut off"),
        pytest.param("a.frames", FRAMED[:-1], "/in/a.frames ends within the frame at byte 5", id="a frame is cut off"),
        pytest.param("a.frames", b"\x7f\xff\xff\xff", "2147483647 bytes long, more than 256 MiB", id="no frame"),
        pytest.param("a.jsonl", b"PAR1\x15", "/in/a.jsonl is a parquet file, not JSON lines", id="another format"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named(name: str, content: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        messages((name, content))


BATCHES = frame(b"[1,2]") + frame(PACKED)


@pytest.mark.parametrize(
    "wire, name, content, found",
    [
        pytest.param("cloudevents", "f", b'{"a":1}\n[1, 2]\n [] \n{', [(0, b'{"a":1}'), (9, b"1"), (12, b"2"), (20, b"{")],
                     id="lines"),
        pytest.param("cloudevents", "f.frames", BATCHES, [(5, b"1"), (7, b"2"), (13, PACKED)], id="frames"),
        pytest.param("cloudevents", "f", b"[]", [], id="an empty batch alone"),
        pytest.param("babelqueue", "f", b"[1, 2]", [(0, b"[1, 2]")], id="lines of another wire"),
        pytest.param("babelqueue", "f.frames", BATCHES, [(4, b"[1,2]"), (32, b"{}")], id="frames of another wire"),
        pytest.param("phpmq", "f", PHPMQ, [(0, PHPMQ[: len(PHPMQ) // 2]), (len(PHPMQ) // 2, PHPMQ[len(PHPMQ) // 2 :])],
                     id="packets without separators"),
    ],
)  # fmt: skip
def test_foreign_messages_have_rows_of_their_own(
    wire: str, name: str, content: bytes, found: list[tuple[int, bytes]]
) -> None:
    assert [(offset, body) for _, offset, body in messages((name, content), wire=wire)] == found


@pytest.mark.parametrize(
    "content, says",
    [
        pytest.param(PHPMQ + b"x", r"/in/f: reading stopped at byte \d+: ", id="damaged"),
        pytest.param(gzip.compress(PHPMQ), "a stream of phpmq cannot be split within it", id="compressed"),
    ],
)
def test_packets_that_cannot_be_divided_are_named(content: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        messages(("f", content), wire="phpmq")
