"""Checks of one event in its JSON form, by the specification.

The order: required attributes, other attributes of the specification, extensions, data. ``compat`` takes names with
letters in upper case, an empty subject, and text beyond ASCII in URIs, as most SDKs do; a null attribute is absent.
Source: CloudEvents 1.0.2, "Context Attributes" and "JSON Event Format".
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from babelreg.finding import Severity
from babelreg.wire.bridge import instant
from babelreg.wire.compact_json import unwritable
from babelreg.wire.format import Diagnostic, Profile
from babelreg.wire.formats.cloudevents.attributes import (
    DATA,
    OPTIONAL,
    REQUIRED,
    SPECIFICATION,
    is_attribute_name,
    is_media_type,
    is_uri,
    is_uri_reference,
)
from babelreg.wire.formats.cloudevents.schema import compiled

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_LONGEST_NAME = 20
_INT32 = 2**31


@cache
def _plain_events() -> Validator:
    return compiled()


def validate(value: dict[str, Any], *, profile: Profile | None = None) -> list[Diagnostic]:
    strict = profile == "strict"
    if not strict:
        try:
            if _plain_events().is_valid(value):
                return []
        except (TypeError, ValueError):
            pass  # found below
    defects = [*_required(value, strict), *_optional(value, strict), *_extensions(value, strict), *_data(value)]
    if strict and not any(defect.severity is Severity.ERROR for defect in defects):
        defects += unwritable(value)
    return defects


def _required(value: dict[str, Any], strict: bool) -> Iterator[Diagnostic]:
    for name in REQUIRED:
        text = value.get(name)
        if text is None:
            yield Diagnostic("missing_attribute", f"/{name}", f"{name} is missing")
        elif not isinstance(text, str):
            yield _mistyped(name)
        elif not text.strip():
            yield Diagnostic("missing_attribute", f"/{name}", f"{name} is empty")
        elif name == "specversion" and text != SPECIFICATION:
            yield Diagnostic("unsupported_specversion", f"/{name}", f"specversion is not {SPECIFICATION}")
        elif name == "source" and not is_uri_reference(text):
            yield Diagnostic("invalid_uri", f"/{name}", "source is not a URI reference", _uri_severity(text, strict))


def _optional(value: dict[str, Any], strict: bool) -> Iterator[Diagnostic]:
    for name in OPTIONAL:
        text = value.get(name)
        if text is None:
            continue
        if not isinstance(text, str):
            yield _mistyped(name)
        elif name == "time" and instant(text) is None:
            yield Diagnostic("invalid_time", f"/{name}", "time is not an RFC 3339 instant")
        elif name == "datacontenttype" and not is_media_type(text):
            yield Diagnostic("invalid_content_type", f"/{name}", "datacontenttype is not a media type")
        elif name == "dataschema" and not is_uri(text):
            detail = "dataschema is not an absolute URI"
            yield Diagnostic("invalid_uri", f"/{name}", detail, _uri_severity(text, strict))
        elif name == "subject" and strict and not text:
            yield Diagnostic("missing_attribute", f"/{name}", "subject is empty")


def _extensions(value: dict[str, Any], strict: bool) -> Iterator[Diagnostic]:
    for name, extension in value.items():
        if name in REQUIRED or name in OPTIONAL or name in DATA:
            continue
        pointer = "/" + name.replace("~", "~0").replace("/", "~1")
        if not is_attribute_name(name):
            severity = Severity.ERROR if strict or not is_attribute_name(name.lower()) else Severity.WARNING
            text = "an attribute name has characters other than lower-case letters and digits"
            yield Diagnostic("invalid_attribute_name", pointer, text, severity)
        elif len(name) > _LONGEST_NAME and strict:
            text = f"the name of an attribute is longer than {_LONGEST_NAME} characters"
            yield Diagnostic("long_attribute_name", pointer, text, Severity.WARNING)
        if isinstance(extension, (dict, list, float)) or not _fits(extension):
            text = "an extension is neither a string, a boolean nor an integer of 32 bits"
            yield Diagnostic("wrong_type", pointer, text)


def _fits(extension: Any) -> bool:
    if extension is None or isinstance(extension, (str, bool)):
        return True
    return isinstance(extension, int) and -_INT32 <= extension < _INT32


def _data(value: dict[str, Any]) -> Iterator[Diagnostic]:
    encoded = value.get("data_base64")
    if encoded is None:
        return
    if "data" in value:
        yield Diagnostic("two_payloads", "/data", "data and data_base64 are both present")
    if not isinstance(encoded, str):
        yield _mistyped("data_base64")
        return
    try:
        base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        yield Diagnostic("invalid_base64", "/data_base64", "data_base64 is not base64")


def _uri_severity(text: str, strict: bool) -> Severity:
    """Return the severity of a wrong URI: to a reader a warning, where it only has letters beyond ASCII in it."""
    return Severity.WARNING if not strict and not text.isascii() and is_uri_reference(_ascii(text)) else Severity.ERROR


def _ascii(text: str) -> str:
    return "".join(letter if letter.isascii() else "x" for letter in text)


def _mistyped(name: str) -> Diagnostic:
    return Diagnostic("wrong_type", f"/{name}", f"{name} is not a string")
