"""``babelreg import bqschema``: a registry.json of bqschema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babelreg.cli.importing.apply import run_import
from babelreg.cli.importing.options import import_options
from babelreg.cli.shared.common_options import LocalPath, examples
from babelreg.cli.shared.registry_options import root_of


@click.command(
    short_help="Import a registry.json of bqschema.",
    epilog=examples("babelreg import bqschema registry.json", "babelreg import bqschema registry.json --dry-run"),
)
@click.argument("file", type=LocalPath(dir_okay=False))
@import_options
def command(file: Path, registry: Path | None, **options: Any) -> int:
    """Import FILE, the manifest of BabelQueue's registry tool, with the schemas it names: URNs, owners, status.

    Imported files that were edited since are patched: edits and comments stay.
    """
    from babelreg.exchange.formats import bqschema

    root = root_of(registry, writes=not (options["dry_run"] or options["diff"]))
    none_fix = "name a manifest whose `schemas` lists URNs with their schemas"
    return run_import(root, bqschema.read(file, registry=root), none_fix=none_fix, **options)
