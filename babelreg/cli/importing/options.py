"""Options that all imports share."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from babelreg.cli.shared.common_options import Utf8Text, diff_option, dry_run_option
from babelreg.cli.shared.registry_options import (
    color_option,
    fail_on_option,
    format_option,
    output_option,
    registry_option,
    today_option,
)

F = TypeVar("F", bound=Callable[..., Any])

plan_option: Callable[[F], F] = click.option(
    "--plan",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The URN of each source. If FILE does not exist, it is written for you to edit, and nothing is imported.",
)
_owner_option: Callable[[F], F] = click.option(
    "--owner", type=Utf8Text(), help="The owner of messages without one in a CODEOWNERS file or their source."
)


_status_option: Callable[[F], F] = click.option(
    "--status",
    type=click.Choice(["draft", "active"]),
    help="The status of new messages whose source has none. Default: active, or draft if the source does not use "
    "the message. Drafts may change freely: `breaking` does not compare them.",
)


def import_options(function: F) -> F:
    """Add the options that every import has."""
    options = (
        registry_option, plan_option, _owner_option, _status_option,
        dry_run_option("the plan and the files that would be written"),
        diff_option(), today_option, format_option, output_option, color_option, fail_on_option,
    )  # fmt: skip
    return reduce(lambda decorated, option: option(decorated), reversed(options), function)


def check_use(paths: tuple[Path, ...], example: str) -> None:
    """Raise UsageError where no source is named."""
    if not paths:
        from babelreg.errors import UsageError

        raise UsageError("there is nothing to import", fix=example)
