"""Coverage files: JSON that ``babelreg drift --write`` wrote, as the model."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from babelreg.errors import InputError
from babelreg.finding import Finding, Place
from babelreg.load.files.defect import Defect, finding
from babelreg.load.files.tree import Tree
from babelreg.model.coverage import CLASSES, Coverage, MessageCoverage, least
from babelreg.typed_json import typed

VERSION = 1


@dataclass(frozen=True, slots=True)
class _CoverageFile:
    version: int
    window_days: int
    messages: Mapping[str, MessageCoverage] = field(default_factory=dict)


def parsed(body: bytes | str) -> Coverage:
    """Return the coverage in ``body``. Raises ValueError."""
    try:
        read = typed(_CoverageFile, json.loads(body))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if read.version != VERSION:
        raise ValueError(f"it has version {read.version}, but this babelreg reads version {VERSION}")
    for urn, message in read.messages.items():
        _check(urn, message)
    return Coverage(read.window_days, read.messages)


def in_tree(tree: Tree, path: str, root: str) -> tuple[Coverage | None, list[Finding]]:
    """Return the coverage that the settings of a registry name, None where there is none yet, and its defects."""
    try:
        return parsed(tree.read(path)), []
    except FileNotFoundError:
        return None, []
    except Defect as defect:
        return None, [defect.at(path, root)]
    except ValueError as err:
        return None, [finding("value-invalid", f"it is not a coverage file: {err}", Place(path), fix=_fix(path))]


def _fix(path: str) -> str:
    return f"remove it, and create it again: babelreg drift SRC --write {shlex.quote(path)}"


def read(path: Path) -> Coverage | None:
    """Return the coverage in the file ``path``, None where there is no such file. Raises InputError."""
    try:
        return parsed(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}") from err
    except ValueError as err:
        raise InputError(f"{path} is not a coverage file: {err}", fix=_fix(str(path))) from err


def _check(urn: str, message: MessageCoverage) -> None:
    """Raise ValueError for a class that there is not."""
    try:
        volume = least(message.messages)
    except ValueError:
        volume = -1
    if volume < 0:
        raise ValueError(f"'messages' of {urn} is {message.messages!r}, not a class such as 0, 1+, 100+ or 1000+")
    tables = [message.fields, message.aliases, *message.enums.values()]
    for name, value in ((name, value) for table in tables for name, value in table.items()):
        if value not in CLASSES:
            raise ValueError(f"the class of {name!r} of {urn} is {value!r}, not one of {', '.join(CLASSES)}")
