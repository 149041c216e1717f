"""Run the tests of each package in an environment that has its extras alone.

    python tools/package_tests.py [--only core] [--folder build/package-tests] [PYTEST ARGUMENT ...]

All environments are installed from one folder of wheels, which is filled once. A test that needs what another package
brings is skipped there; it runs in the whole suite. Exits with 1 if tests of a package fail.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["PACKAGES", "PackageTests", "main"]

ROOT = Path(__file__).resolve().parents[1]

_TOOLS = ("pytest", "pytest-xdist", "hypothesis")
"""Packages of the extra ``dev`` that run the tests."""


class PackageTests(NamedTuple):
    """The extras of a package, and the files and folders of its tests."""

    extras: tuple[str, ...]
    tests: tuple[str, ...]


PACKAGES = {
    "core": PackageTests(
        (),
        (
            "schema",
            "contract",
            "wire",
            "test_atomic_write.py",
            "test_lazy_pattern.py",
            "test_plural.py",
            "test_suggest.py",
            "test_typed_json.py",
        ),
    ),
    "registry": PackageTests(
        (),
        (
            "model",
            "load",
            "git",
            "cache",
            "typemap",
            "lint",
            "containment",
            "breaking",
            "gen",
            "scan",
            "exchange",
            "analysis",
            "report",
            "sources",
        ),
    ),
    "runtime": PackageTests(("runtime",), ("runtime",)),
    "recording": PackageTests(("recording",), ("recording", "cli/recording", "cli/redrive", "cli/topology")),
    "lake": PackageTests(("lake",), ("lake", "sources", "cli/lake")),
    "spark": PackageTests(("spark", "platform"), ("spark", "cli/spark")),
}


def main(arguments: Sequence[str]) -> int:
    """Run the tests of the packages that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=PACKAGES, help="repeatable")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "package-tests")
    asked, rest = parser.parse_known_args(arguments)
    names = asked.only or list(PACKAGES)
    wheels = _wheels(asked.folder / "wheels", sorted({extra for name in names for extra in PACKAGES[name].extras}))
    failed = []
    for name in names:
        python = _environment(asked.folder / name, wheels, PACKAGES[name].extras)
        print(f"{name}: {' '.join(PACKAGES[name].tests)}", flush=True)
        paths = [str(ROOT / "tests" / path) for path in PACKAGES[name].tests]
        command = [str(python), "-m", "pytest", "-q", *rest, *paths]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:  # the modules of the checkout, not of the wheel
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else f"passed: {', '.join(names)}")
    return 1 if failed else 0


def _wheels(folder: Path, extras: Iterable[str]) -> Path:
    """Fill the folder of wheels: babelreg as it is, and what it and the tests need."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("babelreg-*.whl"):
        old.unlink()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    find = ["--find-links", str(folder), "--wheel-dir", str(folder)]
    subprocess.run([*pip, "wheel", *find, _project(extras), *_tools()], cwd=ROOT, check=True)
    return folder


def _environment(folder: Path, wheels: Path, extras: Iterable[str]) -> Path:
    """Return the Python of a new environment, installed from ``wheels`` alone."""
    venv.create(folder, clear=True, with_pip=False, symlinks=os.name != "nt")
    python = folder / "bin" / "python"
    (wheel,) = wheels.glob("babelreg-*.whl")
    named = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--python", str(python)]
    subprocess.run([*pip, "install", "--no-index", "--find-links", str(wheels), named, *_tools()], check=True)
    return python


def _project(extras: Iterable[str]) -> str:
    listed = ",".join(extras)
    return f"{ROOT}[{listed}]" if listed else str(ROOT)


def _tools() -> list[str]:
    """Return the requirements of the tools that run the tests, as the extra ``dev`` has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    dev = project["optional-dependencies"]["dev"]
    return [line for line in dev if line.partition(">")[0].partition("=")[0] in _TOOLS]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
