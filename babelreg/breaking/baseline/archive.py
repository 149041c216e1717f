"""A published registry in an archive: tar, plain or compressed by gzip, bzip2 or xz, or zip; read in memory only.

An archive is untrusted: the number of files, their unpacked size and the memory for unpacking are bounded. Links,
devices, absolute names and names with ``..`` are skipped.
"""

from __future__ import annotations

import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Self, cast

from babelreg.errors import UsageError
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import MAX_BYTES, Memory
from babelreg.load.registry.examples import MAX_FILE_BYTES

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".zip")
MAX_FILES = 200_000
MAX_UNPACKED_BYTES = 512 << 20
MAX_KEPT_BYTES = 128 << 20
_MAX_DIRECTORY_BYTES = 32 << 20
_MAX_XZ_BYTES = 128 << 20
_CHUNK = 1 << 16
_MAX_HEADER_BYTES = 1 << 20
_TOO_MUCH = "it unpacks to more than {} MB"
_MOST_PER_PACKED_BYTE = 1032  # RFC 1951: the longest match, 258 bytes, takes no less than two bits
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, OverflowError,
           RecursionError, NotImplementedError, struct.error, RuntimeError)  # fmt: skip

_Entry = tuple[str, Any]


def is_archive(path: Path) -> bool:
    """Return True for a file with an archive suffix."""
    return path.name.lower().endswith(SUFFIXES) and os.path.isfile(path)  # noqa: PTH113 - never raises


def registry_in(path: Path, subdir: str | None = None, strip_components: int | None = None) -> tuple[Memory, str]:
    """Read the registry in the archive ``path``. Return its files and its folder, empty for the top.

    The first ``strip_components`` folders of every name are removed; ``subdir`` is the folder of the registry then. By
    default it is the folder of the topmost ``babelreg.yaml``. Raises UsageError.
    """
    strip = strip_components or 0
    try:
        with _opened(path) as archive:
            names = _stripped([name for name, _ in archive.entries()], strip)
        folder = _folder(path, names, subdir)
        with _opened(path) as archive:
            files = _files(archive, strip, folder)
    except _BROKEN as err:
        pack = "zip -r" if path.name.lower().endswith(".zip") else "tar czf"
        fix = f"pack it again: {pack} {path.name} FOLDER"
        raise UsageError(f"{path} cannot be read as an archive: {err}", fix=fix) from err
    except OSError as err:
        raise UsageError(f"{path} cannot be read: {err.strerror or err}", fix="name a file that you can read") from err
    return Memory(files), folder.rstrip("/")


def _stripped(names: list[str], strip: int) -> set[str]:
    return {"/".join(name.split("/")[strip:]) for name in names if name.count("/") >= strip}


def _folder(path: Path, names: set[str], subdir: str | None) -> str:
    """Return the folder of the registry, with a trailing slash."""
    if subdir is not None:
        wanted = "/".join(part for part in subdir.split("/") if part not in ("", "."))
        wanted += "/" if wanted else ""
        if wanted + SETTINGS in names:
            return wanted
        raise UsageError(f"{path} has no {wanted}{SETTINGS}", fix=_suggestion(path, names))
    folders = sorted(n.removesuffix(SETTINGS) for n in names if n == SETTINGS or n.endswith(f"/{SETTINGS}"))
    least = min((folder.count("/") for folder in folders), default=0)
    nearest = [folder for folder in folders if folder.count("/") == least]
    if len(nearest) == 1:
        return nearest[0]
    message = f"{path} has no {SETTINGS}" if not folders else f"{path} has several registries: {', '.join(nearest[:5])}"
    raise UsageError(message, fix=_suggestion(path, names))


def _suggestion(path: Path, names: set[str]) -> str:
    registries = sorted(name for name in names if name.endswith(f"/{SETTINGS}"))
    if not registries:
        return "pack the registry folder with its babelreg.yaml"
    return f"choose one: --against '{path}#subdir={registries[0].removesuffix('/' + SETTINGS)}'"


