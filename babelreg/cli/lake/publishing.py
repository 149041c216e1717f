"""Publishing beside the commands that write a lake: ``--publish``, and the follower with its notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.plural import counted
from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.cli.lake.progress import Progress
    from babelreg.lake.publish.following import Follower
    from babelreg.lake.publish.projection import Caught

F = TypeVar("F", bound=Callable[..., Any])

_FORMATS = ("delta", "iceberg")
_NONE = "none"


class TableFormats(click.ParamType[tuple[str, ...]]):
    """Names of formats, separated by commas; ``none``, where it is allowed, gives no names."""

    name = "formats"

    def __init__(self, *, none: bool = False) -> None:
        self._none = none

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return the names, each once."""
        if not isinstance(value, str):
            return tuple(value)
        names = [name.strip() for name in value.split(",")]
        if self._none and names == [_NONE]:
            return ()
        if unknown := [name for name in names if name not in _FORMATS]:
            from babelreg.suggest import closest

            near = closest(unknown[0], _FORMATS)
            or_none = f", or {_NONE}" if self._none else ""
            hint = f"did you mean '{near}'?" if near else f"write {', '.join(_FORMATS)}, both with a comma{or_none}"
            self.fail(f"'{unknown[0]}' is not a table format: {hint}", param, ctx)
        return tuple(dict.fromkeys(names))


publish_option: Callable[[F], F] = click.option(
    "--publish",
    "publish_to",
    metavar="FORMATS",
    type=TableFormats(none=True),
    default="delta",
    show_default=True,
    help="The formats in which to publish tables for readers: delta, iceberg, delta,iceberg, or none. "
    "Tables that were published before are updated, except with none.",
)


@contextmanager
def following(lake: Path, to: tuple[str, ...] | None, progress: Progress) -> Iterator[Follower]:
    """Publish ``lake`` before and after a command writes it, and say so on standard error; None publishes nothing."""
    from babelreg.lake.publish.following import Follower

    def told(name: str, caught: Caught) -> None:
        progress.clear()
        added, tables = sum(table.added for table in caught.tables.values()), len(caught.tables)
        click.echo(f"published to {name}: {counted(added, 'file')} in {counted(tables, 'table')}", err=True)

    def warned(name: str, why: str) -> None:
        progress.clear()
        warn(name, why)

    follower = Follower(lake, to, told=told, warned=warned, progress=progress.tell)
    follower.catch_up()
    yield follower
    follower.follow()


def warn(name: str, why: str) -> None:
    """Say why the format ``name`` could not be published."""
    click.echo("\n".join(printable(line) for line in f"warning: not published to {name}: {why}".splitlines()), err=True)
