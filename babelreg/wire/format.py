"""The interface of a wire format: bytes in, messages out, and back, without I/O, clock or randomness.

The data flow, with the function that takes each step::

    bytes of a stream --decoder().feed()--> Frame(value, raw, offset, line) | WireError(code, offset)
    bytes of one message --decode()--> value                        raises WireError
    value --validate()--> [Diagnostic(code, pointer, detail, severity)], empty for a good message
    value --encode()--> bytes, by the strict rules for writers      raises WireError
    value --to_json()--> JSON object --from_json()--> value         lossless, for `babelreg wire decode|encode`
    frame + Receipt + UrnMapping --to_canonical()--> Canonical(body, losses): one BabelQueue envelope as bytes
    BabelQueue envelope + UrnMapping --from_canonical()--> Foreign(value, losses)
    raw --mask()--> raw with its secrets replaced by "***", every other byte unchanged

A ``value`` is the decoded message: the JSON object of FlowLayer and Strata (a dict), ``phpmq.models.PacketMessage`` for
PHPMQ, ``contract.Envelope`` for BabelQueue. A decoder that returns an empty list needs more bytes; ``close`` says that
there are none. The profile ``strict`` holds every rule for writers, ``compat`` reads what the reference implementation
reads. Codes of diagnostics and errors are listed in the ``CODES`` of each format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from babelreg.errors import BabelregError
from babelreg.finding import Finding, Place, Severity
from babelreg.wire.mapping import UNMAPPED, UrnMapping
from babelreg.wire.names import Names

NATIVE = "babelqueue"
"""The name of the format whose messages are canonical envelopes, and are read without a bridge."""

Profile = Literal["strict", "compat"]
Clock = Literal["argument", "mtime", "now"]
CONTROL_MESSAGE = "control_message"  # the reason that refuses it as data: it controls a queue, and has no payload
_MAX_QUOTED = 300


class Limits(NamedTuple):
    """Bounds of one message: its bytes with all headers, and its packets (1 where the format has none).

    A longer message is refused by its declared length, before memory is allocated for it.
    """

    message_bytes: int
    packets: int = 1


@dataclass(frozen=True, slots=True)
class Code:
    """The meaning of a diagnostic's code. ``published``: the format's own documents define the code, not babelreg."""

    meaning: str
    published: bool = False


class Diagnostic(NamedTuple):
    """One defect of a message, or one loss of a conversion. ``pointer`` is RFC 6901, into the message.

    ``detail`` is one sentence without values of the message.
    """

    code: str
    pointer: str
    detail: str
    severity: Severity = Severity.ERROR

    def finding(self, place: Place, urn: str | None = None) -> Finding:
        """Return the diagnostic as a finding at ``place``; its rule and reason are the format's code."""
        pointer = self.pointer[:_MAX_QUOTED]
        return Finding(self.code, self.severity, self.detail, place, urn, pointer or None, reason=self.code)


