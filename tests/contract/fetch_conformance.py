"""The cross-SDK conformance suite of BabelQueue, fetched once into a cache folder.

It is part of the source distribution of ``babelqueue`` 1.24.0 on PyPI (``tests/conformance``; MIT licence, copyright
2026 Muhammet Şafak). It is never copied into this repository. The folder outlives the run: pip takes five seconds of
processor time for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "1.24.0"
_SUITE = f"babelqueue-{VERSION}/tests/conformance/"


class Unreachable(Exception):
    """PyPI cannot be reached, so there is no suite to run."""


def folder() -> Path:
    """The folder with ``manifest.json`` and ``fixtures/``; downloaded when it is not there yet.

    Raises Unreachable.
    """
    found = _cache() / f"babelqueue-{VERSION}-conformance"
    if not (found / "manifest.json").is_file():
        _fetch(found)
    return found


def _cache() -> Path:
    """Return the folder that keeps what tests fetch, as ``tests/shared/jars.py`` does."""
    return Path(os.environ.get("BABELREG_TESTS_CACHE") or Path.home() / ".cache" / "babelreg-tests")


def _fetch(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary", "babelqueue", "--dest", scratch, f"babelqueue=={VERSION}"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=180)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as err:
            raise Unreachable(f"pip could not download babelqueue {VERSION}: {err}") from err
        unpacked = Path(scratch) / "suite"
        with tarfile.open(next(Path(scratch).glob("*.tar.gz"))) as archive:
            for member in archive.getmembers():
                if member.isfile() and member.name.startswith(_SUITE):
                    member.name = member.name.removeprefix(_SUITE)
                    archive.extract(member, unpacked, filter="data")
        try:
            unpacked.rename(target)
        except OSError:
            # another process was first
            if not (target / "manifest.json").is_file():
                raise


if __name__ == "__main__":
    print(folder())
