"""BabelQueue's own format: a message is one JSON object, the envelope.

A stream of them is JSON lines, or objects printed over several lines as ``jq`` does, one after the other.
Source: BabelQueue, "The Envelope".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import orjson

from babelreg.contract import Envelope, Verdict, emit
from babelreg.contract.parse import MAX_BYTES
from babelreg.contract.verdict import decode as _decode
from babelreg.wire.format import Chunk

__all__ = ["decode", "encode", "name", "split"]

name = "babelqueue"

# a string ends with its line, for no JSON string holds a raw line break
_TOKENS = re.compile(rb'"(?:[^"\\\n]|\\.)*+"?|[\[\]{}]')


def split(stream: BinaryIO) -> Iterator[Chunk]:
    """The messages in a stream. A message ends with the line on which its brackets are balanced.

    A broken one ends where a line begins with ``{`` and no space before it, so it costs no message after it. Of a
    message beyond the size bound only so much is kept that its verdict is ``too_large``.
    """
    body = bytearray()
    started = depth = 0
    for number, line in enumerate(_lines(stream), 1):
        if body and line.startswith(b"{"):
            yield Chunk(bytes(body), started)
            body.clear()
            depth = 0
        if not body:
            if not line.strip():
                continue
            started = number
        if not body and _is_json(line):
            yield Chunk(line, number)
            continue
        depth += _opened(line)
        if len(body) <= MAX_BYTES:
            body += line
        if depth <= 0:
            yield Chunk(bytes(body), started)
            body.clear()
            depth = 0
    if body:
        yield Chunk(bytes(body), started)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines, each without what is beyond the size bound."""
    while line := stream.readline(MAX_BYTES + 2):
        piece = line
        while not piece.endswith(b"\n") and (piece := stream.readline(MAX_BYTES + 2)):
            pass
        yield line


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def _opened(line: bytes) -> int:
    """How many more brackets the line opens than it closes, strings left out."""
    depth = 0
    for token in _TOKENS.finditer(line):
        if token[0] in b"[{":
            depth += 1
        elif token[0] in b"]}":
            depth -= 1
    return depth


def decode(body: bytes) -> Envelope | Verdict:
    """The envelope of one message, its data not judged; or why there is none that may be handled."""
    return _decode(body)


def encode(envelope: Envelope) -> bytes:
    """The envelope as it is passed on: known keys first, unknown ones kept, nothing trimmed.

    Raises EmitError when it must not be on the wire.
    """
    return emit.encode(envelope.document, first=False)
