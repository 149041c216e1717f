"""Options that the commands of ``babelreg wire`` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from babelreg.cli.shared.common_options import LocalPath, Utf8Text
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.wire.format import Format, Profile

F = TypeVar("F", bound=Callable[..., Any])

_NATIVE = "babelqueue"
"""As ``wire.format.NATIVE``, which is not loaded for an option."""

_YEAR_9999 = 253_402_300_799_999


def completed_formats(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete the name of a wire format."""
    from babelreg.wire.formats.table import FORMATS

    return [CompletionItem(name) for name in FORMATS if name.startswith(word)]


paths_argument: Callable[[F], F] = click.argument(
    "paths", metavar="[PATH]...", nargs=-1, type=LocalPath(allow_dash=True)
)


class _WireOption(click.Option):
    """Option whose help lists the formats, which are loaded when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from babelreg.wire.formats.table import FORMATS

        *names, last = FORMATS
        self.help = f"The format of the messages: {', '.join(names)} or {last}."
        return super().get_help_record(ctx)


def _wire_option(**default: Any) -> Callable[[F], F]:
    return click.option(
        "--wire",
        cls=_WireOption,
        metavar="FORMAT",
        shell_complete=completed_formats,
        help="The format of the messages.",
        **default,
    )


wire_option = _wire_option()
"""For commands in which the format must be given."""
recorded_wire_option = _wire_option(default=_NATIVE, show_default=True)
"""For commands that read recorded messages, which are mostly BabelQueue's."""
whole_option: Callable[[F], F] = click.option(
    "--whole",
    is_flag=True,
    help="Read each file as one JSON message, on one line or several. Default: one message per line.",
)
profile_option: Callable[[F], F] = click.option(
    "--strict/--compat",
    default=None,
    help="Apply the rules for writers; or accept what the format's own software reads. Default: --strict for phpmq, "
    "--compat for the others.",
)
reading_option: Callable[[F], F] = click.option(
    "--strict/--compat",
    default=None,
    help="Read phpmq by its grammar [default]; or as its own software does. Other formats are read in only one way.",
)
received_at_option: Callable[[F], F] = click.option(
    "--received-at",
    metavar="MS",
    type=click.IntRange(0, _YEAR_9999),
    help="The time, in Unix milliseconds, of messages without one. Default: the file's last change; for a pipe, now.",
)
queue_option: Callable[[F], F] = click.option(
    "--queue",
    type=Utf8Text(),
    metavar="NAME",
    help="The queue of the messages. Default: the queue in the message, else the name of the format.",
)


def named_format(name: str | None) -> Format:
    """Return the format that ``--wire`` names.

    Raises UsageError.
    """
    from babelreg.wire.formats import find
    from babelreg.wire.formats.table import FORMATS

    if name is None:
        context = click.get_current_context()
        listed = ", ".join(FORMATS)
        raise UsageError(f"`{context.command_path}` needs --wire FORMAT", fix=f"--wire with one of: {listed}")
    return find(name)


def profile_of(strict: bool | None) -> Profile | None:
    """Return the profile that ``--strict`` or ``--compat`` names; None for the format's default."""
    return None if strict is None else "strict" if strict else "compat"


def example_of(command: str, wire: Format) -> str:
    """Return a command line that reads a file of the format."""
    file = Path("messages.jsonl" if wire.line_based else "messages.bin")
    return f"babelreg {command} --wire {wire.name} {file}"
