"""Parts that all bridges to the canonical envelope share: ids, times, names, and the list of losses.

Nothing here reads a clock or draws a random number. An id that a foreign message lacks is the UUID version 5 of
(format, role, SHA-256 of the message's bytes, occurrence), so that reading the same input again gives the same rows.
Source: facts 5.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from babelreg.contract import emit
from babelreg.contract.emit import EmitError
from babelreg.contract.envelope import Envelope, decoded, fault, type_fault
from babelreg.contract.parse import ParseError, deep, document
from babelreg.finding import Severity
from babelreg.wire.format import CanonicalFields, Diagnostic, Receipt, WireError

_NAMESPACE = uuid.UUID("6f1d6c1e-2f0b-5f5c-9a53-7d2c1b0d9e11")
"""Fixed for good: another value would give every message another id."""

_NAMESPACE_DIGEST = hashlib.sha1(_NAMESPACE.bytes, usedforsecurity=False)
_VARIANTS = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))
_UUID_LENGTH = 36
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_NAME = re.compile(r"[a-z0-9._-]+\Z")
_INSTANT = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)\Z", re.ASCII)
_ISO_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ISO_LENGTH = len("1970-01-01T00:00:00.000Z")
_DAY = "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
CERTAIN_INSTANT = f"^[1-9][0-9]{{3}}-{_DAY}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?Z$"
"""Pattern of instants that are right beyond doubt; 29 February needs a calendar."""

_KNOWN = frozenset({"job", "trace_id", "data", "meta", "attempts", "dead_letter"})

CONVERTED_LANGUAGE = "python"
"""``meta.lang`` of an envelope that a bridge makes: the language of the producing code, which is this (E12)."""

LOSS_CODES = {
    "member_lost": "a member has no field in the other format",
    "secret_removed": "a secret is not copied into the canonical form",
}


def is_uuid(text: Any) -> bool:
    """Return True for a string in the form of a UUID."""
    return isinstance(text, str) and len(text) == _UUID_LENGTH and _UUID.match(text) is not None


def derived_uuid(name: str) -> str:
    """Return the UUID version 5 of a name in babelreg's own namespace."""
    digest = _NAMESPACE_DIGEST.copy()
    digest.update(name.encode("utf-8", "surrogatepass"))
    text = digest.hexdigest()
    variant = _VARIANTS[text[16]]  # RFC 9562, 4.1: the two highest bits are 1 and 0
    return f"{text[:8]}-{text[8:12]}-5{text[13:16]}-{variant}{text[17:20]}-{text[20:32]}"


def uuid_of(format_name: str, identity: str) -> str:
    """Return ``identity`` itself where it is a UUID, else the one derived from format and identity."""
    return identity if is_uuid(identity) else derived_uuid(f"{format_name}:{identity}")


def occurrence_uuid(format_name: str, role: str, raw: bytes, receipt: Receipt) -> str:
    """Return the id of a message that has none, from its bytes and its occurrence."""
    return derived_uuid(f"{format_name}:{role}:{_digest(raw)}:{receipt.occurrence}")


@lru_cache(maxsize=1)
def _digest(raw: bytes) -> str:
    # Kept, because a message without ids asks for two.
    return hashlib.sha256(raw).hexdigest()


def name_fits(name: str) -> bool:
    """Return True for a name that can be part of a URN as it is (U6)."""
    return _NAME.match(name) is not None


def instant(text: Any) -> int | None:
    """Return an RFC 3339 instant in Unix milliseconds, finer digits cut off; None for anything else."""
    if not isinstance(text, str):
        return None
    return _read_instant(text) if _has_iso_form(text) else _instant(text)


def _has_iso_form(text: str) -> bool:
    """Return True for texts that :func:`iso_instant` may have written; nearly all are such."""
    return (
        len(text) == _ISO_LENGTH
        and text[23] == "Z"
        and text[10] == "T"
        and text[19] == "."
        and text[4] == text[7] == "-"
        and text[13] == text[16] == ":"
    )


def _read_instant(text: str) -> int | None:
    """Return an instant with Z, of microseconds at most."""
    if text[11:13] == "24":  # which newer releases of Python read as the next day
        return None
    try:
        since = datetime.fromisoformat(text) - _EPOCH
    except ValueError:
        return None
    # Less than half of the time that a division by a millisecond takes.
    return since.days * 86_400_000 + since.seconds * 1_000 + since.microseconds // 1_000


