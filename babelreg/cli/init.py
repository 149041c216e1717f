"""``babelreg init``: a small registry that lints clean, with editor support; or the settings of a service."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
@click.option("--context", default="orders", show_default=True, help="The name of the first context.")
@click.option("--owner", default="team-orders", show_default=True, help="The team that owns it.")
@click.option("--schemas", is_flag=True, help="Only write the JSON Schemas that editors use below DIR/_schemas.")
@click.option("--service", metavar="NAME", help="Write the babelreg.service.yaml of this service instead.")
@click.option(
    "--registry",
    metavar="DIR|URL",
    default="../registry",
    show_default=True,
    help="With --service: where the registry is, a folder or the URL of a git repository.",
)
def command(folder: Path | None, context: str, owner: str, schemas: bool, service: str | None, registry: str) -> None:
    """Start a registry in DIR (default: registry), or, with --service, let the repository in DIR (default: .) use one.

    A registry gets settings, one context with one message, two services, a shared fragment, and the JSON Schemas that
    give editors completion. Never overwrites a file.
    """
    from babelreg.load import starter

    if service is not None:
        click.echo(f"wrote {starter.write_service(folder or Path(), service, registry)}")
        click.echo("\nNext: babelreg update && babelreg gen python", err=True)
        return
    home = folder or Path("registry")
    written = starter.write_schemas(home) if schemas else starter.write(home, context, owner)
    for path in written:
        click.echo(f"wrote {path}")
    if not schemas:
        click.echo(f"\nNext: babelreg lint --registry {home}", err=True)
