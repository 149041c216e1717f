"""``babelreg.service.yaml`` in, :class:`ServiceRepo` out: which registry a service's repository works with.

The file is read as strictly as those of a registry. The nearest one at or above a folder counts, up to the top of the
git repository; a registry that is nearer hides it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from babelreg.errors import UsageError
from babelreg.finding import Finding
from babelreg.load.files.defect import Defect, finding
from babelreg.load.files.registry_paths import SERVICE_REPO as NAME
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import Folder
from babelreg.load.registry_error import RegistryError
from babelreg.model.service_repo import RegistryAt, ServiceRepo

__all__ = ["LOCK", "NAME", "find", "read"]

LOCK = "babelreg.lock"
_ONLY_WITH = {"ref": ("git",), "subdir": ("git", "package")}


def find(start: str | Path) -> Path | None:
    """Return the folder of the nearest ``babelreg.service.yaml`` at or above ``start``, spelled as ``start`` is."""
    start = Path(start)
    start_folder = start if start.is_dir() else start.parent
    full = Path(os.path.abspath(start_folder))  # noqa: PTH100 - the folder as it was named, not what a link leads to
    for levels, folder in enumerate((full, *full.parents)):
        if (folder / NAME).is_file():
            return folder if start_folder.is_absolute() else _relative(start_folder, folder, levels)
        if (folder / SETTINGS).exists() or (folder / ".git").exists():
            return None
    return None


def _relative(start_folder: Path, folder: Path, levels: int) -> Path:
    return start_folder if levels == 0 else Path(os.path.relpath(folder))


def read(folder: Path) -> ServiceRepo:
    """Return the content of the ``babelreg.service.yaml`` in ``folder``.

    Raises RegistryError with every defect of it, each at its line and column.
    """
    from babelreg.load.registry import file_validation
    from babelreg.load.registry.document import Document, decode

    shown = (folder / NAME).as_posix()
    try:
        document = Document(shown, decode(Folder(folder).read(NAME)))
    except Defect as defect:
        raise _refused([defect.at(shown)]) from defect
    except FileNotFoundError as err:
        raise UsageError(f"{shown} does not exist", fix="babelreg init --service NAME") from err
    defects = file_validation.check(document, "service-repo") or [*_unprintable(document), *_misplaced(document)]
    defects = defects or list(_outside(document, folder))
    if defects:
        raise _refused(defects)
    value = document.value
    exclude = tuple(value.get("scan", {}).get("exclude", ()))
    return ServiceRepo(
        str(folder), document, value["service"], RegistryAt(**value["registry"]), value.get("gen", {}), exclude
    )


def _refused(defects: list[Finding]) -> RegistryError:
    return RegistryError(
        f"{NAME} cannot be used", defects, fix="correct it; docs/registry.md of babelreg lists its keys"
    )


def _unprintable(document: Any) -> Iterator[Finding]:
    """Yield findings about names and paths with unprintable characters; a NUL would fail in system calls."""
    value = document.value
    outs = [
        (("gen", target, "out"), declared["out"])
        for target, declared in value.get("gen", {}).items()
        if "out" in declared
    ]
    places = [(("registry", key), declared) for key, declared in value["registry"].items()]
    for pointer, declared in [(("service",), value["service"]), *places, *outs]:
        if not declared.isprintable():
            message = f"'{'.'.join(pointer)}' contains a character that cannot be printed"
            yield finding("value-invalid", message, document.place(pointer), fix="write it again")


def _misplaced(document: Any) -> list[Finding]:
    """Yield the parts of ``registry`` that do not go together, or lead out of the folder."""
    declared = document.value["registry"]
    findings = []
    for key, hosts in _ONLY_WITH.items():
        if key in declared and not any(host in declared for host in hosts):
            message = f"'{key}' goes with {' or '.join(hosts)} only"
            place = document.place(("registry", key), key=True)
            findings.append(finding("value-invalid", message, place, fix="remove it"))
    if set(PurePosixPath(declared.get("subdir", "")).parts) & {"..", "/"}:
        message = f"subdir points outside the {'repository' if 'git' in declared else 'package'}"
        place = document.place(("registry", "subdir"))
        findings.append(finding("ref-outside-registry", message, place, fix="name a folder inside, such as registry"))
    return findings


def _outside(document: Any, folder: Path) -> Iterator[Finding]:
    """Output folders that lie outside the service's repository, links followed.

    The repository is the folder at or above ``folder`` that holds ``.git``, else ``folder`` itself.
    """
    start_folder = Path(os.path.realpath(folder))
    top = next(
        (ancestor for ancestor in (start_folder, *start_folder.parents) if (ancestor / ".git").exists()), start_folder
    )
    for target, options in document.value.get("gen", {}).items():
        if "out" in options and not Path(os.path.realpath(start_folder / options["out"])).is_relative_to(top):
            message = f"'gen.{target}.out' points outside the service's repository"
            place = document.place(("gen", target, "out"))
            fix = "name a folder inside, or pass --out for this one run"
            yield finding("value-invalid", message, place, fix=fix)
