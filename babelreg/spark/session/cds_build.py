"""Making the archive of Spark's classes: by a training run in processes of its own, now or in the background."""

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
from babelreg.spark.session import cds_archive, java, local
from babelreg.spark.session.cds_archive import (
    BASE,
    SPARK,
    SWITCH,
    Archive,
)

__all__ = ["build", "build_later", "is_hopeless"]

_SILENT = ("-Xlog:disable", "-Xlog:all=off")
"""The JVM prints a page about the classes that no archive can hold."""

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
"""What a user sets for one job is no part of the training."""

Program = Sequence[str | os.PathLike[str]]
_TRAINING: Program = (sys.executable, "-m", "babelreg.spark.session.cds_training")


def build(archive: Archive, *, wait: bool = True, training: Program = _TRAINING) -> bool:
    """Make the archive unless it is there; False where another process is at it and ``wait`` is not set.

    It takes about half a minute. Raises UsageError when it cannot be made or written, and leaves a mark of that.
    """
    if archive.is_sound():  # maybe in a folder that only its maker may write to
        return True
    place = archive.folder.parent
    try:
        place.mkdir(parents=True, exist_ok=True)
        with _locked(place / "classes.lock", wait) as ours:
            if not ours:
                return False
            if not archive.is_sound():
                _sweep(archive)
                _mark(archive).touch()
                _build(archive, training)
            _mark(archive).unlink(missing_ok=True)
    except OSError as err:
        raise UsageError(
            f"cannot write the class archive to {place}: {err.strerror}",
            fix="set BABELREG_CACHE_DIR to a folder that can be written to and has 200 MB to spare",
        ) from err
    return True


def is_hopeless(archive: Archive) -> bool:
    """Whether a build of it failed, or was stopped, before: then only who asks for it gets another."""
    return _mark(archive).exists()


def build_later() -> None:
    """Make the archive for this Java and Spark in the background, at the lowest priority; this process may end."""
    with suppress(OSError):
        subprocess.Popen(
            [sys.executable, "-m", "babelreg.spark.session.cds_build"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(os.environ),
            cwd=tempfile.gettempdir(),
            start_new_session=True,
        )


def _mark(archive: Archive) -> Path:
    return archive.folder.with_suffix(".tried")


def _build(archive: Archive, training: Program) -> None:
    folder = archive.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.chmod(0o755)  # an image is built by one user and run by another
    try:
        options = [*_SILENT, f"-XX:ArchiveClassesAtExit={folder / SPARK}"]
        if archive.needs_base:
            program = archive.java.runtime / "bin" / "java"
            _run([program, "-Xshare:dump", f"-XX:SharedArchiveFile={folder / BASE}", *_SILENT], os.environ)
            options.append(f"-XX:SharedArchiveFile={folder / BASE}")
        env = _environment(os.environ)
        # Where that of Spark holds files, the JVM would refuse to archive anything.
        env |= {"JAVA_HOME": str(archive.java.runtime), "SPARK_CONF_DIR": str(folder / "conf"), SWITCH: "off"}
        env["SPARK_SUBMIT_OPTS"] = " ".join(map(cds_archive.quoted, options))
        output = _run(training, env)
        missing = [name for name in archive.names() if not (folder / name).exists()]
        if missing:
            name = f"{archive.java.origin} (Java {archive.java.release})"
            raise UsageError(
                f"{name} wrote no class archive: {output or 'it said nothing'}",
                fix=f"Spark starts without it; to be asked no more, set {SWITCH}=off",
            )
        cds_archive.seal(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _run(program: Program, env: Mapping[str, str]) -> str:
    """The last line that the program printed. Raises UsageError when it fails."""
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
    said = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
    if done.returncode != 0:
        raise UsageError(
            f"the training run failed ({done.returncode}): {''.join(said) or 'it said nothing'}",
            fix=f"Spark starts without the archive; to do without it for good, set {SWITCH}=off",
        )
    return "".join(said)


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """``given`` without what concerns one job, for a process that is to find this babelreg."""
    import babelreg

    env = {name: value for name, value in given.items() if name not in _OTHERS}
    paths = [str(Path(babelreg.__file__).resolve().parent.parent), env.get("PYTHONPATH", "")]
    return {**env, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


@contextmanager
def _locked(path: Path, wait: bool) -> Iterator[bool]:
    import fcntl

    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def _sweep(archive: Archive) -> None:
    """Remove archives that have not been used for a month, whole or not. For who holds the lock."""
    for path in archive.folder.parent.glob("classes-*"):
        with suppress(OSError):
            used = max((part.stat().st_atime for part in path.glob("*.jsa")), default=path.stat().st_mtime)
            if time.time() - used > 30 * 86_400:
                path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)


def _main() -> int:
    with suppress(OSError):
        os.nice(19)
    archive = local.archive_of(java.find())
    return 0 if archive is not None and build(archive, wait=False) else 1


if __name__ == "__main__":
    sys.exit(_main())
