"""``babelreg runtime``: the wheel of ``babelreg-runtime``, which no index has yet."""

from __future__ import annotations

from pathlib import Path

import click

from babelreg.atomic_write import write_whole
from babelreg.cli.shared.common_options import LocalPath, examples

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
def command(out: Path) -> None:
    """Write the wheel that generated Python runs on.

    It is babelreg-runtime of this version. The requirements.txt of a generated package names the file with its
    checksum, which is the same wherever this version writes it.
    """
    from babelreg.gen.targets.python.runtime_wheel import wheel_bytes, wheel_name

    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / wheel_name(), wheel_bytes())
    click.echo(f"wrote {out / wheel_name()}")
