"""``babelreg validate --spark``: what the quarantine of ``spark ingest`` would say of valid messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.contract import Verdict
    from babelreg.model import Registry

__all__ = ["MessageStream", "fix", "lines", "packed", "stored"]

_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""First bytes of files packed by gzip and by zstd."""

_ENDLESS = 2**62

_FIXES = {
    "integer": "keep it within 64 bits, or declare its `maximum`: a column for more digits is made of that",
    "number": "send a number that a double holds, or ask for `x-spark-type: json`",
    "decimal": "send as many digits as its x-spark-type says, or widen that: `x-spark-type: decimal(38,6)`",
    "timestamp": "send an instant of the years 1 to 9999 without a leap second, or ask for `x-spark-type: string`",
    "date": "send a day of the years 1 to 9999, or ask for `x-spark-type: string`",
    "binary": "send base64 (RFC 4648, with its padding), or ask for `x-spark-type: string`",
    "type": "declare it alike in all variants of its object, or ask for `x-spark-type: json`",
    "string": "let the producer send whole characters: half of a surrogate pair has no UTF-8",
    "depth": "let the producer nest less deep",
    "variant": "ask for `x-spark-type: json`: text holds what a VARIANT does not",
}


def fix(reason: str) -> str:
    """Return the fix for one ``unstorable_…`` reason."""
    return _FIXES.get(reason.removeprefix("unstorable_"), "let the producer send what the column can hold")


def lines(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield every line that is not blank: the messages of ``spark ingest``.

    Of one beyond the size bound only so much is kept that its verdict is ``too_large``.
    """
    from babelreg.contract.parse import MAX_BYTES

    number = 0
    while line := stream.readline(MAX_BYTES + 2):
        number += 1
        piece = line
        while not piece.endswith(b"\n") and (piece := stream.readline(MAX_BYTES + 2)):
            pass
        if not line.isspace():
            yield line.removesuffix(b"\n"), number


def packed(path: Path) -> AbstractContextManager[Iterator[tuple[bytes, int]]] | None:
    """Open a compressed or framed file as an iterator of messages with their offsets; return None for plain lines.

    Raises UsageError where what unpacks them is not installed; reading on, InputError for a file that is damaged.
    """
    try:
        with path.open("rb") as file:
            plain = not file.read(4).startswith(_PACKED) and ".frames" not in path.suffixes
    except OSError:
        return None  # told where it is opened
    if plain:
        return None
    try:
        import babelreg.spark.sources.compression  # noqa: F401
    except ImportError as err:
        problem = "holds frames" if ".frames" in path.suffixes else "is packed"
        raise UsageError(f"{path} {problem}: {err.name} is not installed", fix="pip install 'babelreg[spark]'") from err
    return _unpacked(path)


@contextmanager
def _unpacked(path: Path) -> Iterator[Iterator[tuple[bytes, int]]]:
    from babelreg.spark.sources import compression, frames
    from babelreg.spark.sources.message_files import MAX_LINE_BYTES

    with path.open("rb") as file:
        how = compression.compression_of(file.read(4))
    with compression.opened(path, how) as stream:
        if frames.is_framed(path.name):
            framed = frames.read(stream, path, 0, _ENDLESS, MAX_LINE_BYTES)
            yield ((body, number) for number, (body, _) in enumerate(framed, 1))
        else:
            yield lines(stream)


class MessageStream:
    """Messages as one stream of a wire format. ``end`` follows each of them, and occurs in none."""

    def __init__(self, messages: Iterator[tuple[bytes, int]], end: bytes) -> None:
        self._messages = messages
        self._end = end

    def read(self, size: int = -1) -> bytes:
        """Return the next message, however long it is; nothing at the end."""
        for body, _ in self._messages:
            # a line feed within JSON is white space between two tokens
            return (body.replace(b"\n", b" ") if self._end else body) + self._end
        return b""


def stored(
    validate: Callable[[bytes], Verdict], registry: Registry, data_urn: str | None
) -> Callable[[bytes], Verdict]:
    """``validate``, followed for valid messages by what the columns of their table say.

    ``data_urn`` as for ``validate``: the message whose bare data is validated.
    """
    from babelreg.contract import Verdict
    from babelreg.contract.parse import bare
    from babelreg.typemap.spark.storable import Storable, detail

    storable = Storable(registry.schemas)

    def judge_stored(body: bytes) -> Verdict:
        verdict = validate(body)
        if verdict.reason is not None:
            return verdict
        if data_urn is not None:
            problem = storable.data(data_urn, bare(body))
        else:
            assert verdict.envelope is not None
            problem = storable.message(verdict.envelope)
        if problem is None:
            return verdict
        return Verdict(problem.code, problem.pointer, detail(problem.code), verdict.envelope)

    return judge_stored
