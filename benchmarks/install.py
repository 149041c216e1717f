"""What installing costs: the size of the base install, and the time from a fresh clone to a finished demo.

    python benchmarks/install.py [--clone]

The base install is measured as the files of site-packages without pip and setuptools, both as bytes and as disk blocks.
Bars: base install <= 100 MB on disk, as the README says; with ``--clone``, fresh clone to finished ``make demo`` <= 6 min.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import machine

ROOT = Path(__file__).parents[1]


def spelled(seconds: float) -> str:
    """The seconds, and their ratio to a fixed loop."""
    return f"{seconds:.0f} s, {machine.beside(seconds).strip()}"


def base_install(folder: Path) -> None:
    """Installs the base package into an environment of its own and prints its size."""
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    started = time.perf_counter()
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)], check=True)
    seconds = time.perf_counter() - started
    site = next((folder / "env" / "lib").glob("python*/site-packages"))
    # What came with the environment is not ours: pip, setuptools and what belongs to them.
    ours = [
        p
        for p in site.iterdir()
        if not p.name.startswith(("pip", "setuptools", "pkg_resources", "_distutils", "distutils"))
    ]
    files = [file for top in ours for file in ([top] if top.is_file() else top.rglob("*")) if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    blocks = sum(file.stat().st_blocks * 512 for file in files)
    print(
        f"base install: {size / 1e6:.1f} MB in {len(files):,} files ({blocks / 1e6:.1f} MB on disk), {spelled(seconds)}"
    )


def fresh_clone(folder: Path) -> None:
    """Clones the committed state, runs ``make demo`` in it and prints how long both took."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder / "clone")], check=True)
    started = time.perf_counter()
    subprocess.run(["make", "demo"], cwd=folder / "clone", check=True)
    print(f"fresh clone to finished demo: {spelled(time.perf_counter() - started)}")
    started = time.perf_counter()
    subprocess.run(["make", "demo"], cwd=folder / "clone", check=True, stdout=subprocess.DEVNULL)
    print(f"second run: {spelled(time.perf_counter() - started)}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        base_install(Path(temporary))
        if "--clone" in sys.argv:
            fresh_clone(Path(temporary))
