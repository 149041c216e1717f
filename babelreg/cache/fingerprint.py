"""What is kept between runs comes from, besides the registry: babelreg's own code, the packages it is built on, Python.

The code itself is digested and not only its version, so that whoever works on a rule sees what the rule says now.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["BUILT_ON", "JUDGES", "code", "digest", "versions"]

JUDGES = ("atomic_write.py", "cache", "contract", "errors.py", "finding.py", "git", "lint", "load", "model", "schema",
          "suggest.py", "typemap", "wire")  # fmt: skip
"""The parts of babelreg that a verdict comes from."""
BUILT_ON = ("interegular", "jsonschema_rs", "orjson", "pyyaml")
"""The packages that a verdict comes from."""


def digest() -> str | None:
    """A digest of our own code, of what it is built on and of Python; None where one of them cannot be told."""
    hashed = hashlib.blake2b(sys.version.encode(), digest_size=20)
    try:
        hashed.update(code(JUDGES))
    except OSError:
        return None
    found = versions(BUILT_ON)
    if found is None:
        return None
    hashed.update(" ".join(found).encode())
    return hashed.hexdigest()


def code(parts: Iterable[str]) -> bytes:
    """A digest of the files of ``parts``, modules and folders below ``babelreg/``, or anywhere by their whole path.

    Raises OSError where one cannot be read.
    """
    hashed = hashlib.blake2b(digest_size=20)
    home = str(Path(__file__).parents[1])
    for part in parts:
        outside = Path(part).is_absolute()
        top = part if outside else f"{home}/{part}"
        for path in _sources(top):
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - a hundred files, on every run
                body = file.read()
            # Not where it is installed: what it does is the same everywhere.
            name = f"{'' if outside else part}{path[len(top) :]}".replace(os.sep, "/")
            hashed.update(f"{name} {len(body)} ".encode() + body)
    return hashed.digest()


def versions(names: Iterable[str]) -> list[str] | None:
    """``name-version`` of every one of ``names``, as their packages are installed; None where one is not found."""
    wanted = frozenset(names)
    found = _versions(wanted)
    return found if {version.partition("-")[0] for version in found} == wanted else None


def _sources(part: str) -> Iterator[str]:
    if part.endswith(".py"):
        yield part
        return
    with os.scandir(part) as entries:
        below = sorted(entries, key=lambda e: e.name)
    for entry in below:
        if entry.is_dir():
            yield from _sources(entry.path)
        elif entry.name.endswith((".py", ".json", ".tsv", ".txt", ".jinja")):
            yield entry.path


def _versions(names: frozenset[str]) -> list[str]:
    """``name-version`` of each of ``names``, from the names of the folders that installers leave."""
    found: dict[str, str] = {}
    for folder in sys.path:
        with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                stem, _, suffix = entry.name.lower().rpartition(".")
                name = stem.partition("-")[0].replace(".", "_")
                if suffix in ("dist-info", "egg-info") and name in names:
                    found.setdefault(name, f"{name}{stem[len(name) :]}")
    return sorted(found.values())