class WireError(BabelregError):
    """Bytes that are not a message, or a message that must not be written. The text quotes neither.

    ``offset`` is that of the first wrong byte, in the stream for a decoder, in the message for ``decode``; None where
    nothing was read. ``raw`` holds the refused bytes, as far as they are within the limits; ``start`` is the offset of
    its first byte, ``line`` its line, counted from 1.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        offset: int | None = None,
        pointer: str = "",
        raw: bytes = b"",
        start: int = 0,
        line: int | None = None,
    ) -> None:
        super().__init__(f"{detail} [{code}]" if offset is None else f"byte {offset}: {detail} [{code}]")
        self.code = code
        self.detail = detail
        self.offset = offset
        self.pointer = pointer
        self.raw = raw
        self.start = start
        self.line = line

    def rebased(self, start: int, line: int | None, raw: bytes) -> WireError:
        """Return the error of one message as that of the stream in which the message begins at ``start``."""
        offset = start if self.offset is None else start + self.offset
        return WireError(self.code, self.detail, offset=offset, pointer=self.pointer, raw=raw, start=start, line=line)

    def diagnostic(self) -> Diagnostic:
        """Return the error as a diagnostic."""
        return Diagnostic(self.code, self.pointer, self.detail)


def first_error(diagnostics: Iterable[Diagnostic]) -> WireError | None:
    """Return the first diagnostic of severity error, as an exception; None where there is none."""
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.ERROR:
            return WireError(diagnostic.code, diagnostic.detail, pointer=diagnostic.pointer)
    return None


def raise_first_error(diagnostics: Sequence[Diagnostic]) -> None:
    """Raise the first diagnostic of severity error as WireError."""
    if diagnostics and (error := first_error(diagnostics)) is not None:
        raise error


class Frame(NamedTuple):
    """One message of a stream: its value, its exact bytes, the offset of the first, and its line in a text format.

    The ``repr`` shows neither value nor bytes, so that no log holds a secret of the message.
    """

    value: Any
    raw: bytes
    offset: int = 0
    line: int | None = None

    def __repr__(self) -> str:
        return f"Frame(offset={self.offset}, line={self.line}, bytes={len(self.raw)})"


class Decoder(Protocol):
    """An incremental decoder of one stream, which may be split at any byte."""

    @property
    def needed(self) -> int:
        """The least number of further bytes with which the decoder makes progress; 0 after ``stopped``."""
        ...

    @property
    def stopped(self) -> bool:
        """True after an error in a format without a marker for the start of a message: nothing more is read."""
        ...

    def feed(self, data: bytes) -> list[Frame | WireError]:
        """Return what ``data`` completes, in the order of the stream; an empty list means that more is needed."""
        ...

    def close(self) -> list[Frame | WireError]:
        """Return what the end of the stream completes: the last line, or the error of a message cut short."""
        ...


class Session(Protocol):
    """The state of one conversation, for formats whose messages refer to each other."""

    def observe(self, value: Any) -> list[Diagnostic]:
        """Return the defects of the next message, given those before it."""
        ...

    def close(self) -> list[Diagnostic]:
        """Return what remains open at the end, as information."""
        ...


class Receipt(NamedTuple):
    """The circumstances under which a message was read; the same receipt gives the same canonical envelope.

    ``occurrence`` distinguishes equal messages of one input: file fingerprint and offset, or the message's number.
    ``received_at`` is in Unix milliseconds; ``clock`` names its source. ``source`` is the file or topic that held the
    message, for a format that names messages by it.
    """

    occurrence: str
    received_at: int
    clock: Clock = "argument"
    source: str = ""


class CanonicalFields(NamedTuple):
    """The members of an envelope that differ from message to message. ``created_at`` None: the receive time."""

    job: str
    data: dict[str, Any]
    trace_id: str
    message_id: str
    queue: str
    created_at: int | None = None

    def instant(self, receipt: Receipt) -> tuple[int, bool]:
        """Return ``meta.created_at``, and True where it is the time of the receipt."""
        if self.created_at is None or self.created_at < 0:
            return receipt.received_at, True
        return self.created_at, False


class Canonical(NamedTuple):
    """A foreign message as a BabelQueue envelope. ``body`` is None for a control message, which carries no payload.

    ``losses`` point into the foreign message.
    """

    body: bytes | None
    losses: tuple[Diagnostic, ...] = ()


class Foreign(NamedTuple):
    """A BabelQueue envelope as the value of another format, for ``encode``. ``losses`` point into the envelope."""

    value: Any
    losses: tuple[Diagnostic, ...] = ()


Spans = Callable[[Callable[[int, int], bytes], int, int], Iterator["tuple[int, int] | WireError"]]
"""Function of ``read_at(offset, length)``, the size of a stream, and the position to start at."""

Divide = Callable[[bytes], Iterator[tuple[bytes, int]]]


class Format(Protocol):
    """One wire format. A module satisfies it.

    ``line_based``: a stream has one message a line, with a line feed after each. Otherwise messages follow each other
    without separators, errors have no line, and ``spans`` yields first byte and end of each message by its headers.
    ``carries_envelopes``: a message may hold an envelope byte for byte. ``reads_headers``: of a message with headers
    ``decode`` takes both, as ``message_headers.pack`` joins them. ``json_values``: the value of a message that begins
    with a brace is its JSON object. ``data_pointer`` leads to the data of a message.
    """

    name: str
    line_based: bool
    carries_envelopes: bool
    reads_headers: bool
    json_values: bool
    limits: Limits
    default_profile: Profile
    CODES: Mapping[str, Code]
    names: Names | None

    @property
    def spans(self) -> Spans | None:
        """The borders of messages without separators; None for a line-based format."""
        ...

    @property
    def divide(self) -> Divide | None:
        """The messages of one line, each with its offset in the line; None where a line is always one message."""
        ...

    def decoder(self, *, profile: Profile | None = None, whole: bool = False) -> Decoder:
        """Return a decoder at the start of a stream. ``whole``: the stream is one JSON message, not one a line."""
        ...

    def decode(self, raw: bytes, *, profile: Profile | None = None) -> Any:
        """Return the value of exactly one message.

        Raises WireError.
        """
        ...

    def encode(self, value: Any) -> bytes:
        """Return the bytes of the message, without a line end. ``decode(encode(value)) == value``.

        Raises WireError for a value that a strict writer must not send.
        """
        ...

    def validate(self, value: Any, *, profile: Profile | None = None) -> list[Diagnostic]:
        """Return the defects of the envelope in the order of the checks; an empty list for a good message."""
        ...

    def schema(self, profile: Profile | None = None) -> dict[str, Any] | None:
        """Return the JSON Schema (2020-12) of the envelopes; None for a binary format."""
        ...

    def to_json(self, value: Any) -> dict[str, Any]:
        """Return the value as a JSON object for a person to read. Secrets are in it."""
        ...

    def from_json(self, document: Mapping[str, Any]) -> Any:
        """Return the value that ``to_json`` made ``document`` of.

        Raises WireError.
        """
        ...

    def mask(self, raw: bytes) -> bytes:
        """Return the message with its secrets replaced; the same bytes where it has none. Takes broken messages too."""
        ...

    def recognizes(self, raw: bytes, document: Any) -> bool:
        """Return True for bytes with the distinguishing members of the format; ``document`` is None for no JSON."""
        ...

    def hint(self, raw: bytes, error: WireError, *, whole: bool = False) -> str | None:
        """Return the likely fix for bytes that are not a message, from the first of a message or line on."""
        ...

    def data_pointer(self, value: Any, mapping: UrnMapping) -> str:
        """Return the pointer, into the message, at which it has the data of its envelope."""
        ...

    def session(self) -> Session | None:
        """Return a new session; None where messages do not refer to each other."""
        ...

    def to_canonical(
        self, frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
    ) -> Canonical:
        """Return the message as a strict producer envelope. ``queue`` is its ``meta.queue`` where the wire has none.

        Raises WireError for a message with defects, and for a name that neither mapping nor default makes a URN of.
        """
        ...

    def canonical_fields(
        self, frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
    ) -> CanonicalFields | None:
        """Return what :meth:`to_canonical` writes, ``meta.ext`` apart; None where it writes no envelope of its own.

        Raises WireError like it.
        """
        ...

    def from_canonical(self, body: bytes, *, mapping: UrnMapping = UNMAPPED) -> Foreign:
        """Return the envelope as a value of this format.

        Raises WireError for a body that is not an envelope, and for a URN that the format has no name for.
        """
        ...


def frames(decoder: Decoder, chunks: Iterable[bytes]) -> Iterator[Frame | WireError]:
    """Yield everything that ``decoder`` makes of the chunks of one stream, in memory bounded by its limits."""
    for chunk in chunks:
        yield from decoder.feed(chunk)
        if decoder.stopped:
            return
    yield from decoder.close()
