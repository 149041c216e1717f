"""How long ``babelreg breaking`` takes, whole processes: ``python benchmarks/breaking.py [RUNS]``.

A registry of 10,000 messages with 2,000 commits: each adds a property to one of 250 messages that change often, every
200th says a shared fragment in better words. In the work tree 50 of these messages differ, five of them in a way that
breaks. Cold: babelreg's cache is empty; the files are in the system's. Warm: the run before has read the same history.
Edited: as warm, but one message more has changed since.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import machine
import registry_of

MESSAGES, COMMITS, OFTEN, CHANGED, BROKEN = (100, 30, 20, 10, 5) if machine.QUICK else (10_000, 2_000, 250, 50, 5)
FIELD = "    is_gift: {type: boolean}\n"
BARS = {"cold": 15.0, "warm": 4.0, "edited": 4.0}


def stream(files: dict[str, str], often: list[str]) -> Iterator[bytes]:
    """The history for ``git fast-import``; ``files`` is left as the last commit has it."""
    yield commit(0, files)
    for number in range(1, COMMITS):
        path = "_common/address.yaml" if number % 200 == 0 else often[number % len(often)]
        grown = "  # said better\n" if path.startswith("_common/") else property_number(number)
        files[path] = files[path].replace(FIELD, FIELD + grown) if FIELD in files[path] else files[path] + grown
        yield commit(number, {path: files[path]})


def property_number(number: int) -> str:
    """A property that every reader takes."""
    return f"    added_{number}: {{type: integer, description: Number {number}.}}\n"


def commit(number: int, files: dict[str, str]) -> bytes:
    """One commit with these files changed."""
    said = [f"commit refs/heads/main\ncommitter A <a@example.com> {1_700_000_000 + number * 600} +0000\ndata 1\n.\n"]
    for path, text in files.items():
        said.append(f"M 100644 inline registry/{path}\ndata {len(text.encode())}\n{text}\n")
    return "".join(said).encode()


def make(folder: Path) -> list[str]:
    """The repository, with the changes in its work tree; the messages that change often."""
    files = registry_of.files(MESSAGES)
    messages = [path for path, text in files.items() if FIELD in text]
    often = random.Random(2).sample(messages, OFTEN)
    git = ["git", "-C", str(folder), "-c", "core.autocrlf=false"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    subprocess.run([*git, "fast-import", "--quiet"], input=b"".join(stream(files, often)), check=True)
    subprocess.run([*git, "repack", "-adq"], check=True)
    subprocess.run([*git, "reset", "-q", "--hard"], check=True)
    for number, path in enumerate(often[:CHANGED]):
        change(folder, path, breaking=number < BROKEN)
    return often


def change(folder: Path, path: str, *, breaking: bool) -> None:
    """Let a message in the work tree differ from the last commit."""
    file = folder / "registry" / path
    text = file.read_text("utf-8")
    required = text.replace("occurred_at, total]", "occurred_at, total, is_gift]")
    file.write_text(required if breaking else text.replace(FIELD, FIELD + property_number(9999)), "utf-8")


def seconds(command: list[str], folder: Path, cache: Path, ends: int = 1) -> float:
    """Of one whole process, which must end with ``ends``."""
    environment = {**os.environ, "BABELREG_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).parents[1])}
    start = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, cwd=folder, env=environment)
    taken = time.perf_counter() - start
    if done.returncode != ends:
        raise SystemExit(f"exit {done.returncode}: {(done.stdout + done.stderr)[-800:].decode()}")
    if ends:
        assert b"5 errors" in done.stderr, done.stderr
    return taken


def main() -> int:
    """Print the table; returns 1 where a bar is missed."""
    runs = 1 if machine.QUICK else int(sys.argv[1]) if len(sys.argv) > 1 else 3
    breaking = [sys.executable, "-m", "babelreg", "breaking", "registry", "--against", "main"]
    with tempfile.TemporaryDirectory() as name:
        folder, cache = Path(name) / "repository", Path(name) / "cache"
        more = make(folder)[CHANGED:]
        seconds(breaking, folder, cache)  # compiles the code
        taken: dict[str, list[float]] = {"cold": [], "warm": [], "edited": []}
        for run in range(runs):
            shutil.rmtree(cache, ignore_errors=True)
            taken["cold"].append(seconds(breaking, folder, cache))
            taken["warm"].append(seconds(breaking, folder, cache))
            change(folder, more[run], breaking=False)
            taken["edited"].append(seconds(breaking, folder, cache))
    print(f"{'median of ' + str(runs):20} {'s':>6} {'bar':>6}   {machine.described()}")
    missed = False
    for row, times in taken.items():
        bar = BARS.get(row)
        print(f"{row:20} {statistics.median(times):6.2f} {bar or '':>6}   {machine.beside(statistics.median(times))}")
        missed |= bar is not None and statistics.median(times) > bar
    return int(missed)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # cold is not uncompiled
    sys.exit(main())
