"""Recordings in another wire format as the input of a sketch: their messages as the envelopes that a bridge makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from babelreg.contract import Verdict
from babelreg.contract.envelope import Envelope
from babelreg.contract.verdict import decode
from babelreg.sources.recorded_messages import decoded_messages, foreign_messages
from babelreg.sources.recording_splits import RecordingSplit, recording_splits
from babelreg.wire.format import CONTROL_MESSAGE, Format, Frame, Receipt, WireError
from babelreg.wire.formats import find
from babelreg.wire.mapping import Key, UrnMapping


@dataclass(frozen=True, slots=True)
class ForeignSplit:
    """A split of recordings in the format ``wire``, whose names ``urns`` maps."""

    recording: RecordingSplit
    wire: str
    urns: Mapping[Key, str]

    @property
    def size(self) -> int:
        """The approximate number of bytes."""
        return self.recording.size

    @property
    def is_pipe(self) -> bool:
        """True for what can be read once, and by this process only."""
        return self.recording.is_pipe

    def messages(self) -> Iterator[Envelope | Verdict]:
        """Yield messages as envelopes, or why they are refused. Raises InputError, UsageError as the recording does."""
        wire, mapping = find(self.wire), UrnMapping(self.urns)
        receipt = Receipt("0", 0, source=self.recording.path.as_posix())
        if wire.line_based:
            numbered = ((raw, number) for number, raw in enumerate(self.recording.messages(wire.reads_headers), 1))
            yield from _bridged(wire, decoded_messages(wire, numbered), receipt, mapping)
            return
        with foreign_messages(self.recording.path, wire) as events:
            yield from _bridged(wire, events, receipt, mapping)


def foreign_splits(paths: Iterable[Path], tasks: int, wire: str, urns: Mapping[Key, str]) -> list[ForeignSplit]:
    """Return the splits of files; a stream without separators is one. Raises InputError."""
    line_based = find(wire).line_based
    splits = [split for path in paths for split in recording_splits([path], tasks if line_based else 0)]
    return [ForeignSplit(split, wire, urns) for split in splits]


def bridged(records: Iterable[tuple[bytes, str]], wire: str, urns: Mapping[Key, str]) -> Iterator[Envelope | Verdict]:
    """Yield messages as a split does, each with the topic or file that it was in."""
    format_, mapping = find(wire), UrnMapping(urns)
    for raw, source in records:
        yield from _bridged(format_, decoded_messages(format_, [(raw, 1)]), Receipt("0", 0, source=source), mapping)


def _bridged(
    wire: Format, events: Iterable[Frame | WireError], receipt: Receipt, mapping: UrnMapping
) -> Iterator[Envelope | Verdict]:
    for event in events:
        try:
            if isinstance(event, WireError):
                raise event
            body = wire.to_canonical(event, receipt, mapping=mapping).body
        except WireError as err:
            yield Verdict(err.code, err.pointer, err.detail)
            continue
        yield Verdict(CONTROL_MESSAGE) if body is None else decode(body)