def _files(archive: _Tar | _Zip, strip: int, folder: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    size = 0
    for name, entry in archive.entries():
        below = "/".join(name.split("/")[strip:]) if name.count("/") >= strip else ""
        if not below.startswith(folder) or below == folder:
            continue
        below = below.removeprefix(folder)
        if below.startswith(".") or "/." in below:
            continue  # hidden files are skipped, as in a folder
        limit = MAX_BYTES if below.endswith((".yaml", ".json")) else MAX_FILE_BYTES
        body = archive.read(entry, limit + 1)  # one byte more, so that a reader notices the excess
        size += len(body)
        if size > MAX_KEPT_BYTES:
            raise ValueError(f"its registry contains more than {MAX_KEPT_BYTES >> 20} MB")
        files[below] = body
    return files


def _safe_name(name: str) -> str | None:
    """Return the name of an entry without a leading ``./``; None for a name that no registry file can have."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if not parts or ".." in parts or name.startswith("/") or ":" in parts[0] or "\0" in name or "\\" in name:
        return None
    return "/".join(parts)


@contextmanager
def _opened(path: Path) -> Iterator[_Tar | _Zip]:
    with path.open("rb") as file:
        if path.name.lower().endswith(".zip"):
            yield _Zip(file)
        else:
            name = path.name.lower()
            most = _most_unpacked(name, os.fstat(file.fileno()).st_size)
            with _unpacked(name, file) as packed:
                yield _Tar(packed, most)


def _most_unpacked(name: str, size: int) -> int:
    """Return the number of bytes that a file of ``size`` bytes can and may unpack to."""
    if name.endswith(".tar"):
        return size
    if name.endswith(("gz", "tgz")):
        return min(size * _MOST_PER_PACKED_BYTE, MAX_UNPACKED_BYTES)
    return MAX_UNPACKED_BYTES


def _unpacked(name: str, file: IO[bytes]) -> _Bounded:
    if name.endswith(("gz", "tgz")):
        import gzip

        return _Bounded(gzip.GzipFile(fileobj=file))
    if name.endswith("bz2"):
        import bz2

        return _Bounded(bz2.BZ2File(file))
    return _Bounded(_Xz(file) if name.endswith("xz") else file)


class _Bounded:
    """A stream limited to :data:`MAX_UNPACKED_BYTES`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._remaining = MAX_UNPACKED_BYTES

    def read(self, size: int) -> bytes:
        body: bytes = self._stream.read(size)
        self._remaining -= len(body)
        if self._remaining < 0:
            raise ValueError(_TOO_MUCH.format(MAX_UNPACKED_BYTES >> 20))
        return body

    def __enter__(self) -> _Bounded:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()


class _Xz:
    """An xz stream. Unlike ``lzma.open``, it refuses a file whose decompression needs gigabytes of memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decompressor = lzma.LZMADecompressor(memlimit=_MAX_XZ_BYTES)

    def read(self, size: int) -> bytes:
        body = b""
        while len(body) < size and not self._decompressor.eof:
            packed = self._file.read(_CHUNK) if self._decompressor.needs_input else b""
            if not packed and self._decompressor.needs_input:
                raise EOFError("it is truncated")
            body += self._decompressor.decompress(packed, size - len(body))
        return body

    def close(self) -> None:
        self._file.close()


class _Header(tarfile.TarInfo):
    """A tar header with a bounded size of names and pax records; ``tarfile`` would read any size."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """See TarInfo. Raises ValueError where it claims an impossible size."""
        header = super().frombuf(buf, encoding, errors)
        extension = header.type in _EXTENSIONS
        if header.size < 0 or (extension and header.size > _MAX_HEADER_BYTES):
            raise ValueError(f"a header claims {header.size:,} bytes")
        return header


_EXTENSIONS = frozenset(
    (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
)


class _Tar:
    """A tar stream of at most ``most`` bytes."""

    def __init__(self, stream: _Bounded, most: int) -> None:
        self._most = most
        self._tar = tarfile.open(  # noqa: SIM115
            fileobj=cast("IO[bytes]", stream), mode="r|", errors="surrogateescape", tarinfo=_Header
        )

    def entries(self) -> Iterator[_Entry]:
        """Yield the name of each regular file, with the entry for :meth:`read`, in the order of the archive."""
        count = 0
        while (member := self._tar.next()) is not None:
            self._tar.members = []  # type: ignore[attr-defined]  # it would collect all of them
            # A claimed size is skipped block by block, even if the data is missing.
            claimed = max(member.size, self._tar.offset)
            if claimed > MAX_UNPACKED_BYTES:
                raise ValueError(_TOO_MUCH.format(MAX_UNPACKED_BYTES >> 20))
            if member.size < 0 or claimed > self._most:
                raise ValueError(f"{member.name!r} claims more bytes than the file has ({member.size:,})")
            count += 1
            if count > MAX_FILES:
                raise ValueError(f"it lists more than {MAX_FILES:,} files")
            name = _safe_name(member.name) if member.isreg() and not member.issparse() else None
            if name is not None:
                yield name, member

    def read(self, entry: Any, limit: int) -> bytes:
        """Return at most ``limit`` bytes of a file; to be called before the next entry is read."""
        body = self._tar.extractfile(entry)
        return body.read(limit) if body is not None else b""


class _Zip:
    def __init__(self, file: IO[bytes]) -> None:
        _check_directory(file)
        self._zip = zipfile.ZipFile(file)
        self._remaining = MAX_UNPACKED_BYTES

    def entries(self) -> Iterator[_Entry]:
        infos = self._zip.infolist()
        if len(infos) > MAX_FILES:
            raise ValueError(f"it lists more than {MAX_FILES:,} files")
        for info in infos:
            mode = info.external_attr >> 16
            name = None if info.is_dir() or (mode and not _is_regular(mode)) else _safe_name(info.filename)
            if name is not None:
                yield name, info

    def read(self, entry: Any, limit: int) -> bytes:
        if entry.flag_bits & 1:
            raise ValueError("it is encrypted")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError("it uses a compression other than deflate")
        with self._zip.open(entry) as file:
            body = file.read(limit)
        self._remaining -= len(body)
        if self._remaining < 0:
            raise ValueError(_TOO_MUCH.format(MAX_UNPACKED_BYTES >> 20))
        return body


def _is_regular(mode: int) -> bool:
    return stat.S_IFMT(mode) in (0, stat.S_IFREG)


def _check_directory(file: IO[bytes]) -> None:
    """Refuse a zip whose central directory would exhaust memory before it can be counted."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 16) - 22))
    end = file.read()
    at = end.rfind(b"PK\x05\x06")
    if at < 0 or len(end) < at + 22:
        raise zipfile.BadZipFile("it has no list of files")
    if end[max(0, at - 20) : at].startswith(b"PK\x06\x07"):
        raise ValueError("it is a zip64, for more files than a registry has; use a tar")
    if int.from_bytes(end[at + 12 : at + 16], "little") > _MAX_DIRECTORY_BYTES:
        raise ValueError(f"its list of files is larger than {_MAX_DIRECTORY_BYTES >> 20} MB")
    file.seek(0)
