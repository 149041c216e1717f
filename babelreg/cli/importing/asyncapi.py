"""``babelreg import asyncapi``: an AsyncAPI document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babelreg.cli.importing.apply import run_import
from babelreg.cli.importing.options import check_use, import_options
from babelreg.cli.shared.common_options import LocalPath, examples
from babelreg.cli.shared.registry_options import root_of


@click.command(
    short_help="Import the messages of AsyncAPI documents.",
    epilog=examples(
        "babelreg import asyncapi asyncapi.yaml --plan plan.yaml",
        "babelreg import asyncapi services/ common/ --context orders",
    ),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=LocalPath())
@click.option("--context", help="The context of messages without a URN. Default: the title of the document.")
@import_options
def command(paths: tuple[Path, ...], context: str | None, registry: Path | None, **options: Any) -> int:
    """Import the messages of the AsyncAPI documents at PATH, of version 2 or 3 with payloads of JSON Schema.

    PATH is a file or a folder. References are resolved among the files of all PATHs, and those beside a document that
    is named; nothing is fetched. Channels become queues, operations the producers and consumers. A message keeps its
    URN, if it has one; otherwise the plan assigns one. A payload that is a complete BabelQueue envelope is unwrapped.
    Imported files that were edited since are patched: edits and comments stay.
    """
    from babelreg.exchange.formats import asyncapi

    check_use(paths, "babelreg import asyncapi asyncapi.yaml")
    root = root_of(registry, writes=not (options["dry_run"] or options["diff"]))
    none_fix = "name AsyncAPI documents with messages, or their folder; for schemas alone: babelreg import jsonschema"
    return run_import(root, asyncapi.read(paths, registry=root, context=context), none_fix=none_fix, **options)
