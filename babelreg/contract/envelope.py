"""Decoding of envelopes for readers: resolves the URN, drops forbidden keys, checks the members.

Source: BabelQueue, "The Envelope"; facts 1.2 and 1.3 (E1-E39, N1-N14), named at each rule.
"""

from __future__ import annotations

from typing import Any, NamedTuple

SCHEMA_VERSION = 1
ASCII_BLANKS = " \t\n\v\f\r"
"""Characters that are trimmed and count as blank (N3). Never bare ``strip()``: U+00A0 and the like are not blank."""

FORBIDDEN = (("", "timestamp"), ("meta", "max_retries"), ("meta", "attempts"), ("meta", "source"), ("meta", "ts"))
"""Keys of early drafts, with the object that holds them (E34). The root is the empty string."""

_FORBIDDEN_META = frozenset(key for where, key in FORBIDDEN if where == "meta")
_LEAST, _MOST = -(2**63), 2**63 - 1


class EnvelopeWarning(NamedTuple):
    """A tolerated defect: an RFC 6901 pointer into the body, and what the reader did about it."""

    pointer: str
    message: str


class EnvelopeFault(NamedTuple):
    """Reason why a document is not an envelope that may be handled."""

    reason: str
    pointer: str
    detail: str


class Envelope(NamedTuple):
    """One message sent, as decoded. ``data`` and ``meta`` are not to be changed (E19).

    ``urn`` is the URN of its message, also where it was sent under an alias: ``sent_urn`` is the name that was sent.

    ``document`` is the whole envelope: ``job`` holds the identity, ``urn`` and forbidden keys are gone, unknown keys
    are kept (E22, N7). Members that may be absent or null read as None.
    """

    urn: str
    document: dict[str, Any]
    warnings: tuple[EnvelopeWarning, ...] = ()

    @property
    def sent_urn(self) -> str:
        """The name under which it was sent: the URN, or an alias of it."""
        job = self.document.get("job")
        return job if self.urn and type(job) is str else self.urn

    @property
    def trace_id(self) -> str | None:
        return self.document.get("trace_id")

    @property
    def data(self) -> Any:
        return self.document.get("data")

    @property
    def meta(self) -> dict[str, Any]:
        return self.document.get("meta") or {}

    @property
    def attempts(self) -> int | None:
        return self.document.get("attempts")

    @property
    def dead_letter(self) -> dict[str, Any] | None:
        """The block of a message in a dead-letter queue (E36); normal readers ignore it (E37)."""
        return self.document.get("dead_letter")

    @property
    def id(self) -> str | None:
        return self.meta.get("id")

    @property
    def queue(self) -> str | None:
        return self.meta.get("queue")

    @property
    def lang(self) -> str | None:
        return self.meta.get("lang")

    @property
    def created_at(self) -> int | None:
        """Unix milliseconds, UTC."""
        return self.meta.get("created_at")

    @property
    def schema_version(self) -> int | None:
        return self.meta.get("schema_version")


def has_common_shape(document: dict[str, Any]) -> bool:
    """Return True when ``document`` has exactly the members that most messages have; False means nothing.

    ``meta.ext``, which bridges from other formats write, may be there.
    Checks the rules of ``type_fault``, ``decoded`` and ``fault`` at once, for the shape that producers send. ``job`` is
    then the URN. A good message costs no other check of its envelope.
    """
    try:
        meta, attempts, urn, trace_id = document["meta"], document["attempts"], document["job"], document["trace_id"]
        created_at = meta["created_at"]
        return (  # one test a member: a chain of comparisons takes longer (measured)
            len(document) == 5
            and (len(meta) == 5 or (len(meta) == 6 and type(meta["ext"]) is dict))
            and type(meta) is dict
            and type(document["data"]) is dict
            and type(attempts) is int
            and type(created_at) is int
            and type(meta["schema_version"]) is int
            and meta["schema_version"] == SCHEMA_VERSION
            and type(meta["id"]) is str
            and type(meta["queue"]) is str
            and type(meta["lang"]) is str
            and type(trace_id) is str
            and type(urn) is str
            and 0 <= attempts <= _MOST
            and _LEAST <= created_at <= _MOST
            and urn.strip(ASCII_BLANKS) != ""
            and trace_id.strip(ASCII_BLANKS) != ""
        )
    except (KeyError, TypeError):
        return False


