"""Recorded messages of a file or pipe: one a line, or one a frame; also packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from babelreg.contract.parse import MAX_BYTES
from babelreg.sources import frames
from babelreg.sources.message_input import chunks, opened_input
from babelreg.wire.format import Format, Frame, WireError
from babelreg.wire.format import frames as decoded_stream
from babelreg.wire.length_frames import is_framed

_ENDLESS = 2**62


def recorded_messages(path: Path, *, headers: bool = False) -> Iterator[bytes]:
    """Yield the messages of a file, or of standard input, as ``lake ingest`` reads them.

    Raises InputError where it cannot be read to its end, UsageError where nothing that unpacks it is installed.
    """
    if is_framed(path.name):
        with framed(path, headers=headers) as messages:
            yield from (body for body, _ in messages)
    else:
        with opened_input(path, unpack=True) as stream:
            yield from (body for body, _ in lines(stream))


def lines(stream: BinaryIO, length: int = _ENDLESS) -> Iterator[tuple[bytes, int]]:
    """Yield every line that is not blank with its number: the messages of ``lake ingest``.

    They are those that begin in the next ``length`` bytes. Of one beyond the size bound only so much is kept that its
    verdict is ``too_large``.
    """
    number = at = 0
    while at < length and (line := stream.readline(MAX_BYTES + 2)):
        number += 1
        at += len(line)
        piece = line
        while not piece.endswith(b"\n") and (piece := stream.readline(MAX_BYTES + 2)):
            at += len(piece)
        if not line.isspace():
            yield line.removesuffix(b"\n"), number


@contextmanager
def framed(path: Path, *, headers: bool = False) -> Iterator[Iterator[tuple[bytes, int]]]:
    """Open a file of frames, packed or not, as an iterator of messages with their numbers, from 1.

    With ``headers``, a message that has some comes with them, as ``message_headers`` packs both.

    Raises what ``opened_input`` raises, and InputError where a frame is cut off.
    """
    with opened_input(path, unpack=True) as stream:
        messages = frames.read(stream, path, 0, _ENDLESS, frames.MAX_LINE_BYTES, headers=headers)
        yield ((body, number) for number, (body, _) in enumerate(messages, 1))


@contextmanager
def foreign_messages(path: Path, wire: Format, *, whole: bool = False) -> Iterator[Iterator[Frame | WireError]]:
    """Open the messages of a file in another format, also of one that is packed or holds frames, each one message.

    ``whole`` as for ``Format.decoder``. Raises as :func:`framed`.
    """
    if is_framed(path.name):
        with framed(path, headers=wire.reads_headers) as messages:
            yield decoded_messages(wire, messages)
    else:
        with opened_input(path, unpack=True) as stream:
            yield decoded_stream(wire.decoder(whole=whole), chunks(stream))


def decoded_messages(wire: Format, messages: Iterable[tuple[bytes, int]]) -> Iterator[Frame | WireError]:
    """Yield messages that a recording holds one by one, each with its number, which stands for a line."""
    divide = wire.divide or (lambda raw: iter([(raw, 0)]))
    for recorded, number in messages:
        line = number if wire.line_based else None
        for raw, offset in divide(recorded):
            try:
                yield Frame(wire.decode(raw), raw, offset, line)
            except WireError as err:
                yield err.rebased(offset, line, raw)
