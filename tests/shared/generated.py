"""Generated Python packages for tests, in both forms: with a copy of the runtime, and on the package of the runtime."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Mapping
from functools import cache
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
    """Put the package ``babelreg_runtime`` of this checkout into ``out``: a link, so that it is compiled once a session."""
    link = out / "babelreg_runtime"
    if not link.exists():
        out.mkdir(parents=True, exist_ok=True)
        link.symlink_to(runtime_folder() / link.name, target_is_directory=True)


@cache
def runtime_folder() -> Path:
    """Return a folder with the package ``babelreg_runtime`` of this checkout."""
    folder = tempfile.TemporaryDirectory(prefix="babelreg-runtime-", dir=_TEMPORARY)
    atexit.register(folder.cleanup)
    for path, text in package_files():
        file = Path(folder.name, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return Path(folder.name)


_TEMPORARY = tempfile.gettempdir()
"""Not that of the test which happens to be the first one."""
