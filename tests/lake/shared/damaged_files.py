"""Damaged and unusual files: those that every path reads, and those that every path refuses in the same words."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import input_kinds
import pyarrow as pa

__all__ = ["IN_CONTENT", "READ", "REFUSED", "write_read", "write_refused"]

MARK = b"\xef\xbb\xbf"
GOOD = input_kinds._other("good", {"k": 1}) + b"\n"


def _messages(case: str, count: int = 20) -> list[bytes]:
    """Valid messages that no other case has."""
    return [input_kinds._other(f"{case} {number}", {"k": number, "x": "y" * 40}) for number in range(count)]


def _lines(case: str) -> bytes:
    return b"\n".join([*_messages(case), b""])


def _frames(case: str) -> bytes:
    return input_kinds._framed(_messages(case))


def _zstd(content: bytes) -> bytes:
    return input_kinds._zstd(content)


def _members(case: str) -> bytes:
    lines = _lines(case)
    return gzip.compress(lines[:777]) + gzip.compress(b"") + gzip.compress(lines[777:])


def _nul(case: str) -> bytes:
    first, second, *_ = _messages(case)
    return b"\0\n" + first + b"\0\n" + second + b"\n\0\0"


def _not_utf8(case: str) -> bytes:
    first, second, *_ = _messages(case)
    return b"\xff\xfe{}\n" + first.replace(b"yyy", b"y\xc3y", 1) + b"\n" + second


def _too_large(case: str) -> bytes:
    first, second, third, *_ = _messages(case)
    return b"\n".join([first, second.replace(b"yyy", b"y" * (17 << 20), 1), third])


def _other_line_ends(case: str) -> bytes:
    return b"\x0b".join(_messages(case, 2)) + "\u2028".join(["[]", "{}\x85\x0c\x1c"]).encode()


READ: Mapping[str, tuple[str, Callable[[str], bytes]]] = {
    "an empty file": ("empty.jsonl", lambda case: b""),
    "an empty file that is called gzip": ("empty.jsonl.gz", lambda case: b""),
    "gzip of nothing": ("nothing.jsonl.gz", lambda case: gzip.compress(b"")),
    "no frame": ("none.frames", lambda case: b""),
    "line ends alone": ("line-ends.jsonl", lambda case: b"\n\n\n\n"),
    "white space alone": ("white.jsonl", lambda case: b" \r\n\t\n\x0b\x0c\n "),
    "a byte order mark": ("mark.jsonl", lambda case: MARK + _lines(case)),
    "a byte order mark alone": ("mark-alone.jsonl", lambda case: MARK),
    "two byte order marks": ("marks.jsonl", lambda case: MARK + MARK + _lines(case)),
    "a byte order mark in gzip": ("mark.jsonl.gz", lambda case: gzip.compress(MARK + _lines(case))),
    "a byte order mark in a later line": ("later-mark.jsonl", lambda case: (b"\n" + MARK).join(_messages(case, 3))),
    "UTF-16": ("utf-16.jsonl", lambda case: _lines(case).decode().encode("utf-16")),
    "CRLF": ("crlf.jsonl", lambda case: _lines(case).replace(b"\n", b"\r\n")),
    "CR alone": ("cr.jsonl", lambda case: b"\r".join(_messages(case, 3))),
    "other line ends": ("others.jsonl", _other_line_ends),
    "no line end at the end": ("unended.jsonl", lambda case: _lines(case)[:-1]),
    "lines with NUL": ("nul.jsonl", _nul),
    "invalid UTF-8": ("invalid.jsonl", _not_utf8),
    "a line above the limit": ("limit.jsonl", _too_large),
    "members of gzip": ("members.jsonl.gz", _members),
    "members of gzip, of frames": ("members.frames.gz", lambda case: gzip.compress(_frames(case)[:99]) + gzip.compress(_frames(case)[99:])),
    "padding after gzip": ("padded.jsonl.gz", lambda case: gzip.compress(_lines(case)) + bytes(512)),
    "padding after gzip, of frames": ("padded.frames.gz", lambda case: gzip.compress(_frames(case)) + bytes(512)),
    "gzip in gzip": ("twice.jsonl.gz", lambda case: gzip.compress(gzip.compress(_lines(case), mtime=0), mtime=0)),
    "gzip without its name": ("gzip.jsonl", lambda case: gzip.compress(_lines(case))),
    "gzip in capitals": ("capitals.JSONL.GZ", lambda case: gzip.compress(_lines(case))),
    "frames of gzip without its name": ("gzip.frames", lambda case: gzip.compress(_frames(case))),
    "zstd": ("zstd.jsonl.zstd", lambda case: _zstd(_lines(case))),
    "zstd without its name": ("zstd.jsonl", lambda case: _zstd(_lines(case))),
    "two frames of zstd": ("two.jsonl.zst", lambda case: _zstd(_lines(case)[:777]) + _zstd(_lines(case)[777:])),
    "lines that are called gzip": ("lines.jsonl.gz", _lines),
    "lines that are called zstd": ("lines.jsonl.zst", _lines),
    "lines that are called bzip2": ("lines.jsonl.bz2", _lines),
    "lines that are called deflate": ("lines.jsonl.deflate", _lines),
    "deflate": ("deflated.jsonl.deflate", lambda case: zlib.compress(_lines(case))),
    "lz4": ("packed.jsonl.lz4", lambda case: pa.compress(_lines(case), codec="lz4", asbytes=True)),
    "snappy": ("packed.jsonl.snappy", lambda case: pa.compress(_lines(case), codec="snappy", asbytes=True)),
    "avro": ("messages.avro", lambda case: b"Obj\x01\x04\x14avro.codec\x08null" + _lines(case) + bytes(16)),
    "orc": ("messages.orc", lambda case: b"ORC" + bytes(20)),
    "tar": ("messages.tar", lambda case: b"messages.jsonl".ljust(512, b"\0") + _lines(case)),
    "CSV": ("messages.csv", lambda case: b"a,b\n1,2\n"),
    "JSON on several lines": ("pretty.json", lambda case: b'{\n "a": 1\n}\n'),
    "frames of zero": ("zero.frames", lambda case: bytes(12)),
    "frames in capitals": ("capitals.FRAMES", _frames),
    "a folder that is called a file": ("folder.jsonl/lines", _lines),
    "a folder that is called a partition": ("day=2/lines.jsonl", _lines),
    "a name of many characters": ("a b%41\u00e9{x}[y]*?#+.jsonl", _lines),
    "a name with a line end": ("a\nb.jsonl", _lines),
    "hidden files": (".hidden.jsonl", _lines),
    "a hidden folder": ("_hidden/lines.jsonl", _lines),
    "a hidden name that Spark reads": ("_a=b", _lines),
    "a file that is being copied": ("lines.jsonl._COPYING_", _lines),
}  # fmt: skip
"""Names of files and what is in them, of which every message is accepted or refused by itself."""


def write_read(folder: Path) -> None:
    """Write the files that are read, and links to a file and to a folder of others."""
    (folder / "good.jsonl").write_bytes(GOOD)
    for case, (name, content) in READ.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content(case))
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "lines.jsonl").write_bytes(_lines("a link to a folder"))
    (folder.parent / "lines.jsonl").write_bytes(_lines("a link to a file"))
    (folder / "linked").symlink_to(outside)
    (folder / "linked.jsonl").symlink_to(folder.parent / "lines.jsonl")


def _file(name: str, content: Callable[[str], bytes]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(content(name))

    return write


def _gzip(case: str) -> bytes:
    return gzip.compress(_lines(case), mtime=0)


def _parquet(case: str) -> bytes:
    from pyarrow import parquet

    buffer = pa.BufferOutputStream()
    parquet.write_table(pa.table({"value": _messages(case)}), buffer)
    content: bytes = buffer.getvalue().to_pybytes()
    return content


def _flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 255]) + content[at:][1:]


def _not_text(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.jsonl")).write_bytes(GOOD)


def _circle(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "circle").symlink_to(folder / "a")


def _far_circle(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    (folder / "a" / "to_b").symlink_to(folder / "b")
    (folder / "b" / "to_a").symlink_to(folder / "a")


def _unreadable(folder: Path) -> None:
    (folder / "x.jsonl").write_bytes(GOOD)
    (folder / "x.jsonl").chmod(0)


REFUSED: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "gzip that is cut off": (_file("x.jsonl.gz", lambda case: _gzip(case)[:200]), "is not a complete gzip file"),
    "gzip that is cut off in its header": (_file("x.jsonl.gz", lambda case: _gzip(case)[:5]), "is not a complete gzip file"),
    "gzip that is cut off in its last bytes": (_file("x.jsonl.gz", lambda case: _gzip(case)[:-3]), "is not a complete gzip file"),
    "gzip with another check sum": (_file("x.jsonl.gz", lambda case: _flipped(_gzip(case), -6)), "CRC check failed"),
    "gzip with a wrong byte": (_file("x.jsonl.gz", lambda case: _flipped(_gzip(case), 200)), "is not a complete gzip file"),
    "bytes after gzip": (_file("x.jsonl.gz", lambda case: _gzip(case) + b"rest"), "is not a complete gzip file"),
    "a second member of gzip that is cut off": (_file("x.jsonl.gz", lambda case: _members(case)[:-30]), "is not a complete gzip file"),
    "zstd that is cut off": (_file("x.jsonl.zst", lambda case: _zstd(_lines(case))[:-9]), "is not a complete zstd file"),
    "bytes after zstd": (_file("x.jsonl.zst", lambda case: _zstd(_lines(case)) + b"rest"), "is not a complete zstd file"),
    "a frame that is cut off": (_file("x.frames", lambda case: _frames(case)[:-9]), "ends within the frame at byte"),
    "a length of a frame that is cut off": (_file("x.frames", lambda case: _frames(case) + b"\0\0"), "ends within the frame at byte"),
    "an impossible length of a frame": (_file("x.frames", lambda case: _frames(case) + b"\x7f\xff\xff\xff" + bytes(99)),
                                        "is 2147483647 bytes long, more than 256 MiB"),
    "damaged headers of a frame": (_file("x.frames", lambda case: _frames(case) + b"\x80\0\0\x09" + b"\xff" * 9), "is damaged"),
    "frames in gzip that is cut off": (_file("x.frames.gz", lambda case: gzip.compress(_frames(case))[:-40]), "is not a complete gzip file"),
    "bytes after frames in gzip": (_file("x.frames.gz", lambda case: gzip.compress(_frames(case)) + b"rest"), "is not a complete gzip file"),
    "a frame in gzip that is cut off": (_file("x.frames.gz", lambda case: gzip.compress(_frames(case)[:-9])), "ends within the frame at byte"),
    "an impossible length in gzip": (_file("x.frames.gz", lambda case: gzip.compress(b"\x7f\xff\xff\xff" + bytes(99))),
                                     "is 2147483647 bytes long, more than 256 MiB"),
    "frames in zstd that is cut off": (_file("x.frames.zst", lambda case: _zstd(_frames(case))[:-9]), "is not a complete zstd file"),
    "parquet": (_file("x.parquet", _parquet), "is a parquet file, not JSON lines"),
    "parquet that is cut off": (_file("x.parquet", lambda case: _parquet(case)[:-99]), "is a parquet file, not JSON lines"),
    "parquet without its name": (_file("x.jsonl", _parquet), "is a parquet file, not JSON lines"),
    "bzip2": (_file("x.jsonl.bz2", lambda case: bz2.compress(_lines(case))), "is a bzip2 file, not JSON lines"),
    "bzip2 that is cut off": (_file("x.jsonl.bz2", lambda case: bz2.compress(_lines(case))[:-9]), "is a bzip2 file, not JSON lines"),
    "xz": (_file("x.jsonl.xz", lambda case: lzma.compress(_lines(case))), "is an xz file, not JSON lines"),
    "zip": (_file("x.zip", lambda case: b"PK\x03\x04" + bytes(30)), "is a zip file, not JSON lines"),
    "a link to nothing": (lambda folder: (folder / "x.jsonl").symlink_to(folder / "none"), "cannot read .*x.jsonl: No such file"),
    "a link in a circle": (_circle, "leads to a folder that contains it"),
    "links in a circle": (_far_circle, "leads to a folder that contains it"),
    "a pipe": (lambda folder: os.mkfifo(folder / "x.jsonl"), "is not a regular file"),
    "a name that is no text": (_not_text, "is not UTF-8"),
    "a file that may not be read": (_unreadable, "cannot read .*x.jsonl: Permission denied"),
}  # fmt: skip
"""What is written into a folder, and what the error says."""

IN_CONTENT = frozenset(
    {"damaged headers of a frame", "a frame in gzip that is cut off", "an impossible length in gzip"}
)
"""Cases that tasks find, which read the messages; all others are found before."""


def write_refused(folder: Path, case: str) -> None:
    """Write the files of a case beside one that is good."""
    folder.mkdir(parents=True)
    (folder / "good.jsonl").write_bytes(GOOD)
    REFUSED[case][0](folder)
