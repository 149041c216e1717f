"""The list of generated files: where it lies, what it says, and whether it belongs to this registry.

A list lies in the folder that one run owns: in that of the package for target python, so that packages share an output
folder, and in the output folder for the other targets. Its lines are paths relative to the output folder. Comments
name the registry and the maker.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from babelreg.errors import UsageError
from babelreg.gen.target import MARK

__all__ = ["FileList", "listed_paths", "listing", "made_by", "registry_name", "without"]

_REGISTRY = "# registry: "


@dataclass(frozen=True, slots=True)
class FileList:
    """The list of the files that ``target`` writes into one folder.

    ``folder`` is relative to the output folder, "" for the output folder itself. ``registry`` names the registry that
    the files are made from (see :func:`registry_name`); None leaves it open.
    """

    target: str
    folder: str = ""
    registry: str | None = None

    @property
    def path(self) -> str:
        """The path of the list, relative to the output folder."""
        return str(PurePosixPath(self.folder, listing(self.target)))

    def text(self, paths: Iterable[str], maker: str | None) -> str:
        """The whole list."""
        head = f"# {MARK}: what `babelreg gen {self.target}` wrote here. A later run removes what it no longer makes.\n"
        registry = f"{_REGISTRY}{self.registry}\n" if self.registry is not None else ""
        made = f"{made_by(maker)}\n" if maker is not None else ""
        return head + registry + made + "".join(f"{path}\n" for path in sorted(paths))

    def require_same_registry(self, out: Path, content: bytes) -> None:
        """Raise UsageError where ``content``, the list as it is on disk, names another registry."""
        other = _registry_of(content)
        if self.registry is None or other is None or other == self.registry:
            return
        own_folder = ", or another package with --package" if self.folder else ""
        raise UsageError(
            f"{(out / self.path).as_posix()}: the files here were made from another registry, {other}",
            fix=f"choose another folder with --out{own_folder}; where the registry has moved, remove the line"
            f" '{_REGISTRY}{other}' from that file",
        )


def listing(target: str) -> str:
    """The name of the file that lists what ``target`` wrote."""
    return f".babelreg-{target}.files"


def made_by(maker: str) -> str:
    """The line that names the maker."""
    return f"# made by {maker}"


def registry_name(registry: Path, folder: Path) -> str:
    """The path of ``registry`` relative to ``folder``, with forward slashes; links are followed first."""
    at = registry.resolve()
    try:
        relative = os.path.relpath(at, folder.resolve())
    except ValueError:  # on another drive
        relative = str(at)
    return _one_line(relative.replace(os.sep, "/"))


def listed_paths(content: bytes) -> list[str]:
    """The paths that a list names, but for those that lead out of the output folder."""
    return [line for line in _lines(content) if _inside(line)]


def without(content: bytes, folder: str) -> bytes | None:
    """A list without its paths below ``folder``; None where no path is left."""
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
    # The list lies in a checked-in folder: a line that would lead out of it was not written by us.
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and "\\" not in path and ":" not in path


def _one_line(text: str) -> str:
    return text if text.isprintable() else ascii(text)[1:-1]
