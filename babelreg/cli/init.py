"""``babelreg init``: a small registry that lints clean, with editor support."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), default=Path("registry"))
@click.option("--context", default="orders", show_default=True, help="The name of the first context.")
@click.option("--owner", default="team-orders", show_default=True, help="The team that owns it.")
@click.option("--schemas", is_flag=True, help="Only write the JSON Schemas that editors use below DIR/_schemas.")
def command(folder: Path, context: str, owner: str, schemas: bool) -> None:
    """Start a registry in DIR (default: registry).

    Writes settings, one context with one message, two services, a shared fragment, and the JSON Schemas that give
    editors completion. Never overwrites a file.
    """
    from babelreg.load import starter

    written = starter.write_schemas(folder) if schemas else starter.write(folder, context, owner)
    for path in written:
        click.echo(f"wrote {path}")
    if not schemas:
        click.echo(f"\nNext: babelreg lint --registry {folder}", err=True)
