"""``babelreg spark``: recorded messages into typed tables."""

from __future__ import annotations

import click

from babelreg.cli.lake import extra
from babelreg.cli.lake.commands import compact, files, ingest, publish, quarantine, redrive, report
from babelreg.cli.shared.common_options import examples
from babelreg.cli.spark import pack, stream, warm

__all__ = ["command"]


@click.group(
    cls=extra.SparkGroup,
    epilog=examples("babelreg spark ingest --input inbox --lake lake", "babelreg spark report --lake lake"),
)
def command() -> None:
    """Turn recorded messages into typed tables."""


command.add_command(ingest.command, "ingest")
command.add_command(stream.command, "stream")
command.add_command(redrive.command, "redrive")
command.add_command(compact.command, "compact")
command.add_command(publish.command, "publish")
command.add_command(files.command, "files")
command.add_command(quarantine.command, "quarantine")
command.add_command(pack.command, "pack")
command.add_command(warm.command, "warm")
command.add_command(report.command, "report")
