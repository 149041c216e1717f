"""Digest of everything besides the registry that a cached result depends on: babelreg's code, its dependencies, Python.

The code itself is digested, not only its version, so that an edited rule is never hidden by a cached result.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

CHECK_PARTS = ("atomic_write.py", "cache", "containment", "contract", "errors.py", "finding.py", "git",
               "lazy_pattern.py", "lint", "load", "model", "place.py", "plural.py", "schema", "suggest.py",
               "typed_json.py", "typemap", "wire")  # fmt: skip
"""The parts of babelreg that a lint result depends on."""
CHECK_PACKAGES = ("jsonschema_rs", "orjson", "pyyaml")
"""The packages that a lint result depends on."""


def digest() -> str | None:
    """Return a digest of babelreg's code, of its dependencies and of Python; None where one cannot be found."""
    hashed = hashlib.blake2b(sys.version.encode(), digest_size=20)
    try:
        hashed.update(code(CHECK_PARTS))
    except OSError:
        return None
    installed = versions(CHECK_PACKAGES)
    if installed is None:
        return None
    hashed.update(" ".join(installed).encode())
    return hashed.hexdigest()


def code(parts: Iterable[str]) -> bytes:
    """Return a digest of the files of ``parts``: modules and folders below ``babelreg/``, or absolute paths.

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
            hashed.update(f"{name} {len(body)} ".encode())
            hashed.update(body)
    return hashed.digest()


def versions(names: Iterable[str]) -> list[str] | None:
    """Return ``name-version`` of each installed package in ``names``; None where one is not found."""
    wanted = frozenset(names)
    installed = _versions(wanted)
    return installed if {version.partition("-")[0] for version in installed} == wanted else None


def _sources(part: str) -> Iterator[str]:
    if part.endswith(".py"):
        yield part
        return
    with os.scandir(part) as entries:
        below = sorted(entries, key=lambda e: e.name)
    for entry in below:
        if entry.is_dir():
            yield from _sources(entry.path)
        elif entry.name.endswith((".py", ".json", ".tsv", ".txt", ".jinja", ".css", ".js")):
            yield entry.path


def _versions(names: frozenset[str]) -> list[str]:
    """Return ``name-version`` of each of ``names``, from the names of the folders that installers leave."""
    installed: dict[str, str] = {}
    for folder in sys.path:
        with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                stem, _, suffix = entry.name.lower().rpartition(".")
                name = stem.partition("-")[0].replace(".", "_")
                if suffix in ("dist-info", "egg-info") and name in names:
                    installed.setdefault(name, f"{name}{stem[len(name) :]}")
    return sorted(installed.values())
