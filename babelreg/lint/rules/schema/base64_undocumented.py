"""A field with base64 that is not declared as such.

JSON has no bytes, so they travel as base64, and each consumer must know which field to decode, and into what.
State it: `contentEncoding: base64`, with `contentMediaType` or a description.

Bad::

    urn: urn:babel:media:thumbnail.generated
    data:
      type: object
      properties:
        picture: {type: string, format: byte}

Good::

    urn: urn:babel:media:thumbnail.generated
    data:
      type: object
      properties:
        picture: {type: string, contentEncoding: base64, contentMediaType: image/png}

Fix::

    Write `contentEncoding: base64` beside `type: string`, and say in `contentMediaType` or the description what the
    bytes are. This is an annotation: no message becomes invalid by it. If the field does not hold bytes, correct its
    misleading name, format or pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from babelreg.finding import Severity
from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "standard"

_FORMATS = frozenset({"byte", "binary", "base64", "base64url"})
_NAMES = frozenset({"base64", "b64", "base64url"})
_BYTES = frozenset({"bytes", "blob"})
_SAID = LazyPattern(r"base[ -]?64", re.IGNORECASE)
_PATTERN = LazyPattern(r"A-Za-z0-9\+\\?/|A-Za-z0-9\\\+\\?/|a-zA-Z0-9\+\\?/|a-zA-Z0-9\\\+\\?/")
# Formats of links to a file, not of its content.
_LINKS = frozenset({"uri", "uri-reference", "iri", "iri-reference", "url"})
_BINARY = LazyPattern(
    r"(?:image|audio|video|font)/|application/(?:(?:octet-stream|pdf|zip|gzip|msword|x-tar|x-7z-compressed|protobuf|"
    r"x-protobuf|vnd\.google\.protobuf|avro|cbor|msgpack|wasm|java-archive|x-bzip2|zstd|epub)\Z|vnd\.(?:ms-|openxmlformats-|"
    r"oasis\.opendocument\.|apache\.(?:parquet|avro|arrow)))",
    re.IGNORECASE,
)
_TEXT = LazyPattern(r"\+(?:xml|json|yaml)\Z|/svg", re.IGNORECASE)
# How PNG, JPEG, GIF, PDF, zip and gzip files begin in base64.
_FILES = ("iVBORw0KGgo", "/9j/4", "R0lGOD", "JVBERi0", "UEsDB", "H4sIA")


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields:
        if "string" in field.types or (not field.types and "contentMediaType" in field.schema):
            evidence = _evidence(field)
            if evidence is not None and "contentEncoding" not in field.schema and not _SAID.search(field.description):
                at, reason = evidence
                text = f"{field.shown} has bytes ({reason}) but does not declare their encoding"
                yield Problem(text, field.source, at, fix="contentEncoding: base64", urn=field.urn)


@lru_cache(maxsize=1 << 12)
def _names_bytes(named: tuple[str, ...]) -> bool:
    return not _NAMES.isdisjoint({*named, "".join(named[-2:])}) or not _BYTES.isdisjoint(named[-1:])


def _is_binary(media: str) -> bool:
    kind = media.partition(";")[0].strip()
    return _BINARY.match(kind) is not None and _TEXT.search(kind) is None


def _evidence(field: SchemaField) -> tuple[Pointer, str] | None:
    schema = field.schema
    if isinstance(form := schema.get("format"), str) and form in _FORMATS:
        return (*field.pointer, "format"), f"format {schema['format']}"
    media = schema.get("contentMediaType")
    if isinstance(media, str) and _is_binary(media) and schema.get("format") not in _LINKS:
        return (*field.pointer, "contentMediaType"), f"contentMediaType {media}"
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and _PATTERN.search(pattern) and "=" in pattern:
        return (*field.pointer, "pattern"), "its pattern is that of base64"
    if _names_bytes(field.words):
        return (*field.pointer, "type"), "by its name"
    for value in field.samples():
        if isinstance(value, str) and value.startswith(_FILES):
            return (*field.pointer, "type"), f"its example begins with '{value[:11]}'"
    return None
