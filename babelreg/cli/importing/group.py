"""``babelreg import``: one command for each format."""

from __future__ import annotations

import click

from babelreg.cli.importing import asyncapi, bqschema, jsonschema
from babelreg.cli.shared.common_options import examples

__all__ = ["command"]


@click.group(
    epilog=examples("babelreg import jsonschema schemas --plan plan.yaml", "babelreg import jsonschema schemas"),
)
def command() -> None:
    """Bring JSON Schemas and the messages of other tools into the registry."""


for _name, _module in {"jsonschema": jsonschema, "asyncapi": asyncapi, "bqschema": bqschema}.items():
    command.add_command(_module.command, _name)
