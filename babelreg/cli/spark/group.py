"""``babelreg spark``: tables of a folder or of a data platform, by Spark."""

from __future__ import annotations

import shlex
from copy import copy

import click

from babelreg.cli.lake.commands import ingest
from babelreg.cli.lake.extra import LakeGroup
from babelreg.cli.shared.common_options import examples
from babelreg.cli.spark import pack, stream
from babelreg.errors import UsageError

_OF_LAKE = ("redrive", "compact", "publish", "files", "quarantine", "report")
"""Commands of ``babelreg lake`` that were commands of this group."""


class _SparkGroup(LakeGroup):
    fixed_engine = "spark"

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raise UsageError for a command that has moved, with the line to paste."""
        if args and args[0] in _OF_LAKE:
            raise UsageError(
                f"`babelreg spark {shlex.quote(args[0])}` is `babelreg lake {shlex.quote(args[0])}` now",
                fix=shlex.join(["babelreg", "lake", *args]),
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=_SparkGroup,
    epilog=examples("babelreg spark ingest --input inbox --lake lake", "babelreg spark pack --out babelreg.tar.gz"),
)
def command() -> None:
    """Turn recorded messages into typed tables with Spark."""


_ingest = copy(ingest.command)
_ingest.params = [*ingest.command.params]
_ingest.epilog = examples(
    "babelreg spark ingest --input inbox --lake lake",
    "babelreg spark ingest --input inbox --lake lake --watch --output prometheus:babelreg.prom",
)
command.add_command(_ingest, "ingest")
command.add_command(stream.command, "stream")
command.add_command(pack.command, "pack")