def type_fault(document: dict[str, Any]) -> EnvelopeFault | None:
    """Return the first member with a wrong JSON type, or None. Such a body is poison (N9).

    ``job`` and ``urn`` may be anything. null is allowed for every member. Integers must be integer literals of 64
    bits.
    """
    get = document.get
    value = get("trace_id")
    if value is not None and type(value) is not str:
        return _mistyped("/trace_id", "a string")
    value = get("attempts")
    if value is not None and (type(value) is not int or not _LEAST <= value <= _MOST):
        return _no_integer("/attempts")
    value = get("data")
    if value is not None and type(value) is not dict:
        return _mistyped("/data", "an object")
    meta = get("meta")
    if meta is not None:
        if type(meta) is not dict:
            return _mistyped("/meta", "an object")
        wrong = _members(meta, "/meta/", ("id", "queue", "lang"), ("schema_version", "created_at"))
        if wrong is not None:
            return wrong
    if "dead_letter" in document:
        return _dead_letter(document["dead_letter"])
    return None


def _members(
    block: dict[str, Any], where: str, strings: tuple[str, ...], integers: tuple[str, ...]
) -> EnvelopeFault | None:
    get = block.get
    for name in strings:
        value = get(name)
        if value is not None and type(value) is not str:
            return _mistyped(where + name, "a string")
    for name in integers:
        value = get(name)
        if value is not None and (type(value) is not int or not _LEAST <= value <= _MOST):
            return _no_integer(where + name)
    return None


def _dead_letter(block: Any) -> EnvelopeFault | None:
    if block is None:
        return None
    if type(block) is not dict:
        return _mistyped("/dead_letter", "an object")
    strings = ("reason", "error", "exception", "original_queue", "lang")
    return _members(block, "/dead_letter/", strings, ("failed_at", "attempts"))


def _mistyped(pointer: str, wanted: str) -> EnvelopeFault:
    return EnvelopeFault("wrong_member_type", pointer, f"{pointer[1:].replace('/', '.')} is not {wanted}")


def _no_integer(pointer: str) -> EnvelopeFault:
    return EnvelopeFault(
        "not_an_int64", pointer, f"{pointer[1:].replace('/', '.')} is not an integer literal of 64 bits"
    )


def decoded(document: dict[str, Any]) -> Envelope:
    """Return the envelope in ``document``, which is changed: ``urn`` folded into ``job``, forbidden keys dropped.

    The URN is the empty string when there is none. ``document`` must have no :func:`type_fault`.
    """
    warnings: list[EnvelopeWarning] = []
    if "timestamp" in document:
        _drop(document, "", "timestamp", warnings)
    meta = document.get("meta")
    if meta is not None and not _FORBIDDEN_META.isdisjoint(meta):
        for where, key in FORBIDDEN[1:]:
            if key in meta:
                _drop(meta, where, key, warnings)
    urn = document.get("job")
    if type(urn) is not str or "urn" in document or not urn.strip(ASCII_BLANKS):
        urn = _folded(document, warnings)
    return Envelope(urn, document, tuple(warnings))


def _drop(block: dict[str, Any], where: str, key: str, warnings: list[EnvelopeWarning]) -> None:
    # E35: decoding warns, drops and never passes it on
    del block[key]
    pointer = f"/{where}/{key}" if where else f"/{key}"
    warnings.append(EnvelopeWarning(pointer, f"dropped the forbidden key {pointer}"))


def _folded(document: dict[str, Any], warnings: list[EnvelopeWarning]) -> str:
    """Return the URN by E5, N5 and N6: ``job``, else ``urn``, which becomes ``job``."""
    job, alias = document.get("job"), document.pop("urn", None)
    has_alias = type(alias) is str and alias.strip(ASCII_BLANKS) != ""
    if "job" in document and type(job) is not str:
        warnings.append(EnvelopeWarning("/job", "ignored job, which is not a string"))
    elif isinstance(job, str) and job.strip(ASCII_BLANKS):
        if alias is not None:
            warnings.append(EnvelopeWarning("/urn", "dropped urn, because job names the message"))
        return job
    if not has_alias:
        return ""
    document["job"] = alias
    return str(alias)


def fault(envelope: Envelope) -> EnvelopeFault | None:
    """Return why a reader must not handle this envelope, or None. Order as upstream; ``lang`` is not checked (E13)."""
    document = envelope.document
    if not envelope.urn:
        return EnvelopeFault("missing_urn", "/job", "neither job nor urn is a non-blank string")
    meta = document.get("meta")
    if meta is None:
        return EnvelopeFault("missing_meta", "/meta", "meta is missing")
    if meta.get("schema_version") != SCHEMA_VERSION:
        return EnvelopeFault("unsupported_schema_version", "/meta/schema_version", "meta.schema_version is not 1")
    if document.get("data") is None:
        return EnvelopeFault("invalid_data", "/data", "data is missing")
    trace_id = document.get("trace_id")
    if trace_id is None or not trace_id.strip(ASCII_BLANKS):
        return EnvelopeFault("missing_trace_id", "/trace_id", "trace_id is missing or blank")
    attempts = document.get("attempts")
    if attempts is None or attempts < 0:
        return EnvelopeFault("invalid_attempts", "/attempts", "attempts is missing or negative")
    return None
