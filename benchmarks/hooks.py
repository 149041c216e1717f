"""How long the first commit waits for the hooks: ``pre-commit install-hooks`` into an empty PRE_COMMIT_HOME.

    python benchmarks/hooks.py [RUNS]

The files of the checkout become a repository of hooks; the first run, not counted, fills pip's cache. Prints every
run, and what the environment of the hooks weighs. Bar: ready in <= 30 s with a warm cache of pip, without pyspark.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine

ROOT = Path(__file__).parents[1]
CONFIG = "repos: [{{repo: {hooks}, rev: v0, hooks: [{{id: babelreg-lint}}]}}]\n"


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def repository_of_hooks(folder: Path) -> None:
    """The tracked files as they are now, committed and tagged v0."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "-m", "hooks")
    git(folder, "tag", "v0")


def install(user: Path, home: Path) -> float:
    """Seconds until the hooks could run."""
    env = {**os.environ, "PRE_COMMIT_HOME": str(home)}
    env.pop("PYTHONPATH", None)
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "install-hooks"], cwd=user, env=env, check=True, capture_output=True
    )
    return time.perf_counter() - started


def main(runs: int) -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        hooks, user = top / "hooks", top / "user"
        hooks.mkdir()
        user.mkdir()
        repository_of_hooks(hooks)
        (user / ".pre-commit-config.yaml").write_text(CONFIG.format(hooks=hooks))
        git(user, "init", "--quiet")
        install(user, top / "warming")
        taken = [install(user, top / f"home{run}") for run in range(runs)]
        (packages,) = (top / "home0").glob("repo*/py_env-*/lib/python*/site-packages")
        heavy = sorted({"pyspark", "pyarrow", "pandas"} & {path.name for path in packages.iterdir()})
        size = sum(file.stat().st_size for file in packages.rglob("*") if file.is_file())
    print("pre-commit install-hooks:", ", ".join(f"{seconds:.1f} s" for seconds in taken))
    print(machine.beside(statistics.median(taken)).strip(), "in the middle;", machine.described())
    print(f"median {statistics.median(taken):.1f} s (bar 30 s); {size / 1e6:.0f} MB, heavy packages: {heavy or 'none'}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
