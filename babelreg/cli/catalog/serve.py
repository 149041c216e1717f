"""The option ``--serve`` of ``babelreg gen catalog``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.errors import BabelregError, UsageError

if TYPE_CHECKING:
    from babelreg.cli.shared.gen_run import GenRun

__all__ = ["serve"]


def serve(target: str, new_run: Callable[[], GenRun], root: Path, port: int) -> None:
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
