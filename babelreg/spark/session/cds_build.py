"""Build of the class archive, by a training run of Spark in processes of its own (`babelreg spark warm`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.spark.session import cds_archive
from babelreg.spark.session.cds_archive import (
    BASE,
    SPARK,
    SWITCH,
    Archive,
)

__all__ = ["build"]

_SILENT = ("-Xlog:disable", "-Xlog:all=off")
"""Otherwise the JVM prints a page about classes that cannot be archived."""

_SECONDS = 900
_OTHERS = (
    "PYSPARK_SUBMIT_ARGS",
    "PYSPARK_GATEWAY_PORT",
    "PYSPARK_GATEWAY_SECRET",
    "SPARK_CONF_DIR",
    "SPARK_DIST_CLASSPATH",
    "SPARK_LOCAL_DIRS",
    "SPARK_REMOTE",
    "HADOOP_CONF_DIR",
    "YARN_CONF_DIR",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
)
"""Settings of a user for one job, which the training ignores."""

Program = Sequence[str | os.PathLike[str]]
_TRAINING: Program = (sys.executable, "-m", "babelreg.spark.session.cds_training")


def build(archive: Archive, *, training: Program = _TRAINING) -> None:
    """Build the archive unless it exists; another process that is building it is waited for.

    It takes about half a minute. Raises UsageError if it cannot be built or written.
    """
    if archive.is_sound():  # possibly in a folder that is read-only here
        return
    place = archive.folder.parent
    try:
        place.mkdir(parents=True, exist_ok=True)
        with _locked(place / "classes.lock"):
            if not archive.is_sound():
                _sweep(archive)
                _build(archive, training)
    except OSError as err:
        raise UsageError(
            f"cannot write the class archive to {place}: {err.strerror}",
            fix="set BABELREG_CACHE_DIR to a writable folder with 200 MB of free space",
        ) from err


def _build(archive: Archive, training: Program) -> None:
    folder = archive.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.chmod(0o755)  # one user may build an image that another one runs
    try:
        options = [*_SILENT, f"-XX:ArchiveClassesAtExit={folder / SPARK}"]
        if archive.needs_base:
            program = archive.java.runtime / "bin" / "java"
            _run([program, "-Xshare:dump", f"-XX:SharedArchiveFile={folder / BASE}", *_SILENT], os.environ)
            options.append(f"-XX:SharedArchiveFile={folder / BASE}")
        env = _environment(os.environ)
        # If Spark's own configuration folder holds files, the JVM refuses to archive anything.
        env |= {"JAVA_HOME": str(archive.java.runtime), "SPARK_CONF_DIR": str(folder / "conf"), SWITCH: "off"}
        env["SPARK_SUBMIT_OPTS"] = " ".join(map(cds_archive.quoted, options))
        output = _run(training, env)
        missing = [name for name in archive.names() if not (folder / name).exists()]
        if missing:
            name = f"{archive.java.origin} (Java {archive.java.release})"
            raise UsageError(
                f"{name} wrote no class archive: {output or 'no output'}",
                fix="Spark also starts without it",
            )
        cds_archive.seal(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _run(program: Program, env: Mapping[str, str]) -> str:
    """Return the last line that the program printed. Raises UsageError if it fails."""
    try:
        done = subprocess.run(
            program,
            env=dict(env),
            cwd=tempfile.gettempdir(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as err:
        raise UsageError(f"the training run did not end in {_SECONDS} s", fix="try again on an idle machine") from err
    lines = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
    if done.returncode != 0:
        raise UsageError(
            f"the training run failed ({done.returncode}): {''.join(lines) or 'no output'}",
            fix="Spark also starts without it",
        )
    return "".join(lines)


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return ``environment`` without the settings of one job, and with the path of this babelreg."""
    import babelreg

    env = {name: value for name, value in environment.items() if name not in _OTHERS}
    paths = [str(Path(babelreg.__file__).resolve().parent.parent), env.get("PYTHONPATH", "")]
    return {**env, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    import fcntl

    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _sweep(archive: Archive) -> None:
    """Remove archives that have not been used for a month. The caller holds the lock."""
    for path in archive.folder.parent.glob("classes-*"):
        with suppress(OSError):
            used = max((part.stat().st_atime for part in path.glob("*.jsa")), default=path.stat().st_mtime)
            if time.time() - used > 30 * 86_400:
                path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)
