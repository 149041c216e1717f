"""Registry discovery: which registry a command works on when none was named.

Upward from a start folder, per folder: ``babelreg.yaml`` (the folder is the registry), ``babelreg.service.yaml``, and
``[tool.babelreg] registry`` of a ``pyproject.toml``; up to the folder that holds ``.git``. Then the only
``*/babelreg.yaml`` one folder below the current one. A ``babelreg.yaml`` with ``schemas`` marks plain schemas instead,
and is found in the same places.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from babelreg.errors import UsageError
from babelreg.finding import Place
from babelreg.lazy_pattern import LazyPattern
from babelreg.load.files.merge_conflict import MARK, conflict
from babelreg.load.files.registry_paths import SERVICE_REPO as SERVICE
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import MAX_BYTES, PYPROJECT

_TOOL = LazyPattern(r"""tool["' \t]*\.["' \t]*babelreg""")
_KEY = LazyPattern(r"""^[^#\n]*\bregistry["' \t]*=""", re.MULTILINE)
_SCHEMAS = LazyPattern(rb"^schemas[ \t]*:", re.MULTILINE)


class RegistryNotFoundError(UsageError):
    """No registry was named and discovery finds none, which a command that can do without one may ignore."""


class Discovered(NamedTuple):
    """A registry that was found: its folder ``root``, or the folder ``service`` of the service file that names it.

    ``below`` is True where it was found by the last rule, so that a report has to name it.
    """

    root: Path | None
    service: Path | None = None
    below: bool = False


def discover(paths: Sequence[Path] = ()) -> Discovered:
    """Return the registry found from the first of ``paths``, else from the current folder.

    It is spelled relative where the path is. Raises UsageError where there is none, or where several lie below the
    current folder.
    """
    starts = [*paths[:1], Path()]
    for start in starts:
        for folder in _upward(start):
            discovered = _at(folder)
            if discovered is not None:
                return discovered
    below = _below(Path())
    if len(below) > 1:
        raise _several("registries", below, "--registry")
    if below:
        return Discovered(below[0], below=True)
    raise _nothing(starts[0])


def schema_folder(paths: Sequence[Path] = ()) -> Path | None:
    """Return the folder of plain schemas that ``paths`` are in; None where they are in a registry, or nowhere.

    It is the nearest marked one at or above the first of ``paths``, else at or above here; where there is none, and no
    registry, the only marked one that is one folder below. Of unmarked ``paths`` it is the folder that holds all of
    them, provided that they exist. Raises UsageError.
    """
    for folder in _upward(paths[0] if paths else Path()):
        if _marks_schemas(folder):
            return folder
        named = _in_pyproject(folder / PYPROJECT, "schemas")
        if named is not None and (not paths or _is_below(paths[0], named)):
            return named
        if (folder / SETTINGS).exists() or (folder / SERVICE).is_file() or _in_pyproject(folder / PYPROJECT):
            break
    else:
        if paths and all(path.exists() for path in paths):
            folders = [path if path.is_dir() else path.parent for path in paths]
            alike = len({path.is_absolute() for path in folders}) == 1 and not any(".." in f.parts for f in folders)
            return Path(os.path.commonpath(folders if alike else [path.resolve() for path in folders]) or ".")
        return None if paths else _marked_below(Path())
    return None


def _marked_below(folder: Path) -> Path | None:
    """Return the only marked folder that is one below ``folder``; None beside a registry there. Raises UsageError."""
    inside = _with_settings(folder)
    marked = [each for each in inside if _marks_schemas(each)]
    if len(marked) < len(inside) or not marked:
        return None
    if len(marked) > 1:
        raise _several("folders of plain schemas", marked, "babelreg breaking")
    return marked[0]


def _several(what: str, folders: Sequence[Path], command: str) -> UsageError:
    named = " and ".join(folder.as_posix() for folder in folders[:2])
    more = f" and {len(folders) - 2} more" if len(folders) > 2 else ""
    return UsageError(
        f"there are several {what} here: {named}{more}",
        fix=f"name one: {command} {shlex.quote(folders[0].as_posix())}",
    )


def _marks_schemas(folder: Path) -> bool:
    """Return True where the ``babelreg.yaml`` of ``folder`` says that it holds plain schemas."""
    try:
        with (folder / SETTINGS).open("rb") as file:
            return _SCHEMAS.search(file.read(MAX_BYTES)) is not None
    except OSError:
        return False


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def check_named(root: Path, source: str) -> None:
    """Raise UsageError where the folder ``root``, named by ``source``, is a part of a registry, or holds one.

    ``source`` is ``--registry`` or a variable. Other folders without a registry are reported when they are read.
    """
    if (root / SETTINGS).exists():
        return
    around = next((folder for folder in _upward(root.parent) if (folder / SETTINGS).is_file()), None)
    if around is not None and root.resolve() != around.resolve():
        registry = "here" if str(around) == "." else str(around)
        if root.exists():
            message = f"{source} {root} is a {'file' if root.is_file() else 'folder'} of the registry {registry}"
        else:
            message = f"{source} {root} does not exist; the registry around it is {registry}"
        raise UsageError(message, fix=f"{source}{_joint(source)}{shlex.quote(str(around))}")
    below = _below(root) if root.is_dir() else []
    if below and not any(root.glob("*/_context.yaml")):
        raise UsageError(
            f"{source} {root}: there is no {SETTINGS} in it, but one folder below",
            fix=f"{source}{_joint(source)}{shlex.quote(str(below[0]))}",
        )


def _joint(source: str) -> str:
    return " " if source.startswith("-") else "="


def _at(folder: Path) -> Discovered | None:
    """Return the registry that ``folder`` is or names; None where it does neither."""
    if (folder / SETTINGS).exists() and not _marks_schemas(folder):
        return Discovered(folder)
    if (folder / SERVICE).is_file():
        return Discovered(None, service=folder)
    named = _in_pyproject(folder / PYPROJECT)
    return None if named is None else Discovered(named)


def _upward(start: Path) -> Iterator[Path]:
    """Yield ``start`` or the folder of it, and the folders above up to the one that holds ``.git``."""
    full = Path(os.path.abspath(start))  # noqa: PTH100 - the folder as it was named, not what a link leads to
    folder_here = full if full.is_dir() else full.parent
    for folder in (folder_here, *folder_here.parents):
        yield folder if start.is_absolute() else Path(os.path.relpath(folder))
        if (folder / ".git").exists():
            return


def _below(folder: Path) -> list[Path]:
    """Return the registries one folder below ``folder``, by name; dot folders are not looked into."""
    return [each for each in _with_settings(folder) if not _marks_schemas(each)]


def _with_settings(folder: Path) -> list[Path]:
    try:
        inside = sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))
    except OSError:
        return []
    return [folder / name for name in inside if (folder / name / SETTINGS).is_file()]


