"""Codec of CloudEvents in structured, batched and binary mode.

An event is a JSON object, an item of an array, or attributes in headers beside its data. Whatever the mode, the value
is the JSON object of structured mode. Source: CloudEvents 1.0.2, "JSON Event Format" 2 to 4, "Kafka Protocol Binding"
3, "AMQP Protocol Binding" 3.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from babelreg.contract.parse import MAX_BYTES, ParseError, bare
from babelreg.wire.compact_json import json_bytes, wire_error
from babelreg.wire.format import Limits, Profile, WireError, raise_first_error
from babelreg.wire.formats.cloudevents.attributes import STRUCTURED, is_batch, is_json, media_type
from babelreg.wire.formats.cloudevents.check import validate
from babelreg.wire.message_headers import Header, HeadersError, has_headers, unpack

limits = Limits(MAX_BYTES)

_PREFIXES = ("ce_", "ce-", "cloudevents_", "cloudevents:")
"""Of attributes among the headers of Kafka, of HTTP and NATS, and of AMQP (two spellings)."""

_HTTP_PREFIX = "ce-"
"""Values of these are percent-encoded. Source: "HTTP Protocol Binding" 3.1.3.2."""

_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)


def decode(raw: bytes, *, profile: Profile | None = None) -> dict[str, Any]:
    """Return one event as a JSON object. Both profiles decode alike.

    ``raw`` is a JSON object, or a message with its headers (see ``message_headers``). Raises WireError.
    """
    if not has_headers(raw):
        return _structured(raw)
    headers, body = _unpacked(raw)
    named = _by_name(headers)
    kind = named.get("content-type")
    if kind is not None and media_type(kind).startswith(STRUCTURED):
        return _structured(body)
    attributes = _attributes(headers)
    if not attributes and kind is None:
        return _structured(body)
    if not attributes:
        raise WireError(
            "not_an_event", "neither the headers nor the content type identify the message as an event", offset=0
        )
    return _binary(attributes, kind, body)


def encode(value: Mapping[str, Any]) -> bytes:
    """Return the event in structured mode: compact UTF-8, members in the order given.

    Raises WireError for an event that breaks a rule of the specification.
    """
    document = dict(value)
    raise_first_error(validate(document, profile="strict"))
    return json_bytes(document)


def carries_attributes(raw: bytes) -> bool:
    """Return True for a message whose headers have attributes, or the content type of an event."""
    try:
        headers, _ = _unpacked(raw)
        kind = _by_name(headers).get("content-type", "")
        return bool(_attributes(headers)) or media_type(kind).startswith(STRUCTURED)
    except WireError:
        return False


def _unpacked(raw: bytes) -> tuple[list[Header], bytes]:
    try:
        return unpack(raw)
    except HeadersError as err:
        raise WireError("invalid_headers", err.message, offset=0) from None


def divide(raw: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the events of one text with their offsets: the items of an array, else the text itself.

    A damaged item costs no other; of an array whose brackets do not match, nothing is divided.
    """
    text = raw.lstrip()
    if not text.startswith(b"["):
        yield raw, 0
        return
    spans = _items(raw, len(raw) - len(text))
    if spans is None:
        yield raw, 0
        return
    for start, end in spans:
        part = raw[start:end].strip()
        yield part, start + len(raw[start:end]) - len(raw[start:end].lstrip())


def _items(raw: bytes, first: int) -> list[tuple[int, int]] | None:
    """Return the spans of the items of the array that begins at ``first``; None where it does not end with the text."""
    spans, depth, start = [], 0, first + 1
    for token in _TOKENS.finditer(raw, first):
        text = token[0]
        if text in b"[{":
            depth += 1
        elif text in b"]}":
            depth -= 1
        if depth == 1 and text == b",":
            spans.append((start, token.start()))
            start = token.end()
        elif depth == 0:
            if text != b"]" or raw[token.end() :].strip():
                return None
            last = raw[start : token.start()]
            return spans + ([(start, token.start())] if last.strip() or spans else [])
    return None


def _structured(raw: bytes) -> dict[str, Any]:
    try:
        value = bare(raw, limits.message_bytes)
    except ParseError as err:
        raise wire_error(err) from None
    if type(value) is list:
        raise WireError("batch_not_divided", "a batch of events is one message per line, without headers", offset=0)
    if type(value) is not dict:
        raise WireError("root_not_an_object", "the event is not a JSON object", offset=0)
    return value


def _binary(attributes: dict[str, str], kind: str | None, body: bytes) -> dict[str, Any]:
    """Return the event of attributes in headers and data in the body."""
    if is_batch(kind):
        raise WireError("batch_not_divided", "a batch has no attributes in headers", offset=0)
    value: dict[str, Any] = dict(attributes)
    if kind is not None:
        value["datacontenttype"] = kind
    if not body:
        return value
    if kind is None or is_json(kind):
        try:
            return value | {"data": bare(body, limits.message_bytes)}
        except ParseError as err:
            if kind is not None or err.reason == "too_large":
                raise WireError(err.reason, f"data: {err.detail}", pointer="/data") from None
    return value | {"data_base64": base64.b64encode(body).decode("ascii")}


def _by_name(headers: Sequence[Header]) -> dict[str, str]:
    """Return the headers that are text, by their names in lower case; of equal names the last."""
    return {name.lower().replace("_", "-"): _text(value, name) for name, value in headers if value is not None}


def _attributes(headers: Sequence[Header]) -> dict[str, str]:
    attributes = {}
    for name, value in headers:
        lowered = name.lower()
        prefix = next((prefix for prefix in _PREFIXES if lowered.startswith(prefix)), None)
        if prefix is not None and value is not None:
            text = _text(value, name)
            attributes[lowered.removeprefix(prefix)] = unquote(text) if prefix == _HTTP_PREFIX else text
    return attributes


def _text(value: bytes, name: str) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        if name.lower().startswith(_PREFIXES) or name.lower() == "content-type":
            raise WireError("invalid_headers", "an attribute among the headers is not UTF-8", offset=0) from None
        return ""