@lru_cache(maxsize=64)
def _instant(text: str) -> int | None:
    # Kept, because a bridge asks for the same instant when it validates a message, converts it and compares.
    match = _INSTANT.match(text)
    if match is None:
        return None
    *parts, fraction, offset = match.groups()
    hours, minutes = (0, 0) if offset in "Zz" else (int(offset[1:3]), int(offset[4:6]))
    if hours > 23 or minutes > 59:
        return None
    try:
        local = datetime(*map(int, parts), tzinfo=UTC)  # type: ignore[misc,arg-type]
    except ValueError:
        return None
    east = timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
    seconds = (local - _EPOCH - east) // timedelta(seconds=1)
    return seconds * 1000 + int(((fraction or "") + "000")[:3])


def is_iso_instant(text: str) -> bool:
    """Return True for an instant in the form that :func:`iso_instant` writes."""
    return _ISO_INSTANT.match(text) is not None and instant(text) is not None


def iso_instant(milliseconds: int) -> str | None:
    """Return Unix milliseconds in the form of JavaScript's toISOString; None beyond the years 1 to 9999."""
    try:
        moment = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
    return moment.strftime(f"{moment.year:04}-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03}Z"


def canonical_body(format_name: str, fields: CanonicalFields, ext: Mapping[str, Any], receipt: Receipt) -> bytes:
    """Return the strict producer envelope, with ``ext`` at ``meta.ext.<format>`` and the source of a receive time.

    Raises WireError for values without a form in JSON.
    """
    block = dict(ext)
    created_at, is_receipt = fields.instant(receipt)
    if is_receipt:
        block["received_from"] = receipt.clock
    meta = {
        "id": fields.message_id,
        "queue": fields.queue,
        "lang": CONVERTED_LANGUAGE,
        "schema_version": 1,
        "created_at": created_at,
        "ext": {format_name: block},
    }
    envelope = {"job": fields.job, "trace_id": fields.trace_id, "data": fields.data, "meta": meta, "attempts": 0}
    try:
        with deep():
            return emit.encode_parsed(envelope)
    except EmitError as err:
        raise WireError(err.fault.reason, err.fault.detail, pointer=err.fault.pointer) from None


def envelope_of(body: bytes) -> Envelope:
    """Return the envelope that a bridge converts.

    Raises WireError for a body that a reader must not handle.
    """
    try:
        parsed = document(body)
    except ParseError as err:
        raise WireError(err.reason, err.detail, offset=err.offset, pointer=err.pointer) from None
    wrong = type_fault(parsed)
    if wrong is None:
        envelope = decoded(parsed)
        wrong = fault(envelope)
        if wrong is None:
            return envelope
    raise WireError(wrong.reason, wrong.detail, pointer=wrong.pointer)


def extension(envelope: Envelope, format_name: str) -> dict[str, Any]:
    """Return ``meta.ext.<format>``; empty where there is none."""
    ext = envelope.meta.get("ext")
    block = ext.get(format_name) if isinstance(ext, dict) else None
    return block if isinstance(block, dict) else {}


def loss(pointer: str, detail: str, code: str = "member_lost") -> Diagnostic:
    """Return one loss of a conversion."""
    return Diagnostic(code, pointer, detail, Severity.INFO)


def export_losses(envelope: Envelope, format_name: str, preserved: Collection[str]) -> list[Diagnostic]:
    """Return the members of an envelope that a foreign format has no field for, but for the pointers ``preserved``."""
    root, meta = envelope.document, envelope.meta
    present = [f"/{key}" for key in ("trace_id",) if root.get(key) is not None]
    present += [f"/meta/{_step(key)}" for key in meta if key not in ("schema_version", "ext")]
    ext = meta.get("ext")
    if isinstance(ext, dict):
        present += [f"/meta/ext/{_step(key)}" for key in ext if key != format_name]
    elif "ext" in meta:
        present.append("/meta/ext")
    present += ["/attempts"] if root.get("attempts") else []
    present += [f"/{_step(key)}" for key in root if key == "dead_letter" or key not in _KNOWN]
    return [loss(pointer, f"{format_name} has no field for it") for pointer in present if pointer not in preserved]


def _step(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
