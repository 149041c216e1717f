"""``babelreg runtime``: the wheel of ``babelreg-runtime``, which no index has yet."""

from __future__ import annotations

import hashlib
from pathlib import Path

import click

from babelreg.atomic_write import write_whole
from babelreg.cli.shared.common_options import LocalPath, dry_run_option, examples

__all__ = ["command"]


@click.command(epilog=examples("babelreg runtime", "babelreg runtime --out wheels"))
@click.option(
    "--out",
    metavar="DIR",
    type=LocalPath(file_okay=False),
    default=Path(),
    show_default=True,
    help="The folder to write the wheel into.",
)
@dry_run_option("the name of the file and its SHA-256")
def command(out: Path, dry_run: bool) -> None:
    """Write the wheel that generated Python runs on.

    It is babelreg-runtime of this version. The requirements.txt of a generated package names the file with its
    checksum, which is the same wherever this version writes it.
    """
    from babelreg.gen.targets.python.runtime_wheel import wheel_bytes, wheel_name

    path, body = out / wheel_name(), wheel_bytes()
    if dry_run:
        click.echo(f"would write {path}, SHA-256 {hashlib.sha256(body).hexdigest()}")
        return
    out.mkdir(parents=True, exist_ok=True)
    write_whole(path, body)
    click.echo(f"wrote {path}")
