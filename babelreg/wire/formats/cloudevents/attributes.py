"""Attributes of events: their names and values, and media types of data.

Source: CloudEvents 1.0.2, "Context Attributes" and "Type System"; RFC 2046, RFC 3986.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

SPECIFICATION = "1.0"
REQUIRED = ("specversion", "id", "source", "type")
OPTIONAL = ("datacontenttype", "dataschema", "subject", "time")
DATA = ("data", "data_base64")
STRUCTURED = "application/cloudevents"
"""The begin of the media types of an event in structured mode, and of a batch."""

CODES: Mapping[str, str] = {
    "missing_attribute": "a required attribute is missing, null or empty",
    "unsupported_specversion": "specversion is not 1.0",
    "wrong_type": "an attribute has the wrong JSON type",
    "invalid_attribute_name": "an attribute name has characters other than lower-case letters and digits",
    "invalid_uri": "source is not a URI reference, or dataschema not an absolute URI",
    "invalid_time": "time is not an RFC 3339 instant",
    "invalid_content_type": "datacontenttype is not a media type",
    "invalid_base64": "data_base64 is not base64",
    "two_payloads": "data and data_base64 are both present",
    "long_attribute_name": "the name of an attribute is longer than 20 characters",
    "missing_time": "the event has no time, and wires.cloudevents.time is not received",
    "binary_data": "the data is binary: data_base64, or a body that is not JSON",
    "content_type_not_json": "the content type of the data is not JSON",
    "data_not_an_object": "the data is JSON, but not an object",
    "batch_not_divided": "a batch of events was sent where a single event is expected",
    "not_an_event": "neither the headers nor the content type identify the message as an event",
    "invalid_headers": "the headers of a message cannot be read",
}

_NAME = re.compile(r"[a-z0-9]+\Z")
_MEDIA_TYPE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)/([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;.*)?\Z", re.DOTALL)
_JSON_TYPE = re.compile(r"[^/]+/(?:json|[^/]+\+json)\Z")
_URI_REFERENCE = re.compile(r"(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+\Z")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.", re.DOTALL)


def is_attribute_name(name: str) -> bool:
    """Return True for lower-case letters and digits."""
    return _NAME.match(name) is not None


def is_media_type(text: Any) -> bool:
    """Return True for a media type, with parameters or without."""
    return isinstance(text, str) and _MEDIA_TYPE.match(text) is not None


def media_type(text: str) -> str:
    """Return a media type without its parameters, in lower case."""
    return text.partition(";")[0].strip().lower()


@lru_cache(maxsize=64)
def is_json(text: str) -> bool:
    """Return True for the media types of JSON."""
    return _JSON_TYPE.match(media_type(text)) is not None


def is_batch(text: str | None) -> bool:
    """Return True for the media type of a batch of events."""
    return text is not None and media_type(text).startswith(f"{STRUCTURED}-batch")


def is_uri_reference(text: Any) -> bool:
    """Return True for the characters of a URI reference, which no blank and no letter beyond ASCII is."""
    return isinstance(text, str) and _URI_REFERENCE.match(text) is not None


def is_uri(text: Any) -> bool:
    """Return True for a URI reference with a scheme."""
    return is_uri_reference(text) and _SCHEME.match(text) is not None
