"""Generated Python packages for tests, in both forms: with a copy of the runtime, and on the package of the runtime."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from babelreg.gen.file_list import FileList
from babelreg.gen.targets.python import target
from babelreg.gen.targets.python.runtime_package import package_files
from babelreg.gen.write import write
from babelreg.model import Registry

FORMS = ("vendored", "package")
MYPY = ("-m", "mypy", "--config-file", str(Path(__file__).parents[2] / "pyproject.toml"))
"""mypy --strict, with the settings of our own code: what it knows of installed packages holds for these settings only."""


def write_package(
    out: Path, registry: Registry, options: Mapping[str, Any] | None = None, *, form: str = "vendored"
) -> Path:
    """Generate a package into ``out``, with ``babelreg_runtime`` beside it where it needs that."""
    given = {**(options or {}), "runtime": form}
    write(out, FileList("python", target.own_folder(given)), target.files(registry, given))
    if form == "package":
        write_runtime(out)
    return out


def write_runtime(out: Path) -> None:
    """Write the package ``babelreg_runtime`` of this checkout into ``out``, once."""
    if (out / "babelreg_runtime").exists():
        return
    for path, text in package_files():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, "utf-8")
