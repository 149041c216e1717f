"""Hypothesis strategies for messages of the foreign formats and for canonical envelopes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from babelreg.wire.formats.phpmq.models import PacketMessage

__all__ = ["canonical_bodies", "flowlayer_messages", "json_objects", "names", "phpmq_messages", "strata_messages"]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.text("abcz019._-", min_size=1, max_size=8)
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(TEXT, below, max_size=3),
    max_leaves=6,
)  # fmt: skip
json_objects = st.dictionaries(TEXT, _values, max_size=4)
_ids = st.uuids().map(str) | st.text(min_size=1, max_size=6).filter(lambda text: text.isprintable()) | st.just("cmd-42")
_extra = st.dictionaries(st.sampled_from(["scope", "x", "a/b", "~"]), _values, max_size=2)
_instants = st.sampled_from(
    ["2026-04-25T10:00:00Z", "2026-04-25T10:00:00.123456+02:00", "soon", "1969-12-31T23:59:59Z"]
)
_payloads = json_objects | st.builds(lambda data, at: {**data, "timestamp": at}, json_objects, _instants)


def _given(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any subset of these members."""
    return st.fixed_dictionaries({}, optional=members)


flowlayer_messages = st.one_of(
    st.builds(
        lambda head, payload, extra: {"type": "command", **head, **payload, **extra},
        st.fixed_dictionaries({"id": _ids, "name": names}), _given(payload=_payloads | st.none()), _extra,
    ),
    st.builds(
        lambda head, payload, extra: {"type": "event", **head, **payload, **extra},
        st.fixed_dictionaries({"name": names}, optional={"id": _ids | st.none()}), _given(payload=_payloads | st.none()),
        _extra,
    ),
    st.builds(
        lambda identity, flag, rest: {"type": "ack", "id": identity, "payload": {"accepted": flag, **rest}},
        _ids, st.booleans(), _given(x=_values),
    ),
    st.builds(
        lambda identity, flag, rest: {"type": "result", "id": identity, "payload": {"ok": flag, **rest}},
        _ids, st.booleans(), _given(data=_values, failed_services=st.lists(TEXT)),
    ),
    st.builds(
        lambda head, code: {"type": "error", **head, "payload": {"code": code, "message": "m"}},
        _given(id=_ids | st.none()), st.sampled_from(["invalid_json", "oops"]),
    ),
)  # fmt: skip
"""Messages without defects whose names need no mapping."""

_strata_ids = st.text("ABCabc019", min_size=20, max_size=20) | _ids
_timestamps = st.sampled_from(["2024-06-25T04:08:22.000Z", "2024-06-25T06:08:22.123456+02:00", "1969-01-01T00:00:00Z",
                               "not a time"])  # fmt: skip
_head = {
    "id": _strata_ids,
    "context": st.text("abz-09", min_size=1, max_size=6).filter(lambda name: name != "strata"),
    "operation": names.filter(lambda name: not name.endswith(".response")),
    "timestamp": _timestamps,
}


def _authorised(outer: dict[str, object], inner: dict[str, object]) -> dict[str, object]:
    """Metadata with a secret at its top and one deeper, whatever JSON each is."""
    return {**outer, "auth": {"token": "S3CRET"}, "calls": [{**inner, "auth": "S3CRET"}]}


