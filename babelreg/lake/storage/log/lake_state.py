"""State of a lake after all its batches, as plain data: current files, input read so far, column types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from babelreg.errors import InputError
from babelreg.lake.storage.log.batch_record import RESTORE, Batch, SetAside, SortedFileRecord
from babelreg.lake.storage.log.source_log import SourceLog
from babelreg.wire.format import NATIVE


class ReplacedFiles(NamedTuple):
    """Files that no longer count since batch ``number``, and may be removed when its manifest is so old."""

    number: int
    files: tuple[str, ...]
    grace_seconds: int


@dataclass(frozen=True, slots=True)
class LakeState:
    """All batches up to ``number``; 0 where there is none.

    ``tables`` are the files of every table, by URN, and ``quarantine`` those of the quarantine, the oldest first;
    paths are relative to the output. ``types`` are those of :class:`batch_record.Table`, by URN. ``sources`` are the
    input files that were read, ``set_aside`` those that are set aside, by input and name. ``replaced`` may still be
    there; that of the batches ``removed`` is not, which the next manifest says.

    ``wires`` are the wire formats of input folders, but for those of BabelQueue.

    ``checkpoint`` is the batch of the one that was read; ``replaced_at`` says when files were replaced before it.
    """

    number: int = 0
    keeps_duplicates: bool = False
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    types: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    quarantine: tuple[str, ...] = ()
    index: tuple[SortedFileRecord, ...] = ()
    replaced: tuple[ReplacedFiles, ...] = ()
    set_aside: Mapping[str, Mapping[str, SetAside]] = field(default_factory=dict)
    removed: tuple[int, ...] = ()
    sources: SourceLog = field(default_factory=SourceLog, compare=False)
    checkpoint: int = 0
    replaced_at: Mapping[int, float] = field(default_factory=dict, compare=False)
    wires: Mapping[str, str] = field(default_factory=dict)


def followed(state: LakeState, batches: Sequence[Batch]) -> LakeState:
    """Return ``state`` and the ``batches`` after it. Raises InputError where one replaces what no batch wrote."""
    if not batches:
        return state
    _check_replaced(state, batches)
    replaced_names = {name for batch in batches for name in batch.replaced}
    removed = {number for batch in batches for number in batch.removed}
    tables = {urn: list(files) for urn, files in state.tables.items()}
    types = {urn: dict(columns) for urn, columns in state.types.items()}
    quarantine, replaced = list(state.quarantine), list(state.replaced)
    for batch in batches:
        for urn, table in batch.tables.items():
            tables.setdefault(urn, []).extend(table.files)
            types.setdefault(urn, {}).update(table.types)
        quarantine += batch.quarantine.files
        if batch.replaced:
            replaced.append(ReplacedFiles(batch.number, batch.replaced, batch.grace_seconds))
    return replace(
        state,
        number=batches[-1].number,
        keeps_duplicates=batches[-1].keeps_duplicates,
        tables={
            urn: tuple(name for name in files if name not in replaced_names) for urn, files in sorted(tables.items())
        },
        types=types,
        quarantine=tuple(name for name in quarantine if name not in replaced_names),
        index=batches[-1].index,
        replaced=tuple(files for files in replaced if files.number not in removed),
        set_aside=_set_aside(state.set_aside, batches),
        removed=(),
        sources=state.sources.followed(batches),
        wires=_wires(state.wires, batches),
    )


def _check_replaced(state: LakeState, batches: Sequence[Batch]) -> None:
    """Raise InputError for a file that is replaced, and that does not count then: no batch before wrote it."""
    if not any(batch.replaced for batch in batches):
        return
    counting = {*state.quarantine, *(name for files in state.tables.values() for name in files)}
    for batch in batches:
        for name in batch.replaced:
            if name not in counting:
                raise InputError(
                    f"the manifest of batch {batch.number} replaces {name}, which no earlier batch wrote",
                    fix=RESTORE,
                )
            counting.discard(name)
        counting.update(batch.quarantine.files)
        counting.update(name for table in batch.tables.values() for name in table.files)


def _wires(wires: Mapping[str, str], batches: Iterable[Batch]) -> Mapping[str, str]:
    updated = dict(wires)
    for batch in batches:
        if batch.wire != NATIVE:
            read = {file.input for file in batch.consumed if not file.moved}
            updated.update(dict.fromkeys(read | {file.input for file in batch.set_aside}, batch.wire))
    return updated


def _set_aside(
    files_by_input: Mapping[str, Mapping[str, SetAside]], batches: Iterable[Batch]
) -> Mapping[str, Mapping[str, SetAside]]:
    updated = {root: dict(names) for root, names in files_by_input.items()}
    for batch in batches:
        for root, name in batch.resumed:
            updated.get(root, {}).pop(name, None)
        for file in batch.set_aside:
            updated.setdefault(file.input, {})[file.name] = file
    return {root: names for root, names in updated.items() if names}
