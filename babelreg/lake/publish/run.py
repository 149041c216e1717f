"""Publishing a lake: make its projections, or catch them up.

``publish`` makes a projection stand: from then on the record of the lake names it, each command that writes the lake
follows it, and replaced files stay until it releases them.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from babelreg.errors import UsageError
from babelreg.lake.publish import formats, projection
from babelreg.lake.publish.iceberg_catalog import CATALOG, NAMESPACE
from babelreg.lake.publish.projection import Caught
from babelreg.lake.publish.sink import Sink, SinkContext
from babelreg.lake.storage import lake_id, output_folder, projections
from babelreg.lake.storage.disk_errors import disk_errors
from babelreg.lake.storage.log import manifest, replay
from babelreg.lake.storage.output_folder import QUARANTINE
from babelreg.lake.storage.projections import KEEP_SECONDS, Projection

DEFAULT_NAMESPACE = "babelreg"

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Published:
    """Result of a run: the lake, its id, and for each format what was committed and what failed."""

    output: str
    lake: str
    formats: Mapping[str, Caught] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether any table could not be brought to the newest batch."""
        return any(caught.failed for caught in self.formats.values())

    def as_json(self) -> dict[str, Any]:
        """Return the result as one JSON object."""
        return asdict(self)


def publish(
    output: str | Path,
    to: Collection[str] = (),
    *,
    catalog: str | None = None,
    namespace: str | None = None,
    keep_seconds: int | None = None,
    rebuild: bool = False,
    complete: bool = True,
    progress: Progress = lambda step: None,
) -> Published:
    """Bring the tables of the formats ``to`` to the newest batch of the lake ``output``; by default, those published.

    ``catalog`` is a name in the configuration of pyiceberg, and ``namespace`` that of the Iceberg tables in it; both
    are set once. Replaced files are released ``keep_seconds`` after they were replaced in the tables; by default 7
    days. ``rebuild`` removes the tables first, but no rows. ``complete`` is as for ``projection.catch_up``.

    A table that cannot be published is in the result, and the others are published. Raises UsageError, also where the
    disk is full, InputError.
    """
    lake = Path(output).resolve()
    output_folder.check_written(lake)
    formats.check(to)
    state = replay.read(lake)
    if not state.number:
        raise UsageError(f"{output} has no batch yet", fix="run `babelreg lake ingest` first")
    output_folder.check_files(lake, state)
    settings = _settings(catalog, namespace)
    with projections.locked(lake), disk_errors(lake):
        identity = lake_id.ensure(lake)
        standing = projections.read(lake)
        results: dict[str, Caught] = {}
        for name in _names(output, to, standing):
            record = _record(lake, name, standing.get(name), settings, keep_seconds, rebuild)
            sink = _sink(lake, identity, name, record)
            projections.write(lake, {**projections.read(lake), name: record})
            if rebuild:
                progress(f"removing the {name} tables")
                sink.clear([*replay.read(lake).tables, QUARANTINE])
            results[name] = projection.catch_up(lake, identity, sink, name, complete=complete, progress=progress)
    return Published(str(output), identity, results)


def pending(output: str | Path, to: Collection[str] = ()) -> dict[str, dict[str, tuple[int, int]]]:
    """Return by format and table how many files :func:`publish` would add and remove; nothing is written or locked.

    Raises UsageError, InputError, also where a table cannot be read.
    """
    lake = Path(output).resolve()
    output_folder.check_written(lake)
    formats.check(to)
    state, standing, identity = replay.read(lake), projections.read(lake), lake_id.read(lake)
    found = {}
    for name in _names(output, to, standing):
        tables = [*state.tables, QUARANTINE]
        if name not in standing:
            files = {**state.tables, QUARANTINE: state.quarantine}
            found[name] = {table: (len(names), 0) for table, names in files.items() if names}
            continue
        sink = _sink(lake, identity or "", name, standing[name])
        todo, failed = projection.outstanding(lake, identity, sink, state, tables)
        if failed:
            table, why = next(iter(failed.items()))
            raise UsageError(f"{table}: {why}")
        found[name] = {
            table: (sum(len(one.added) for one in commits), sum(len(one.removed) for one in commits))
            for table, commits in todo.items()
        }
    return found


def behind(output: str | Path) -> dict[str, int]:
    """Return for each projection of ``output`` how many batches it has not followed. Raises InputError."""
    lake = Path(output)
    standing = projections.read(lake)
    newest = manifest.listing(lake).newest if standing else 0
    return {name: max(0, newest - record.published) for name, record in standing.items()}


def _names(output: str | Path, to: Collection[str], standing: Collection[str]) -> tuple[str, ...]:
    if not to and not standing:
        raise UsageError(f"{output} is not published yet", fix="name formats: --to delta,iceberg")
    return tuple(dict.fromkeys(to)) or tuple(standing)


def _settings(catalog: str | None, namespace: str | None) -> dict[str, str]:
    given = {CATALOG: catalog, NAMESPACE: namespace}
    return {name: value for name, value in given.items() if value is not None}


def _record(
    lake: Path, name: str, known: Projection | None, given: Mapping[str, str], keep_seconds: int | None, rebuild: bool
) -> Projection:
    """Return the record of the format ``name`` as it stands from now on. Raises UsageError where it cannot."""
    own = {} if name == "delta" else {CATALOG: "", NAMESPACE: DEFAULT_NAMESPACE, **(known.settings if known else {})}
    settings = {key: given.get(key, value) for key, value in own.items()}
    if known is None or rebuild:
        released = known.released if known else 0
        return Projection(
            str(lake), keep_seconds or (known.keep_seconds if known else KEEP_SECONDS), 0, released, (), settings
        )
    if settings != dict(known.settings):
        key = next(key for key in settings if settings[key] != known.settings.get(key))
        raise UsageError(
            f"the {name} tables of {lake} are in the {key} '{known.settings.get(key) or 'lake'}'",
            fix=f"remove --{key}; or move them there with --rebuild",
        )
    if name != "delta" and known.location != str(lake):
        raise _moved(lake, name, known.location)
    return replace(known, keep_seconds=known.keep_seconds if keep_seconds is None else keep_seconds)


def _moved(lake: Path, name: str, before: str) -> UsageError:
    return UsageError(
        f"the {name} tables of {lake} refer to files below {before}: the lake was moved or copied, and their paths are "
        "absolute",
        fix=f"`babelreg lake publish --lake {shlex.quote(str(lake))} --to {name} --rebuild` rebuilds them;"
        " no rows are lost",
    )


def _sink(lake: Path, identity: str, name: str, record: Projection) -> Sink:
    return formats.opened(name, SinkContext(lake, identity, record.keep_seconds, record.settings))