_secret = st.sampled_from(["S3CRET", "Bearer S3CRET"])
_tracing = {
    "metadata": json_objects | st.builds(_authorised, json_objects, json_objects),
    "auth": _secret,
    "priorRequest": TEXT,
    "client": TEXT,
    "requestChain": st.lists(TEXT, max_size=3),
    "payload": json_objects,
}
_response_message = st.fixed_dictionaries(
    {"severity": st.sampled_from(["error", "warning", "info", "debug"]), "message": TEXT},
    optional={"code": TEXT, "type": TEXT, "details": json_objects, "stack": st.just("S3CRET")},
)
_commands = st.one_of(
    st.fixed_dictionaries({"id": _ids, "command": st.just("info")}, optional={"responseChannel": names}),
    st.fixed_dictionaries(
        {
            "id": _ids,
            "command": st.just("concurrency"),
            "payload": st.fixed_dictionaries({"concurrency": st.integers(0, 9)}),
        }
    ),
    st.fixed_dictionaries(
        {"id": _ids, "command": st.just("shutdown")}, optional={"payload": _given(graceful=st.booleans())}
    ),
    st.fixed_dictionaries({"id": _ids, "command": st.just("toobusy")}, optional={"payload": json_objects}),
)
_command_extra = st.dictionaries(
    st.sampled_from(["x", "timestamp", "context", "metadata", "requestChain", "priorRequest", "status"]),
    TEXT,
    max_size=2,
)
strata_messages = st.one_of(
    st.builds(
        lambda rest, extra: {"messageType": "request", **rest, **extra},
        st.fixed_dictionaries(_head, optional={**_tracing, "responseQueue": TEXT, "timeout": st.integers(0, 9)}), _extra,
    ),
    st.builds(
        lambda rest, extra: {"messageType": "post", **rest, **extra}, st.fixed_dictionaries(_head, optional=_tracing), _extra
    ),
    st.builds(
        lambda rest, extra: {"messageType": "response", **rest, **extra},
        st.fixed_dictionaries(
            {**_head, "status": st.sampled_from(["succeeded", "failed", "pending"])},
            optional={"payload": json_objects, "messages": st.lists(_response_message, max_size=3), "service": TEXT},
        ), _extra,
    ),
    st.builds(lambda command, extra: {**command, **extra}, _commands, _command_extra),
    st.fixed_dictionaries({"id": _ids}, optional={"payload": json_objects}),
)  # fmt: skip
"""Messages without defects, as a lenient reader takes them, whose names need no mapping."""

_octets = st.binary(max_size=20) | TEXT.map(str.encode)
_int64 = st.integers(-(2**63), 2**63 - 1)
_queues = names.map(str.encode)
_server_ids = st.binary(min_size=16, max_size=16).map(lambda raw: raw.hex().encode()) | _octets
phpmq_messages = st.one_of(
    st.builds(lambda q, c, t: PacketMessage(1, q, content=c, ttl=t), _queues, _octets, _int64),
    st.builds(lambda q, n: PacketMessage(2, q, message_count=n), _queues, _int64),
    st.builds(lambda q, c, i, t: PacketMessage(3, q, c, i, ttl=t), _queues, _octets, _server_ids, _int64),
    st.builds(lambda q, i: PacketMessage(4, q, message_id=i), _queues, _octets),
    st.builds(lambda q, i, t: PacketMessage(5, q, message_id=i, ttl=t), _queues, _octets, _int64),
    st.builds(lambda q, i: PacketMessage(6, q, message_id=i), _queues, _octets),
)
"""Messages whose queues need no mapping."""


@st.composite
def canonical_bodies(
    draw: st.DrawFn, jobs: st.SearchStrategy[str], data: st.SearchStrategy[Any] = json_objects
) -> bytes:
    """Envelopes as they may be read: retried, dead-lettered, with extensions and unknown keys."""
    document: dict[str, Any] = {
        "job": draw(jobs),
        "trace_id": str(draw(st.uuids())),
        "data": draw(data),
        "meta": {
            "id": str(draw(st.uuids())),
            "queue": draw(names),
            "lang": draw(st.sampled_from(["php", "go", "python", "cobol"])),
            "schema_version": 1,
            "created_at": draw(st.integers(0, 4_000_000_000_000)),
            **draw(_given(x=_values, ext=st.dictionaries(st.sampled_from(["acme", "a/b"]), json_objects, max_size=2))),
        },
        "attempts": draw(st.integers(0, 3)),
        **draw(_given(dead_letter=st.just({"reason": "failed"}), y=_values)),
    }
    return json.dumps(document, ensure_ascii=False).encode()
