"""The registry of an archive that ``pack`` made, and whether the archive fits the Python that runs it.

Native packages work only on the Python and the system that they were built for. Elsewhere the import fails with a
traceback that names none of them, so the archive states what it is for, and importing ``babelreg.spark`` compares.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import InputError, UsageError

if TYPE_CHECKING:
    from babelreg.model import Registry

REGISTRY = "registry.json"
"""The registry in an archive."""

CARD = "packed.json"
"""``{"python", "system", "packages": {name: version}}``, in the package folder of an archive and there alone."""


def registry_of(archive: str | Path) -> Registry:
    """Return the registry in the folder of an unpacked archive. Raises InputError if there is none."""
    from babelreg.load.registry import json_bundle

    file = Path(archive) / REGISTRY
    try:
        body = file.read_bytes()
    except OSError as err:
        raise InputError(
            f"cannot read {file}: {err.strerror}", fix="create the archive with `babelreg spark pack`"
        ) from err
    return json_bundle.unpack(body, str(file))


def registry_in(folder: str | Path) -> Registry:
    """Return the registry in a folder, also one of `babelreg spark pack`. Raises UsageError, InputError."""
    from babelreg import load

    return registry_of(folder) if (Path(folder) / REGISTRY).is_file() else load.registry(folder)


def runs_on() -> dict[str, str]:
    """Return the platform that an archive names: ``{"python": "3.11", "system": "cpython-311-x86_64-linux-gnu"}``."""
    return {
        "python": "{}.{}".format(*sys.version_info),
        # The ending of native modules: implementation, version, processor, system and C library in one.
        "system": EXTENSION_SUFFIXES[0].strip(".").removesuffix(".so"),
    }


def check(package: Path = Path(__file__).parents[2]) -> None:
    """Raise UsageError when ``package``, the folder of babelreg, is of an archive for another Python or system."""
    try:
        card = json.loads((package / CARD).read_bytes())
    except FileNotFoundError:
        return
    platform = runs_on()
    if any(card.get(key) != value for key, value in platform.items()):
        made_for, running = (f"Python {entry.get('python')} ({entry.get('system')})" for entry in (card, platform))
        host = f" on {os.uname().nodename}" if hasattr(os, "uname") else ""
        raise UsageError(
            f"this babelreg was packed for {made_for}, and {sys.executable}{host} is {running}",
            fix="pack it on such a machine, with the Python of the workers: `babelreg spark pack`",
        )


check()
