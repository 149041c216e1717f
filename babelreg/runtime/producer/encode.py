"""Validated and encoded envelopes of outgoing messages.

Nothing here accesses a broker or a database, so all messages of a batch can be encoded before the first is sent.

The envelope is byte for byte what ``babelqueue.EnvelopeCodec`` would produce from the same data in its interop form.
It is assembled here because EnvelopeCodec takes longer than all other steps of sending together.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeVar

import orjson

from babelreg.contract import Contract
from babelreg.runtime.bytes import interop_json
from babelreg.runtime.context import current, is_uuid
from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.message import MessageType
from babelreg.runtime.validators import require_validators
from babelreg.schema import pointer

if TYPE_CHECKING:
    from jsonschema_rs import Validator

    from babelreg.schema.validation_cost import BoundedValidator

T = TypeVar("T")

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_MAX_EXACT = 2**53 - 1
_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


class EncodedMessage(NamedTuple):
    """One validated message. ``body`` is the encoded envelope, valid UTF-8 JSON."""

    message_id: str
    queue: str
    body: str
    trace_id: str = ""


class Encoder(Generic[T]):
    """Validates and encodes messages of one kind for one queue. Raises SchemaError where no validator can be built."""

    def __init__(
        self, message: MessageType[T], queue: str, report: Callable[[InvalidDataError], None] | None = None
    ) -> None:
        """``report`` takes what would be refused, and data that has a form in JSON is encoded all the same."""
        self._message = message
        self._queue = queue
        self._report = report
        self._instance = message.instance or message.model
        self._head = f'{{"job":{_ENCODE(message.urn)},"trace_id":'
        self._meta = f'","queue":{_ENCODE(queue)},"lang":"python","schema_version":1,"created_at":'
        self._valid: Callable[[Any], bool] = _validator(message).is_valid

    def encode(self, data: T, trace_id: str | None = None) -> EncodedMessage:
        """Return the envelope of ``data``. ``trace_id`` is a UUID; the default is that of the message being handled.

        Raises InvalidDataError when the data violates its contract; TypeError for the data of another message.
        """
        encoded = _encoded(self._message.urn, self.values(data))
        message_id, another_id = two_uuids()
        if trace_id is None and (handled := current()) is not None:
            trace_id = handled.trace_id
            trace = _text(trace_id)  # unchanged, with surrounding blanks (N4)
        else:
            trace_id = trace_id or another_id
            trace = f'"{trace_id}"'
        meta = f'"meta":{{"id":"{message_id}{self._meta}{int(time.time() * 1000)}}}'
        body = f'{self._head}{trace},"data":{encoded},{meta},"attempts":0}}'
        return EncodedMessage(message_id, self._queue, body, trace_id)

    def values(self, data: T) -> dict[str, Any]:
        """Return ``data`` as JSON values that satisfy the contract; raises as :meth:`encode` does."""
        message = self._message
        if not isinstance(data, self._instance):
            raise TypeError(f"{message.urn} takes {message.model.__name__}, not {type(data).__name__}")
        values = message.dump(data)
        try:
            self._check(values)
        except InvalidDataError as error:
            if self._report is None or error.reason == "not_json":
                raise
            self._report(error)
        return values

    def _check(self, values: dict[str, Any]) -> None:
        message = self._message
        self._validate(values)
        if message.node_consumers and (beyond := first_beyond_double(values)) is not None:
            detail = f"{beyond[1]}, which {', '.join(message.node_consumers)} would round"
            _refuse(message.urn, values, beyond[0], "integer_beyond_double", detail)

    def _validate(self, values: dict[str, Any]) -> None:
        try:
            if self._valid(values):
                return
        except (ValueError, TypeError, RecursionError):
            pass  # reported below
        verdict = _contract(self._message).data_verdict(self._message.urn, values)
        reason, detail = verdict.reason or "not_checkable", verdict.detail or "data cannot be checked"
        _refuse(self._message.urn, values, verdict.pointer or "", reason, detail)


def checked_trace(trace_id: str | None) -> str | None:
    """Return ``trace_id``, a UUID or None. Raises ValueError for anything else."""
    if trace_id is not None and not is_uuid(trace_id):
        raise ValueError(f"trace_id {str(trace_id)[:64]!r} is not a UUID")
    return trace_id


def two_uuids() -> tuple[str, str]:
    """Return two random UUIDs (version 4) as text, in a fifth of the time of ``uuid.uuid4()``."""
    a = os.urandom(32).hex()
    return (
        f"{a[:8]}-{a[8:12]}-4{a[13:16]}-{_VARIANT[a[16]]}{a[17:20]}-{a[20:32]}",
        f"{a[32:40]}-{a[40:44]}-4{a[45:48]}-{_VARIANT[a[48]]}{a[49:52]}-{a[52:]}",
    )


@cache
def _contract(message: MessageType[Any]) -> Contract:
    strict = (message.urn,) if message.reader == "strict" else ()
    return Contract({message.urn: message.schema}, strict=strict, side="producer")


def _validator(message: MessageType[Any]) -> Validator | BoundedValidator:
    contract = _contract(message)
    require_validators(contract, [message.urn])
    return contract.validator(message.urn)


def _encoded(urn: str, values: dict[str, Any]) -> str:
    try:
        text = interop_json.encode(values)
        text.encode("utf-8")
    except (ValueError, TypeError, RecursionError):
        _refuse(urn, values, "", "not_json", "data has a value that cannot be written as JSON")
    return text


def _text(value: str) -> str:
    """Return ``value`` as JSON; a lone surrogate, which UTF-8 cannot encode, as an escape."""
    try:
        return orjson.dumps(value).decode("utf-8")
    except TypeError:
        return json.dumps(value)


def _refuse(urn: str, values: dict[str, Any], where: str, reason: str, detail: str) -> NoReturn:
    not_json = first_not_json(values)
    if not_json is not None:
        where, detail = not_json
        reason = "not_json"
    try:
        value = pointer.find(values, pointer.parse(where))
    except KeyError:
        value = None
    raise InvalidDataError(urn, where, reason, detail, value)


def first_not_json(values: Any) -> tuple[str, str] | None:
    """Return the first value without a JSON form as ``(RFC 6901 pointer, sentence)``, or None."""
    return _first(values, _problem)


def first_beyond_double(values: Any) -> tuple[str, str] | None:
    """Return the first number that a double may round as ``(RFC 6901 pointer, sentence)``, or None."""
    return _first(values, _beyond_double)


def _first(values: Any, problem_of: Callable[[Any], str | None]) -> tuple[str, str] | None:
    stack: list[tuple[pointer.Pointer, Any]] = [((), values)]
    seen: set[int] = set()
    while stack:
        where, value = stack.pop()
        problem = problem_of(value)
        if problem is not None:
            return pointer.text(where), f"{pointer.text(where) or 'data'} {problem}"
        if isinstance(value, (dict, list, tuple)):
            if id(value) in seen:
                continue
            seen.add(id(value))
            members = value.items() if isinstance(value, dict) else enumerate(value)
            stack += reversed([((*where, step), member) for step, member in members])
    return None


def _problem(value: Any) -> str | None:
    if isinstance(value, str):
        return "contains an unpaired surrogate" if _halved(value) else None
    if isinstance(value, (float, Decimal)):
        return None if math.isfinite(value) else "is NaN or infinite"
    if isinstance(value, dict):
        others = [key for key in value if not isinstance(key, str)]
        if others:
            return f"has a key of type {type(others[0]).__name__}, not a string"
        return "has a key with an unpaired surrogate" if any(map(_halved, value)) else None
    if value is None or isinstance(value, (bool, int, list, tuple)):
        return None
    return f"is of type {type(value).__name__}, which does not exist in JSON"


def _beyond_double(value: Any) -> str | None:
    if isinstance(value, Decimal):
        return None if Decimal(repr(float(value))) == value else "has more digits than a double"
    return "is beyond 2**53 - 1" if isinstance(value, int) and abs(value) > _MAX_EXACT else None


def _halved(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
