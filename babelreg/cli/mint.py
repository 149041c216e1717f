"""``babelreg mint``: the next version of a message, ready to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.common import completed_by, open_registry, registry_option, shown_root, sound
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.breaking.baseline import Baseline


@click.command()
@click.argument("urn", shell_complete=completed_by("urns"))
@click.option("--sunset", metavar="DATE", help="Deprecate the old version, with this date (2030-06-30) as its end.")
@click.option("--against", metavar="REV|DIR", help="What was published; as for `babelreg breaking`.")
@registry_option
def command(urn: str, sunset: str | None, against: str | None, registry: Path | None) -> None:
    """Write the next version of URN (`.v2` after the first) next to the old one.

    Where the published file was edited in place and that breaks somebody, the published text is put back and the
    edited shape goes into the new file.
    """
    from babelreg.breaking.mint import mint
    from babelreg.load.tree import Folder
    from babelreg.report import printable

    current = sound(open_registry(registry))
    root = Path(current.root)
    published = _baseline(root, against)
    minted = mint(current, Folder(root), urn, sunset=sunset, baseline=published)
    shown = shown_root(current)
    for path, text in minted.files.items():
        _write(root / path, text)
        click.echo(printable(f"{shown}/{path}" if shown else path))
    for note in minted.notes:
        click.echo(printable(note), err=True)


def _baseline(root: Path, against: str | None) -> Baseline | None:
    from babelreg.breaking import baseline

    try:
        return baseline.of(root, against)
    except UsageError as err:
        if against is not None:
            raise
        from babelreg.report import printable

        click.echo(f"nothing was put back: {printable(err.message)}", err=True)
        return None


def _write(path: Path, text: str) -> None:
    """The whole file or nothing of it."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(text.encode())
        beside.replace(path)
    except OSError as err:
        raise UsageError(f"cannot write {path}: {err.strerror}", fix="make the folder writable") from err
