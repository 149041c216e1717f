"""Options of commands that read recorded traffic, the engine that reads it, and the error for what cannot be read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.errors import BabelregError, InputError, UsageError

if TYPE_CHECKING:
    from babelreg.lake.engine.engine import Engine

F = TypeVar("F", bound=Callable[..., Any])

engine_option: Callable[[F], F] = click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="Read in local processes or in Spark.",
)


class ShareType(click.ParamType[Fraction]):
    """A share from 0 to below ``limit``: a percentage, or a number."""

    name = "share"

    def __init__(self, limit: Fraction, example: str) -> None:
        self._limit = limit
        self._example = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Return the share. Raises UsageError."""
        if isinstance(value, Fraction):
            return value
        try:
            number = Fraction(value.removesuffix("%").strip()) / (100 if value.endswith("%") else 1)
        except (ValueError, ZeroDivisionError):
            number = Fraction(-1)
        if not 0 <= number < self._limit:
            option = max(param.opts, key=len) if param else "the value"
            message = f"{option} {shlex.quote(value)} is not a share below {self._limit * 100} %"
            raise UsageError(message, fix=f"{option} {self._example}")
        return number


class DaysType(click.ParamType[int]):
    """A number of days: ``30d``, at most ten years."""

    name = "days"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number. Raises UsageError."""
        if isinstance(value, int):
            return value
        matched = re.fullmatch(r"([0-9]{1,4})d", str(value).strip(), re.ASCII)
        if matched is None or not 1 <= int(matched[1]) <= 3653:
            option = max(param.opts, key=len) if param else "the value"
            raise UsageError(f"{option} {shlex.quote(str(value))} is not a number of days", fix=f"{option} 30d")
        return int(matched[1])


window_option: Callable[[F], F] = click.option(
    "--window",
    metavar="DAYS",
    type=DaysType(),
    help="Count only the messages of the last days, such as 30d, including today. Default: all.",
)


@contextmanager
def opened_engine(name: str) -> Iterator[Engine]:
    """Yield the engine of this name. That of this machine needs no extra."""
    if name == "spark":
        from babelreg.cli.lake.session import start
        from babelreg.spark.engine.spark_engine import SparkEngine

        spark = SparkEngine(start)
        spark.check_installed()
        with spark.translated(Path()):
            yield spark
    else:
        from babelreg.lake.engine.local_engine import LocalEngine

        with LocalEngine() as local, local.translated(Path()):
            yield local


def seen_by_workers(engine: str, sources: Sequence[Path]) -> Sequence[Path]:
    """Return ``sources`` as workers find them: those of Spark may have another working folder."""
    if engine != "spark":
        return sources
    return [path if path == Path("-") else path.absolute() for path in sources]


def unread(errors: Sequence[InputError]) -> BabelregError:
    """Return one error for all sources that could not be read to their end."""
    if len(errors) == 1:
        return errors[0]
    return InputError("; ".join(err.message for err in errors), fix=errors[0].fix)
