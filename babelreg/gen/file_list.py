"""The list of generated files: its path, its format, and the registry that it belongs to.

The list is in the folder that one run owns: the folder of the package for target python, so that packages can share an
output folder, and the output folder for other targets. Its lines are paths relative to the output folder. Comments name
the registry and the generator.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from babelreg.errors import UsageError
from babelreg.gen.target import MARK

_REGISTRY = "# registry: "


@dataclass(frozen=True, slots=True)
class FileList:
    """The list of the files that ``target`` writes into one folder.

    ``folder`` is relative to the output folder, "" for the output folder itself. ``registry`` is the name of the source
    registry (see :func:`registry_name`); None accepts every registry.
    """

    target: str
    folder: str = ""
    registry: str | None = None

    @property
    def path(self) -> str:
        """The path of the list, relative to the output folder."""
        return str(PurePosixPath(self.folder, list_name(self.target)))

    def text(self, paths: Iterable[str], generator: str | None) -> str:
        """Return the text of the list."""
        head = f"# {MARK}: the files of `babelreg gen {self.target}`. A later run removes those that are obsolete.\n"
        registry = f"{_REGISTRY}{self.registry}\n" if self.registry is not None else ""
        line = f"{generator_line(generator)}\n" if generator is not None else ""
        return head + registry + line + "".join(f"{path}\n" for path in sorted(paths))

    def require_same_registry(self, out: Path, content: bytes) -> None:
        """Raise UsageError if ``content``, the list on disk, names another registry."""
        other = _registry_of(content)
        if self.registry is None or other is None or other == self.registry:
            return
        own_folder = ", or another package with --package" if self.folder else ""
        raise UsageError(
            f"{(out / self.path).as_posix()}: the files here were generated from another registry, {other}",
            fix=f"choose another folder with --out{own_folder}; if the registry has moved, remove the line"
            f" '{_REGISTRY}{other}' from that file",
        )


def list_name(target: str) -> str:
    """Return the file name of the list of ``target``."""
    return f".babelreg-{target}.files"


def generator_line(generator: str) -> str:
    """Return the comment with the fingerprint of the generator."""
    return f"# made by {generator}"


def registry_name(registry: Path, folder: Path) -> str:
    """Return the path of ``registry`` relative to ``folder``, with forward slashes and links resolved."""
    at = registry.resolve()
    try:
        relative = os.path.relpath(at, folder.resolve())
    except ValueError:  # on another drive
        relative = str(at)
    return _one_line(relative.replace(os.sep, "/"))


def listed_paths(content: bytes) -> list[str]:
    """Return the paths in a list, without those that lead out of the output folder."""
    return [line for line in _lines(content) if _inside(line)]


def without_folder(content: bytes, folder: str) -> bytes | None:
    """Return a list without its paths below ``folder``, or None if no path remains."""
    lines = content.decode("utf-8", "replace").splitlines(keepends=True)
    rest = [line for line in lines if not line.startswith(f"{folder}/")]
    if all(line.startswith("#") or not line.strip() for line in rest):
        return None
    return "".join(rest).encode()


def _registry_of(content: bytes) -> str | None:
    lines = content.decode("utf-8", "replace").splitlines()
    return next((line.removeprefix(_REGISTRY) for line in lines if line.startswith(_REGISTRY)), None)


def _lines(content: bytes) -> list[str]:
    return [line for line in content.decode("utf-8", "replace").splitlines() if line and not line.startswith("#")]


def _inside(path: str) -> bool:
    # The list is a checked-in file: anyone may have added a line that points outside the folder.
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and "\\" not in path and ":" not in path


def _one_line(text: str) -> str:
    return text if text.isprintable() else ascii(text)[1:-1]
