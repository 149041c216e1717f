"""What is kept between runs comes from, besides the registry: babelreg's own code, the packages it is built on, Python.

The code itself is digested and not only its version, so that whoever works on a rule sees what the rule says now.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["BUILT_ON", "JUDGES", "digest"]

JUDGES = ("cli/common.py", "cli/lint.py", "contract", "errors.py", "finding.py", "lint", "load", "model", "schema",
          "typemap")  # fmt: skip
"""The parts of babelreg that a verdict comes from."""
BUILT_ON = ("interegular", "jsonschema_rs", "orjson", "pyyaml")
"""The packages that a verdict comes from."""


def digest() -> str | None:
    """A digest of our own code, of what it is built on and of Python; None where one of them cannot be told."""
    hashed = hashlib.blake2b(sys.version.encode(), digest_size=20)
    home = str(Path(__file__).parents[1])
    try:
        for part in JUDGES:
            for path in _sources(f"{home}/{part}"):
                with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - a hundred files, on every run
                    body = file.read()
                hashed.update(f"{path[len(home) :]} {len(body)} ".encode())
                hashed.update(body)
        versions = _versions()
    except OSError:
        return None
    if {version.partition("-")[0] for version in versions} != set(BUILT_ON):
        return None
    hashed.update(" ".join(versions).encode())
    return hashed.hexdigest()


def _sources(part: str) -> Iterator[str]:
    if part.endswith(".py"):
        yield part
        return
    with os.scandir(part) as entries:
        below = sorted(entries, key=lambda e: e.name)
    for entry in below:
        if entry.is_dir():
            yield from _sources(entry.path)
        elif entry.name.endswith((".py", ".json", ".tsv", ".txt")):
            yield entry.path


def _versions() -> list[str]:
    """``name-version`` of each of :data:`BUILT_ON`, from the names of the folders that installers leave."""
    found: dict[str, str] = {}
    for folder in sys.path:
        with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                stem, _, suffix = entry.name.lower().rpartition(".")
                name = stem.partition("-")[0].replace(".", "_")
                if suffix in ("dist-info", "egg-info") and name in BUILT_ON:
                    found.setdefault(name, f"{name}{stem[len(name) :]}")
    return sorted(found.values())
