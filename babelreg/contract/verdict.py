"""Verdict about a message: parse, then envelope, then schema."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from babelreg.contract import reason as reasons
from babelreg.contract import views
from babelreg.contract.envelope import Envelope, EnvelopeFault, decoded, fault, has_common_shape, type_fault
from babelreg.contract.exact_numbers import may_be_inexact
from babelreg.contract.parse import MAX_BYTES, ParseError, document
from babelreg.contract.violation import Violation, violations
from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify
from babelreg.schema.validation_cost import BoundedValidator, bounded

if TYPE_CHECKING:
    from jsonschema_rs import Validator


class Verdict(NamedTuple):
    """Result of a validation: ``reason`` is None for a valid message, else a code of ``contract.reason``.

    ``pointer`` is RFC 6901, into the message (into the data where bare data was validated). ``detail`` is one sentence
    without values of the data. ``envelope`` is set when the body could be decoded, valid or not.
    """

    reason: str | None = None
    pointer: str | None = None
    detail: str | None = None
    envelope: Envelope | None = None

    @property
    def ok(self) -> bool:
        """True for a valid message."""
        return self.reason is None

    @property
    def kind(self) -> str | None:
        """poison | envelope | unknown_urn | data; None for a valid message."""
        return None if self.reason is None else reasons.kind(self.reason)


class Contract:
    """Validator of the messages of a registry, given as ``{urn: bundled schema}``.

    ``side`` is reader or producer: whose view of the schemas applies. ``strict`` are the URNs whose readers are strict,
    so that both views are the schema as written. A schema is compiled when its first message arrives. ``aliases`` has
    the URN by each other name under which producers send its message; envelopes then have the URN, and their document
    the name that was sent.
    """

    def __init__(
        self,
        schemas: Mapping[str, Any],
        *,
        strict: Collection[str] = (),
        aliases: Mapping[str, str] | None = None,
        side: str = "reader",
        max_bytes: int = MAX_BYTES,
    ) -> None:
        if side not in ("reader", "producer"):
            raise ValueError(f"side must be reader or producer, not {side!r}")
        self._schemas = schemas
        self._strict = frozenset(strict)
        self._aliases = {alias: urn for alias, urn in (aliases or {}).items() if urn in schemas}
        self._view = views.reader_view if side == "reader" else views.producer_view
        self._max_bytes = max_bytes
        self._validators: dict[str, Validator | BoundedValidator] = {}
        self._checks: dict[str, Callable[[Any], bool]] = {}  # by every name under which a message may be sent

    def resolve(self, name: str) -> str:
        """Return the URN of the message that is sent as ``name``; a name that is not an alias as it is."""
        return self._aliases.get(name, name)

    def validator(self, urn: str) -> Validator | BoundedValidator:
        """Return the compiled view of one URN's schema. Formats are asserted.

        Raises KeyError for an unknown URN, SchemaError for a schema that cannot be used.
        """
        if urn not in self._validators:
            schema = self._schemas[urn]
            try:
                dialect = identify(schema)
                view = schema if urn in self._strict else self._view(schema, dialect)
                self._validators[urn] = bounded(dialect.validator_for(view), view, dialect)
            except SchemaError as err:
                raise SchemaError(f"{urn}: {err.message}", place=err.place, fix=err.fix) from err
            self._add_check(urn, self._validators[urn].is_valid)
        return self._validators[urn]

    def _add_check(self, urn: str, check: Callable[[Any], bool]) -> None:
        self._checks[urn] = check
        for alias, target in self._aliases.items():
            if target == urn:
                self._checks[alias] = check

    def verdict(self, body: bytes) -> Verdict:
        """Return the verdict about one message as received from the broker.

        Raises SchemaError when the schema of its URN cannot be used.
        """
        try:
            parsed = document(body, self._max_bytes)
        except ParseError as err:
            return Verdict(err.reason, err.pointer, err.detail)
        if has_common_shape(parsed):
            envelope = Envelope(parsed["job"], parsed)
        else:
            read = _read(parsed)
            if isinstance(read, Verdict):
                return self._resolved_verdict(read)
            envelope = read
        if envelope.urn in self._aliases:
            envelope = self._resolved(envelope)
        urn = envelope.urn
        check = self._checks.get(urn)
        if check is None:
            if urn not in self._schemas:
                return Verdict(
                    "unknown_urn", "/job", f"the registry does not declare the message {_quoted(urn)}", envelope
                )
            check = self.validator(urn).is_valid
        try:
            if check(parsed["data"]):
                return Verdict(None, None, None, envelope)
        except (ValueError, TypeError, RecursionError):
            pass  # reported below
        violation = self._first(urn, parsed["data"])
        return Verdict(violation.reason, "/data" + violation.pointer, violation.detail, envelope)

    def admit(self, body: bytes, exact: bool = False) -> tuple[dict[str, Any], bytes] | None:
        """Return the document of a message that is certainly valid, and its ``data`` as JSON, names sorted.

        None means nothing: call :meth:`verdict`, which agrees with every result. A fast path for callers that write the
        data of many messages: it takes half the time for nearly all of them. ``exact``: it is known that orjson reads
        each number of ``body`` exactly.
        """
        if len(body) > self._max_bytes:
            return None
        try:
            parsed = orjson.loads(body)
            check, data = self._checks[parsed["job"]], parsed["data"]
            written = orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
            if (exact or not may_be_inexact(body)) and has_common_shape(parsed) and check(data):
                return parsed, written
        except (KeyError, ValueError, TypeError, RecursionError):
            pass
        return None

    def decode(self, body: bytes) -> Envelope | Verdict:
        """Return the envelope of a message, its data not validated; or the verdict why it must not be handled."""
        read = decode(body, self._max_bytes)
        return self._resolved_verdict(read) if isinstance(read, Verdict) else self._resolved(read)

    def _resolved(self, envelope: Envelope) -> Envelope:
        return envelope._replace(urn=self.resolve(envelope.urn))

    def _resolved_verdict(self, verdict: Verdict) -> Verdict:
        envelope = verdict.envelope
        return verdict if envelope is None else verdict._replace(envelope=self._resolved(envelope))

    def data_verdict(self, urn: str, data: Any) -> Verdict:
        """Return the verdict about bare data. ``pointer`` is into the data.

        Raises SchemaError when the schema of ``urn`` cannot be used.
        """
        if urn not in self._schemas:
            return Verdict("unknown_urn", "", f"the registry does not declare the message {_quoted(urn)}")
        try:
            if self.validator(urn).is_valid(data):
                return Verdict()
        except (ValueError, TypeError, RecursionError):
            pass  # reported below
        return Verdict(*self._first(urn, data))

    def violations(self, urn: str, data: Any) -> Iterator[Violation]:
        """Yield the reasons why ``data`` is refused, the first few dozen."""
        return violations(self.validator(urn), data)

    def _first(self, urn: str, data: Any) -> Violation:
        unreadable = Violation("not_checkable", "", "data cannot be checked")
        return next(self.violations(urn, data), unreadable)


def decode(body: bytes, max_bytes: int = MAX_BYTES) -> Envelope | Verdict:
    """Return the envelope of a message, its data not validated; or the verdict why it must not be handled."""
    try:
        parsed = document(body, max_bytes)
    except ParseError as err:
        return Verdict(err.reason, err.pointer, err.detail)
    return Envelope(parsed["job"], parsed) if has_common_shape(parsed) else _read(parsed)


def _read(parsed: dict[str, Any]) -> Envelope | Verdict:
    wrong: EnvelopeFault | None = type_fault(parsed)
    if wrong is not None:
        return Verdict(*wrong)
    envelope = decoded(parsed)
    wrong = fault(envelope)
    return envelope if wrong is None else Verdict(*wrong, envelope)


def _quoted(urn: str) -> str:
    return repr(urn if len(urn) <= 100 else urn[:97] + "...")
