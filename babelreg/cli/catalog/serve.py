"""The option ``--serve`` of ``babelreg gen catalog``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from babelreg.errors import BabelregError, UsageError

if TYPE_CHECKING:
    from babelreg.finding import Finding

__all__ = ["serve"]


class CatalogRun(Protocol):
    """A run of the target whose files are served. ``unsupported`` are the findings that stopped it."""

    unsupported: list[Finding]

    def texts(self) -> Mapping[str, str]:
        """Return the texts of the files by path."""
        ...


def serve(target: str, new_run: Callable[[], CatalogRun], root: Path, port: int) -> None:
    """Show the catalog of the registry in ``root`` until the process is asked to stop. Raises UsageError."""
    from babelreg.cli.catalog.server import CatalogServer

    if target != "catalog":
        raise UsageError(f"target {target} takes no --serve", fix="run `babelreg gen catalog --serve`")

    def build() -> Mapping[str, str]:
        run = new_run()
        texts = run.texts()
        if not texts:
            problems = "; ".join(f"{finding.place}: {finding.message}" for finding in run.unsupported)
            raise BabelregError(f"the schema of a message cannot be used: {problems}", fix="run `babelreg lint`")
        return texts

    server = CatalogServer(root, build, port)
    click.echo(f"{server.address} shows the catalog, and follows the registry; Ctrl-C ends it", err=True)
    server.serve()
