"""Options that every command takes, and the layout of examples in ``--help``.

An option name means one thing in all commands (``tests/cli/shared/test_common_options.py`` holds that): ``--out`` is a
place to write, ``--output`` a report, ``--lake`` a lake, ``--format`` the style of a report, ``--diff`` shows how
existing files would change, ``--dry-run`` what would be made or moved.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from babelreg.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_DIAGNOSTICS = "babelreg.diagnostics"


class LocalPath(click.Path):
    """A file or folder of this machine; ``s3://…`` and other addresses are refused by name."""

    def __init__(self, *, dir_okay: bool = True, file_okay: bool = True, allow_dash: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=dir_okay, file_okay=file_okay, allow_dash=allow_dash)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raises UsageError for an address."""
        if isinstance(value, str) and (match := _ADDRESS.match(value)):
            local = match[1] == "file"
            message = f"{value} is an address, but babelreg reads and writes local files and folders"
            note = "" if local else "; object stores, which Spark has readers for, are not supported yet"
            fix = (
                f"name the path: {shlex.quote(value[len('file://') :])}"
                if local
                else "copy it to this machine, or mount it, and use that folder"
            )
            raise UsageError(f"{_option_prefix(param)}{message}{note}", fix=fix)
        return super().convert(value, param, ctx)


class Utf8Text(click.ParamType[str]):
    """A text that files hold: other bytes would make a file that nobody can read."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return ``value``. Raises UsageError for an argument that the shell passed in another encoding."""
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            fix = "type it in a terminal whose encoding is UTF-8"
            raise UsageError(f"{_option_prefix(param)}{value!a} is not UTF-8", fix=fix) from None
        return value


class MessageUrn(click.ParamType[str]):
    """The URN of a message, which may leave out ``urn:babel:``: ``orders:created``."""

    name = "urn"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the URN in full; any other text as it is."""
        return full_urn(value)


def full_urn(text: str) -> str:
    """Return ``urn:babel:orders:created`` for ``orders:created``; any other text as it is."""
    return f"urn:babel:{text}" if _SHORT_URN.fullmatch(text) else text


_SHORT_URN = re.compile(r"(?!urn:)[\w-]+:[\w.-]+")
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def _option_prefix(param: click.Parameter | None) -> str:
    return f"{max(param.opts, key=len)} " if isinstance(param, click.Option) else ""


def examples(*lines: str) -> str:
    """Return the epilog of a command: ``lines`` to paste, each a command."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def diff_option(cause: str = "") -> Callable[[F], F]:
    """Return ``--diff``, for commands that change existing files; ``cause`` is the option that makes them do so."""
    content = f"what {cause} would change" if cause else "what would change"
    return click.option("--diff", is_flag=True, help=f"Print {content} as a diff, and write nothing.")


def dry_run_option(what: str) -> Callable[[F], F]:
    """Return ``--dry-run``, for commands that make files or move data; it prints ``what``."""
    return click.option("--dry-run", is_flag=True, help=f"Print {what}, and write nothing.")


def style_option(what: str) -> Callable[[F], F]:
    """Return ``--format`` of a command that prints ``what``, which is not a list of findings."""
    return click.option(
        "--format",
        "style",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help=f"The format of the {what}.",
    )


def add_shared_options(command: click.Command) -> None:
    """Add ``-C`` and ``-q`` to ``command``, and to the commands below it; once, however often it is called."""
    if not any("-C" in param.opts for param in command.params):
        command.params += [_directory(), _quiet()]
    if isinstance(command, click.Group):
        for below in command.commands.values():
            add_shared_options(below)


@contextmanager
def restored_stderr() -> Iterator[None]:
    """Undo at the end what ``-q`` did, so that errors are seen."""
    original = sys.stderr
    try:
        yield
    finally:
        if sys.stderr is not original:
            sys.stderr.close()
            sys.stderr = original


def diagnostics() -> TextIO:
    """Return the stream for findings and errors that must not go to stdout: stderr, also under ``-q``."""
    context = click.get_current_context(silent=True)
    stream: TextIO | None = context.meta.get(_DIAGNOSTICS) if context else None
    return stream or sys.stderr


def _directory() -> click.Option:
    return click.Option(
        ["-C", "directory"],
        metavar="DIR",
        type=click.Path(path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=_change_directory,
        help="Run as if started in DIR.",
    )


def _quiet() -> click.Option:
    return click.Option(
        ["-q", "--quiet"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_silence,
        help="Print no progress, notes or summary, only results and errors.",
    )


def _change_directory(context: click.Context, parameter: click.Parameter, folder: Path | None) -> None:
    if folder is None:
        return
    previous = Path.cwd()
    try:
        os.chdir(folder)
    except OSError as err:
        if not context.resilient_parsing:
            raise click.BadParameter(f"cannot enter {folder}: {err.strerror}", context, parameter) from err
        return
    context.find_root().call_on_close(lambda: os.chdir(previous))


def _silence(context: click.Context, parameter: click.Parameter, quiet: bool) -> None:
    """Discard stderr, which has progress and notes, until :func:`restored_stderr`."""
    if quiet and not context.resilient_parsing and _DIAGNOSTICS not in context.meta:
        context.meta[_DIAGNOSTICS] = sys.stderr
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - see restored_stderr
