"""Catalog of the Iceberg tables of a lake: a SQLite file in the lake, or one that the user configured for pyiceberg."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.lake.durable_files import make_folder
from babelreg.lake.publish.sink import SinkContext
from babelreg.lake.storage import projections

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

CATALOG, NAMESPACE = "catalog", "namespace"
"""Keys of the settings: the catalog's name in the configuration of pyiceberg, empty for that of the lake."""

OWN = "lake"
"""Name of the lake's own catalog, which is part of the rows of its tables."""

_FILE = "catalog.db"


def folder(lake: Path) -> Path:
    """Return the folder of the lake's own catalog and of the metadata of its tables."""
    return lake / projections.FOLDER / "iceberg"


def address(path: Path) -> str:
    """Return ``path`` as Iceberg names files: nothing is escaped."""
    return f"file://{path.as_posix()}"


def table_location(context: SinkContext, name: str) -> str | None:
    """Return where the metadata of a table goes; None where the catalog decides."""
    return None if context.settings.get(CATALOG) else address(folder(context.lake) / name)


def remove(lake: Path) -> None:
    """Remove the lake's own catalog, then the metadata that it names."""
    (folder(lake) / _FILE).unlink(missing_ok=True)
    shutil.rmtree(folder(lake), ignore_errors=True)


def opened(context: SinkContext) -> Catalog:
    """Return the catalog, with the namespace of the tables. Raises UsageError."""
    from pyiceberg.catalog import load_catalog
    from pyiceberg.exceptions import NamespaceAlreadyExistsError

    name = context.settings.get(CATALOG)
    if name:
        try:
            catalog = load_catalog(name)
        except ValueError as err:
            raise UsageError(
                f"pyiceberg cannot open the catalog '{name}': {err}",
                fix=f"configure it in ~/.pyiceberg.yaml, or by PYICEBERG_CATALOG__{name.upper()}__URI",
            ) from err
    else:
        place = folder(context.lake)
        make_folder(place)
        catalog = load_catalog(OWN, type="sql", uri=f"sqlite:///{place / _FILE}?timeout=60", warehouse=address(place))
    with suppress(NamespaceAlreadyExistsError):
        catalog.create_namespace(context.settings[NAMESPACE])
    return catalog
