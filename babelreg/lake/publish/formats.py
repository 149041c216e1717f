"""Table of the formats that can follow a lake, with what each needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from babelreg.errors import UsageError
from babelreg.lake.publish.sink import Sink, SinkContext, missing_package
from babelreg.suggest import closest


@dataclass(frozen=True, slots=True)
class TableFormat:
    """One format: the module and class of its sink, the packages that it imports, and the extra that brings them.

    ``forbidden`` are the characters that its library cannot read in the path of a lake.
    """

    module: str
    sink: str
    packages: tuple[str, ...]
    extra: str
    forbidden: str

    def load(self) -> Callable[[SinkContext], Sink]:
        """Return the class of the sink; the libraries are imported when it is used."""
        loaded: Callable[[SinkContext], Sink] = getattr(import_module(self.module), self.sink)
        return loaded


FORMATS: Mapping[str, TableFormat] = {
    "delta": TableFormat("babelreg.lake.publish.delta", "DeltaSink", ("deltalake", "pyarrow"), "lake", "%"),
    "iceberg": TableFormat(
        "babelreg.lake.publish.iceberg", "IcebergSink", ("pyiceberg", "sqlalchemy", "pyarrow"), "iceberg", "%?#"
    ),
}


def check(names: Iterable[str]) -> None:
    """Raise UsageError for a name that is not a format, or one whose library is not installed."""
    for name in names:
        if name not in FORMATS:
            near = closest(name, FORMATS)
            fix = f"did you mean '{near}'?" if near else f"the formats are: {', '.join(FORMATS)}"
            raise UsageError(f"'{name}' is not a table format", fix=fix)
        if (missing := _missing(name)) is not None:
            raise missing_package(missing, FORMATS[name].extra)


def opened(name: str, context: SinkContext) -> Sink:
    """Return the sink of the format ``name``. Raises UsageError for a lake at a path that its library cannot read."""
    check([name])
    format_ = FORMATS[name]
    if bad := next((sign for sign in format_.forbidden if sign in str(context.lake)), None):
        raise UsageError(
            f"the library of {name} cannot read files below {context.lake}: the path has a '{bad}'",
            fix="move the lake to a folder without it, or ingest with --publish none",
        )
    return format_.load()(context)


def _missing(name: str) -> str | None:
    return next((package for package in FORMATS[name].packages if find_spec(package) is None), None)
