"""Options and arguments that ``drain`` and ``tap`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from babelreg.cli.shared.common_options import LocalPath

F = TypeVar("F", bound=Callable[..., Any])

broker_argument: Callable[[F], F] = click.argument("broker", type=click.Choice(["redis", "rabbitmq"]))
url_argument: Callable[[F], F] = click.argument("url")
out_option: Callable[[F], F] = click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=LocalPath(file_okay=False),
    help="The folder for the files of frames, which `babelreg lake ingest --input DIR` reads.",
)
limit_option: Callable[[F], F] = click.option(
    "--limit", metavar="N", type=click.IntRange(1), help="Stop after N messages."
)
per_file_option: Callable[[F], F] = click.option(
    "--per-file",
    metavar="N",
    type=click.IntRange(1),
    default=50_000,
    show_default=True,
    help="Start a new file after N messages, 64 MiB or a minute.",
)
