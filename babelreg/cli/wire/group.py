"""``babelreg wire``: messages in the formats of other systems."""

from __future__ import annotations

import click

from babelreg.cli.shared.common_options import examples
from babelreg.cli.wire import convert, decode, encode, validate


@click.group(
    epilog=examples("babelreg wire decode --wire phpmq dump.bin", "babelreg wire convert --wire strata requests.jsonl")
)
def command() -> None:
    """Read, write, convert and check messages of BabelQueue, CloudEvents, FlowLayer, PHPMQ, Strata and plain JSON."""


for _name, _module in {"decode": decode, "encode": encode, "convert": convert, "validate": validate}.items():
    command.add_command(_module.command, _name)
