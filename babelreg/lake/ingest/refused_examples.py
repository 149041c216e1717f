"""Positions of some refused messages of a batch that is held: its quarantine is not kept, its input is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from babelreg.model import Registry


@dataclass(frozen=True, slots=True)
class RefusedExample:
    """One refused message, without its content. ``offset`` is its first byte in ``file`` of the input folder."""

    reason: str
    urn: str | None
    pointer: str
    detail: str
    file: str
    offset: int


def examples(files: Sequence[Path], registry: Registry, *, most: int = 5) -> tuple[RefusedExample, ...]:
    """Return one message of each of the most frequent reasons in the quarantine ``files``, content masked."""
    from babelreg.lake.report import refusals, samples
    from babelreg.lake.report.redacted_message import MessageMasker

    masker = MessageMasker(registry)
    groups = refusals.scan(files, frozenset(), masker.pointer).groups
    by_reason = samples.read(files, groups, masker, per_reason=1, most=most)
    return tuple(
        RefusedExample(
            sample.group.key.reason,
            sample.group.key.urn,
            sample.group.key.pointer,
            sample.group.key.detail,
            sample.source_file,
            sample.source_offset,
        )
        for samples_of_reason in by_reason.values()
        for sample in samples_of_reason
    )
