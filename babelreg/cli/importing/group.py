"""``babelreg import``: one command for each format."""

from __future__ import annotations

from pathlib import Path

import click

from babelreg.cli.importing import asyncapi, bqschema, jsonschema
from babelreg.cli.shared.common_options import examples
from babelreg.errors import UsageError


class _ImportGroup(click.Group):
    """The formats, with a way out for those who name the schemas first."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and Path(name).exists():
            meant = "jsonschema" if Path(name).is_dir() else "|".join(self.list_commands(ctx))
            raise UsageError(
                f"the format comes before {name}", fix=f"did you mean `{ctx.command_path} {meant} {name}`?"
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=_ImportGroup,
    epilog=examples("babelreg import jsonschema schemas --plan plan.yaml", "babelreg import jsonschema schemas"),
)
def command() -> None:
    """Bring JSON Schemas and the messages of other tools into the registry."""


for _name, _module in {"jsonschema": jsonschema, "asyncapi": asyncapi, "bqschema": bqschema}.items():
    command.add_command(_module.command, _name)
