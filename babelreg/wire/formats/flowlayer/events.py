"""The documented events of FlowLayer V1 and their payloads. Source: facts F22 to F25."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from babelreg.contract.violation import violations
from babelreg.finding import Severity
from babelreg.schema.dialects import identify
from babelreg.wire.format import Diagnostic

if TYPE_CHECKING:
    from jsonschema_rs import Validator

STATUSES = ("starting", "running", "ready", "stopping", "failed", "stopped", "unknown")
"""The statuses of a service; ``unknown`` occurs in a snapshot only (F24)."""

SCOPES = {
    "command": "private",
    "ack": "private",
    "result": "private",
    "error": "private",
    "hello": "private",
    "snapshot": "private",
    "service_status": "broadcast",
    "log": "broadcast",
}
"""The receivers of each message: the one client, or every client (F25)."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The first event of a connection."""

    protocol_version: int
    server: str
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceState:
    """One service in a snapshot."""

    name: str
    status: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The second event of a connection: every service, sorted by name."""

    services: tuple[ServiceState, ...]


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """A change of one service's status. ``timestamp`` is RFC 3339."""

    service: str
    status: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of a service's output. ``seq`` alone orders and identifies entries; old fixtures lack it."""

    seq: int | None
    service: str
    phase: str
    stream: str
    message: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class Log:
    """One new log entry; best effort, it may be dropped."""

    entry: LogEntry


@dataclass(frozen=True, slots=True)
class LogsPage:
    """The ``data`` of the result of get_logs (F21)."""

    entries: tuple[LogEntry, ...]
    truncated: bool
    effective_limit: int


_TEXT = {"type": "string"}
_ENTRY = {
    "type": "object",
    "required": ["seq", "service", "phase", "stream", "message", "timestamp"],
    "properties": {
        "seq": {"type": "integer"},
        "service": _TEXT,
        "phase": _TEXT,
        "stream": {"enum": ["stdout", "stderr"]},
        "message": _TEXT,
        "timestamp": {"type": "string", "format": "date-time"},
    },
}
PAYLOADS: dict[str, dict[str, Any]] = {
    "hello": {
        "type": "object",
        "required": ["protocol_version", "server", "capabilities"],
        "properties": {
            "protocol_version": {"const": 1},
            "server": {"const": "flowlayer"},
            "capabilities": {"type": "array", "items": _TEXT},
        },
    },
    "snapshot": {
        "type": "object",
        "required": ["services"],
        "properties": {
            "services": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "status"],
                    "properties": {"name": _TEXT, "status": {"enum": list(STATUSES)}},
                },
            }
        },
    },
    "service_status": {
        "type": "object",
        "required": ["service", "status", "timestamp"],
        "properties": {
            "service": _TEXT,
            "status": {"enum": [status for status in STATUSES if status != "unknown"]},
            "timestamp": {"type": "string", "format": "date-time"},
        },
    },
    "log": {"type": "object", "required": ["entry"], "properties": {"entry": _ENTRY}},
}
"""The JSON Schema of each event's payload, as a writer keeps to it."""


def parse(name: str, payload: Mapping[str, Any]) -> Hello | Snapshot | ServiceStatus | Log:
    """Return the typed payload of a documented event.

    Raises KeyError for an unknown event, and for a payload without a required member other than ``seq``.
    """
    if name == "hello":
        return Hello(payload["protocol_version"], payload["server"], tuple(payload.get("capabilities") or ()))
    if name == "snapshot":
        return Snapshot(tuple(ServiceState(state["name"], state["status"]) for state in payload["services"]))
    if name == "service_status":
        return ServiceStatus(payload["service"], payload["status"], payload["timestamp"])
    if name == "log":
        return Log(log_entry(payload["entry"]))
    raise KeyError(name)


def log_entry(entry: Mapping[str, Any]) -> LogEntry:
    """Return one log entry of an event or of a result of get_logs."""
    text = ("service", "phase", "stream", "message", "timestamp")
    return LogEntry(entry.get("seq"), *(entry[key] for key in text))


def logs_page(data: Mapping[str, Any]) -> LogsPage:
    """Return the data of a result of get_logs."""
    return LogsPage(tuple(map(log_entry, data["entries"])), data["truncated"], data["effective_limit"])


def merge_entries(entries: Iterable[LogEntry]) -> list[LogEntry]:
    """Return the entries of several sources by ``seq``, each once; the timestamp is not looked at (F22).

    Entries without ``seq`` come first, in their order.
    """
    numbered: dict[int, LogEntry] = {}
    others = []
    for entry in entries:
        if entry.seq is None:
            others.append(entry)
        else:
            numbered.setdefault(entry.seq, entry)
    return others + [numbered[seq] for seq in sorted(numbered)]


def diagnostics(name: str, payload: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Yield the defects of one event's payload, by the rules for writers."""
    if name not in PAYLOADS:
        yield Diagnostic("unknown_event", "/name", "the event is not documented", Severity.WARNING)
        return
    defects = [
        Diagnostic("invalid_payload", "/payload" + violation.pointer, violation.detail)
        for violation in violations(_validator(name), payload)
    ]
    yield from defects
    if name == "snapshot" and not defects:
        names = [state["name"] for state in payload["services"]]
        if names != sorted(names):
            text = "the services are not sorted by name"
            yield Diagnostic("invalid_payload", "/payload/services", text, Severity.WARNING)


@cache
def _validator(name: str) -> Validator:
    return identify(PAYLOADS[name]).validator_for(PAYLOADS[name])
