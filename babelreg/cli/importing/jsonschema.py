"""``babelreg import jsonschema``: folders and files of JSON Schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babelreg.cli.importing.apply import run_import
from babelreg.cli.importing.options import check_use, import_options
from babelreg.cli.shared.common_options import LocalPath, examples
from babelreg.cli.shared.registry_options import root_of

# Those of babelreg.schema.dialects, which would cost its import here.
DIALECT_NAMES = ("draft4", "draft6", "draft7", "draft2019-09", "draft2020-12")


@click.command(
    short_help="Import folders and files of JSON Schemas.",
    epilog=examples(
        "babelreg import jsonschema schemas --plan plan.yaml",
        "babelreg import jsonschema webhooks.json --roots '#/definitions/*_event' --context webhooks",
    ),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=LocalPath())
@click.option(
    "--roots",
    metavar="POINTER",
    multiple=True,
    help="The schemas that become messages, such as '#/definitions/*_event'. Repeatable. Default: each file.",
)
@click.option("--context", help="The context of all messages. Default: the name of the folder.")
@click.option(
    "--context-depth",
    metavar="N",
    type=click.IntRange(1, 100),
    help="The folder that is the context, counted from 1 below PATH. Default: the innermost one that groups messages.",
)
@click.option(
    "--dialect",
    type=click.Choice(DIALECT_NAMES),
    help="The dialect of schemas without a known $schema. Default: guessed.",
)
@import_options
def command(
    paths: tuple[Path, ...],
    roots: tuple[str, ...],
    context: str | None,
    dialect: str | None,
    context_depth: int | None,
    registry: Path | None,
    **options: Any,
) -> int:
    """Import the JSON Schemas at PATH: draft-04 to 2020-12, with references among them.

    Each file becomes a message, unless it only holds definitions or others refer to it; the branches of a union of
    references become a message each. Schemas that several messages share go to _common/. References are resolved among
    the files of PATH; nothing is fetched. If imported files were edited, they are patched, and keep edits and comments.
    Findings list what could not be kept, and why a message does not lint.
    """
    from babelreg.exchange.formats import jsonschema
    from babelreg.schema.dialects import DIALECTS

    check_use(paths, "babelreg import jsonschema schemas")
    root = root_of(registry, writes=not (options["dry_run"] or options["diff"]))
    chosen = DIALECTS[dialect] if dialect else None
    sources = jsonschema.read(
        paths, registry=root, roots=roots, context=context, dialect=chosen, context_depth=context_depth
    )
    none_fix = "name the files one by one, or the schemas in them: --roots '#/definitions/*'"
    return run_import(root, sources, none_fix=none_fix, **options)
