"""Options of every command: registry, output of findings, exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.cli.shared.common_options import LocalPath
from babelreg.cli.shared.output import (
    color_option,
    emit,
    exit_code,
    format_option,
    format_option_with,
    output_option,
)
from babelreg.errors import UsageError
from babelreg.finding import shown_folder
from babelreg.load.registry_error import sound

if TYPE_CHECKING:
    from babelreg.load.files.tree import Tree
    from babelreg.model import Registry

__all__ = [
    "clear_progress",
    "color_option",
    "completed_by",
    "emit",
    "exit_code",
    "fail_on_option",
    "format_option",
    "format_option_with",
    "note_once",
    "open_registry",
    "open_tree",
    "output_option",
    "paths_below",
    "registry_option",
    "root_of",
    "shown_folder",
    "shown_root",
    "sound",
    "today_option",
]

F = TypeVar("F", bound=Callable[..., Any])


def completed_by(name: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """Return the function ``name`` of ``completion_values.py``, imported when a shell completes a word."""

    def complete(ctx: click.Context, param: click.Parameter, word: str) -> Any:
        from babelreg.cli.shared import completion_values

        return getattr(completion_values, name)(ctx, param, word)

    return complete


registry_option: Callable[[F], F] = click.option(
    "--registry",
    metavar="DIR",
    shell_complete=completed_by("registries"),
    type=LocalPath(),
    envvar="BABELREG_REGISTRY",
    help="The registry folder. Default: $BABELREG_REGISTRY, else the nearest one at or above PATH, else at or above "
    "the current folder, else the only one directly below it.",
)
fail_on_option: Callable[[F], F] = click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    default="error",
    show_default=True,
    help="The lowest severity for which the exit code is 1.",
)


def _day(context: click.Context, parameter: click.Parameter, text: str | None) -> date | None:
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:  # fromisoformat also reads 20270331 and 2027-W13-3
        raise click.BadParameter(f"'{text}' is not a date like 2027-03-31")
    return day


today_option: Callable[[F], F] = click.option(
    "--today",
    metavar="YYYY-MM-DD",
    callback=_day,
    help="The date to compare sunsets and expiry dates with. Default: today in UTC.",
)


def root_of(registry: Path | None, paths: Sequence[Path] = (), *, writes: bool = False) -> Path:
    """Return the registry folder: as named, else as discovery finds it from the first path, else from here.

    ``writes``: the command changes files of the registry. Raises UsageError where there is no registry, or where it
    would change a copy that was fetched.
    """
    if registry is not None:
        from babelreg.load.registry.discovery import check_named

        check_named(registry, _named_by())
        return registry
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist", fix="name a file or folder of the registry")
    from babelreg.load.service.registry_folder import find_registry

    root, below = find_registry(paths, writes=writes)
    if below:
        note_once(f"using {root.as_posix()}/ (the only registry below this folder)")
    return root


def _named_by() -> str:
    from click.core import ParameterSource

    context = click.get_current_context(silent=True)
    source = context.get_parameter_source("registry") if context else None
    return "BABELREG_REGISTRY" if source is ParameterSource.ENVIRONMENT else "--registry"


def note_once(text: str) -> None:
    """Print ``text`` on stderr, once however often the command reads the registry."""
    from babelreg.report import printable

    context = click.get_current_context(silent=True)
    printed = context.meta.setdefault("babelreg.notes", set()) if context else set()
    if text not in printed:
        printed.add(text)
        clear_progress()
        click.echo(printable(text), err=True)


def clear_progress() -> None:
    """Clear the line that shows the progress of a run on a terminal, before another line is printed on stderr."""
    context = click.get_current_context(silent=True)
    if context is not None and "babelreg.clear_line" in context.meta:
        context.meta["babelreg.clear_line"]()


def open_registry(registry: Path | None, paths: Sequence[Path] = (), *, writes: bool = False) -> Registry:
    """Return the registry that a command works on; see :func:`root_of`. Raises UsageError."""
    return open_tree(root_of(registry, paths, writes=writes))


def why_without(err: UsageError) -> str:
    """Return in a few words why a command goes on without a registry, after ``open_registry`` raised ``err``."""
    nothing = "no registry found"  # the rest says where it was looked for
    return nothing if err.message.startswith(nothing) else err.message


def open_tree(root: Path, tree: Tree | None = None) -> Registry:
    """Return the registry in the folder ``root``, or what ``tree`` holds of it. Raises UsageError."""
    from babelreg import load

    return load.registry(root, tree)


def paths_below(folder: str | Path, paths: Sequence[Path]) -> tuple[str, ...]:
    """Return ``paths`` relative to the registry in ``folder``, with forward slashes.

    Raises UsageError for a path outside the registry.
    """
    root = Path(folder).resolve()
    relative = []
    for path in paths:
        full = path.resolve()
        if not full.exists():
            raise UsageError(f"{path} does not exist", fix="name a file or folder of the registry")
        if full != root and root not in full.parents:
            raise UsageError(f"{path} is not in the registry {folder}", fix="name its registry with --registry")
        relative.append("" if full == root else full.relative_to(root).as_posix())
    return tuple(relative)


def shown_root(registry: Registry) -> str:
    """Return :func:`shown_folder` of the registry."""
    return shown_folder(registry.root)
