"""``babelreg lake``: recorded messages into typed tables of a folder."""

from __future__ import annotations

import click

from babelreg.cli.lake.commands import compact, files, ingest, publish, quarantine, redrive, report
from babelreg.cli.lake.extra import LakeGroup
from babelreg.cli.shared.common_options import examples

COMMANDS = {
    "ingest": ingest.command,
    "redrive": redrive.command,
    "compact": compact.command,
    "publish": publish.command,
    "files": files.command,
    "quarantine": quarantine.command,
    "report": report.command,
}


@click.group(
    cls=LakeGroup,
    epilog=examples("babelreg lake ingest --input inbox --lake lake", "babelreg lake report --lake lake"),
)
def command() -> None:
    """Turn recorded messages into typed tables."""


for _name, _command in COMMANDS.items():
    command.add_command(_command, _name)