def _in_pyproject(path: Path, role: str = "registry") -> Path | None:
    """Return the folder that ``[tool.babelreg]`` names as ``registry`` or ``schemas``; None where no such key is there.

    Raises UsageError.
    """
    try:
        with path.open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    except OSError:
        return None
    if b"babelreg" not in body or role.encode() not in body or len(body) > MAX_BYTES:
        return None
    import tomllib

    try:
        text = body.decode("utf-8")
        value = tomllib.loads(text)
        for key in ("tool", "babelreg", role):
            value = value.get(key) if isinstance(value, dict) else None  # type: ignore[assignment]
    except (ValueError, RecursionError):
        _check_merged(path, body)
        return None  # lint reports what else is wrong with it, once there is a registry
    if value is None:
        return None
    place = _place(path, text, role)
    if not isinstance(value, str) or not value.isprintable() or not value:
        raise UsageError(f"{role} is not the path of a folder", place=place, fix=f'{role} = "contracts"')
    root = path.parent / value
    if role == "schemas":
        if not root.is_dir():
            raise UsageError(f"the folder of schemas {root} does not exist", place=place, fix='schemas = "."')
        return root
    if not (root / SETTINGS).is_file():
        what = "has no babelreg.yaml" if root.is_dir() else "does not exist"
        raise UsageError(f"the registry {root} {what}", place=place, fix=f"babelreg init {shlex.quote(str(root))}")
    return root


def _check_merged(path: Path, body: bytes) -> None:
    """Raise UsageError where a merge conflict hides which registry ``path`` names."""
    text = body.decode("utf-8", "replace")
    merged = conflict(text) if MARK in text and _TOOL.search(text) and _KEY.search(text) else None
    if merged is not None:
        raise UsageError(merged.message, place=Place(path.as_posix(), merged.line, 1), fix=merged.fix)


def _place(path: Path, text: str, role: str) -> Place:
    from babelreg.load.files.toml_positions import TomlPositions

    line, column = TomlPositions(text).line_and_column(("tool", "babelreg", role), key=False)
    return Place(path.as_posix(), line, column)


def _nothing(start: Path) -> RegistryNotFoundError:
    folders = list(_upward(Path(os.path.abspath(start))))  # noqa: PTH100 - see _upward
    marked = next(filter(_marks_schemas, [*folders, *_with_settings(Path())]), None)
    if marked is not None:
        message = (
            f"no registry found: {marked / SETTINGS} marks a folder of plain schemas, for `babelreg breaking` only"
        )
        return RegistryNotFoundError(
            message, fix=f"babelreg import jsonschema {shlex.quote(str(marked))} starts a registry"
        )
    first, last = folders[0], folders[-1]
    above = f" or any folder above it, up to {last}" if last != first else ""
    why = ", which contains .git," if (last / ".git").exists() else ""
    message = (
        f"no registry found: there is no {SETTINGS}, {SERVICE} or {PYPROJECT} with [tool.babelreg] registry "
        f"in {first}{above}{why} and no */{SETTINGS} in {Path.cwd()}"
    )
    fix = (
        "babelreg init registry; or, for a service, babelreg init --service NAME --registry DIR|URL; "
        "or name a registry with --registry DIR or BABELREG_REGISTRY"
    )
    return RegistryNotFoundError(message, fix=fix)
