"""Jars from Maven Central for tests with real parts, in a cache that test runs share.

``jars.json`` pins each by SHA-256; ``tools/jar_list.py`` writes it. The folder is ``~/.cache/babelreg-tests``, or what
BABELREG_TESTS_CACHE names. A download goes to a name of its own and is renamed when its sum is right, so that test
processes may fetch the same jar at once, and a killed one leaves no half jar. BABELREG_TESTS_MAVEN names a mirror.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["CENTRAL", "cache", "class_path", "paths"]

CENTRAL = "https://repo1.maven.org/maven2/"
_PINNED = Path(__file__).with_name("jars.json")
_ATTEMPTS = 5


def cache() -> Path:
    """Return the folder that keeps what tests fetch."""
    return Path(os.environ.get("BABELREG_TESTS_CACHE") or Path.home() / ".cache" / "babelreg-tests")


def paths(*names: str) -> list[Path]:
    """Return the jars of ``delta``, ``iceberg``, ``kafka``, ``s3``, ``kafka-broker`` or ``s3proxy``, fetched if absent.

    Several names give the jars of all, each once.
    """
    pinned = json.loads(_PINNED.read_text(encoding="utf-8"))
    wanted: dict[str, str] = {}
    for name in names:
        wanted |= pinned[name]
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(_fetched, wanted, wanted.values()))


def class_path(*names: str) -> str:
    """Return the jars as one argument for ``java -cp``."""
    return os.pathsep.join(map(str, paths(*names)))


def _fetched(path: str, digest: str) -> Path:
    # The sum is part of the name: a new pin is another file, and what has the name has been verified.
    jar = cache() / "jars" / digest[:16] / path.rpartition("/")[2]
    if not jar.exists():
        jar.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(_ATTEMPTS):
            try:
                _download(path, digest, jar)
                break
            except (OSError, AssertionError):
                if attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(2**attempt)
    return jar


def _download(path: str, digest: str, jar: Path) -> None:
    mirror = os.environ.get("BABELREG_TESTS_MAVEN", CENTRAL)
    handle, name = tempfile.mkstemp(dir=jar.parent, prefix=".")
    part = Path(name)
    try:
        with os.fdopen(handle, "w+b") as file:
            with urllib.request.urlopen(mirror + path, timeout=60) as body:
                shutil.copyfileobj(body, file)
            file.seek(0)
            got = hashlib.file_digest(file, "sha256").hexdigest()
        assert got == digest, f"{mirror}{path} has SHA-256 {got}, not {digest}"
        part.chmod(0o644)
        part.replace(jar)
    finally:
        part.unlink(missing_ok=True)
