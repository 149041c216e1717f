"""What is known of a registry's files from earlier runs, kept on disk by what they hold.

An entry of a message says what it declares, and with which other files it was found to be sound. It is named by its
path and the id of its content, so it is never old, only unused. What cannot be read as it was written is not there;
nothing that goes wrong with the cache is an error.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from babelreg.cache import fingerprint
from babelreg.cache.folder import cache_folder
from babelreg.cache.store import Bounds, keep, kept
from babelreg.load.yaml import parser
from babelreg.model import Message

__all__ = ["CachedMessage", "RegistryCache", "YamlCache", "cache_for"]

MAX_ENTRIES = 100_000
_MOST_CLOSURES = 4
_SUFFIX = ".files"
_BOUNDS = Bounds(file_bytes=64 << 20, files=64, total_bytes=64 * (64 << 20))
_VALUE = "="  # no key of an entry starts with it: that is an id, or says why there is none

Closure = tuple[tuple[str, str], ...]
"""Other files that a message depends on, each with its id, by path."""


@dataclass(frozen=True, slots=True)
class CachedMessage:
    """A file that was read without defect: the URN it declares, if any, and the one it supersedes."""

    urn: str | None
    supersedes: str | None
    closures: tuple[Closure, ...]


class RegistryCache:
    """The entries of one registry by key, read from ``file`` when first asked for; in memory alone without one."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._entries: dict[str, Any] = _read(file) if file is not None else {}
        self._used: dict[str, Any] = {}
        self._changed = False

    def get(self, key: str) -> CachedMessage | None:
        """The entry of ``key``, None where there is none."""
        said = self._entries.get(key)
        if said is None:
            return None
        self._used[key] = said
        if type(said) is CachedMessage:
            return said
        entry = CachedMessage(said[0], said[1], tuple(tuple((p, sha) for p, sha in closure) for closure in said[2]))
        self._entries[key] = self._used[key] = entry
        return entry

    def put(self, key: str, urn: str | None, supersedes: str | None, closure: Closure) -> None:
        """Note that the file of ``key`` is sound together with those of ``closure``."""
        known = self.get(key)
        others = tuple(c for c in known.closures if c != closure) if known else ()
        self._entries[key] = self._used[key] = CachedMessage(urn, supersedes, (closure, *others)[:_MOST_CLOSURES])
        self._changed = True

    def value(self, name: str) -> Any:
        """The value of the text with that digest; None where it is not there."""
        said = self._entries.get(_VALUE + name)
        if said is not None:
            self._used[_VALUE + name] = said
        return said

    def put_value(self, name: str, value: Any) -> None:
        """Keep what the text with that digest says, for as long as it is asked for in every run that keeps anything."""
        self._entries[_VALUE + name] = self._used[_VALUE + name] = value
        self._changed = True

    def save(self) -> None:
        """Write what is new; a whole file or none, whoever else writes meanwhile."""
        if self._file is None or not self._changed:
            return
        entries = self._entries if len(self._entries) <= MAX_ENTRIES else self._used
        try:
            body = orjson.dumps({k: _said(e) for k, e in entries.items() if k in self._used or k[:1] != _VALUE})
        except TypeError:
            return  # a file name that is no text
        keep(self._file, body, _BOUNDS)


def _said(entry: Any) -> Any:
    return [entry.urn, entry.supersedes, entry.closures] if type(entry) is CachedMessage else entry


def cache_for(root: str | Path, folder: Path | None = None) -> RegistryCache:
    """What is kept of the registry in the folder ``root``, as this very version of babelreg read it."""
    folder = folder or cache_folder("breaking")
    judges = fingerprint.digest()
    if folder is None or judges is None:
        return RegistryCache()
    name = hashlib.blake2b(f"{judges} {os.path.realpath(root)}".encode("utf-8", "surrogateescape"), digest_size=16)
    return RegistryCache(folder / f"{name.hexdigest()}{_SUFFIX}")


def _read(file: Path) -> dict[str, Any]:
    body = kept(file, _BOUNDS.file_bytes)
    if body is None:
        return {}
    try:
        entries = orjson.loads(body)
    except ValueError:
        return {}
    return entries if isinstance(entries, dict) else {}


_WORTH = 4096  # characters: what is shorter is read in a few milliseconds
_HELD = 4 << 20  # characters of texts whose values are held for this run: who learns what changed reads it again


class YamlCache:
    """The ``Beside`` of a registry that was read before; ``kept`` has what is known of it."""

    def __init__(self, kept: RegistryCache) -> None:
        self._kept = kept
        self._values: dict[str, Any] = {}
        self._held = 0

    def read(self, path: str, text: str) -> Any:
        """See Beside. Nobody changes a value, so that one serves every registry that has the file."""
        name = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
        if name in self._values:
            return self._values[name]
        lasting = len(text) >= _WORTH and path.startswith("_services/")
        value = self._lasting(name, text) if lasting else parser.read(text)
        if self._held + len(text) <= _HELD or lasting:
            self._held += len(text)
            self._values[name] = value
        return value

    def _lasting(self, name: str, text: str) -> Any:
        known = self._kept.value(name)
        if known is not None:
            return known
        value = parser.read(text)
        if value is not None and _comes_back(value):
            self._kept.put_value(name, value)
        return value

    def take(self, message: Message) -> None:
        """See Beside."""


def _comes_back(value: Any) -> bool:
    """True where JSON has room for the whole of ``value``."""
    try:
        return repr(orjson.loads(orjson.dumps(value))) == repr(value)
    except (ValueError, TypeError, RecursionError):
        return False
