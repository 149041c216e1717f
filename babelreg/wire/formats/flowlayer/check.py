"""Validation of FlowLayer envelopes, with the codes of the page.

The order of the checks: invalid_json, missing_type, unknown_type, missing_id, missing_name, invalid_payload. It is the
order of the page's table. The reference decodes into typed fields first, so a ``type``, ``id`` or ``name`` of another
JSON type than string is invalid_json, and null is absent (facts 2.2, 7: a guess, the server is closed source).

The profile strict adds what writers keep to: documented commands, events and error codes with their payloads, no
``error`` that says nothing, no unknown members, no value without a form in JSON. Source: facts F2 to F24.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.wire.bridge import is_uuid
from babelreg.wire.compact_json import unwritable
from babelreg.wire.format import Code, Diagnostic, Profile
from babelreg.wire.formats.flowlayer import commands, events
from babelreg.wire.formats.flowlayer.schema import ENVELOPE_MEMBERS, TYPES, compiled

CODES: Mapping[str, Code] = {
    "invalid_json": Code("the frame is not a JSON object with string members type, id and name", published=True),
    "missing_type": Code("type is missing or empty", published=True),
    "unknown_type": Code("type is not command, ack, result, event or error", published=True),
    "missing_id": Code("id is missing or empty on command, ack or result", published=True),
    "missing_name": Code("name is missing or empty on command or event", published=True),
    "invalid_payload": Code("payload does not have the shape that its type, command or event requires", published=True),
    "unknown_command": Code("the protocol does not document the command", published=True),
    "too_large": Code("the frame exceeds the size limit"),
    "too_deep": Code("the frame exceeds the nesting limit"),
    "number_out_of_range": Code("a number exceeds the range of a double"),
    "not_json": Code("a value cannot be written as JSON: NaN, Infinity, an unpaired surrogate"),
    "unknown_event": Code("the protocol does not document the event"),
    "unknown_error_code": Code("the error code is not one of the 11 in the catalogue"),
    "unknown_member": Code("the envelope has a member that the protocol does not document"),
    "error_not_omitted": Code("error is null, or present although accepted=true, instead of omitted"),
    "id_not_uuid": Code("the id is not a UUID, which the protocol recommends"),
    "id_reused": Code("a command has the id of an earlier one"),
    "ack_without_command": Code("an ack has the id of no earlier command"),
    "ack_repeated": Code("a command is acknowledged twice"),
    "result_without_ack": Code("a result comes before the ack of its command"),
    "result_after_rejection": Code("a result follows an ack with accepted=false"),
    "result_repeated": Code("a command has two results"),
    "command_open": Code("a command has no ack, or an accepted one no result, at the end of the session"),
    "unmapped_name": Code("the name cannot be used in a URN unchanged, and wires.flowlayer does not map it"),
    "unmapped_urn": Code("wires.flowlayer does not map a name to the URN"),
}


def validate(value: dict[str, Any], *, profile: Profile | None = None) -> list[Diagnostic]:
    """Return the defects of one message in the order of the checks; see Format."""
    try:
        if _VALID[value["type"]](value):
            return [] if profile != "strict" else [*_strict(value), *unwritable(value)]
    except (KeyError, TypeError, ValueError):
        pass  # found below
    diagnostics = list(_envelope(value))
    if profile == "strict" and not diagnostics:
        diagnostics += [*_strict(value), *unwritable(value)]
    return diagnostics


class _TypeValidators(dict[str, Callable[[Any], bool]]):
    """The compiled schema of each type, made when its first message comes."""

    def __missing__(self, kind: str) -> Callable[[Any], bool]:
        if kind not in TYPES:
            raise KeyError(kind)
        self[kind] = check = compiled(kind).is_valid
        return check


_VALID = _TypeValidators()


def _envelope(value: dict[str, Any]) -> Iterator[Diagnostic]:
    mistyped = [key for key in ("type", "id", "name") if not isinstance(value.get(key), (str, type(None)))]
    if mistyped:
        yield from (Diagnostic("invalid_json", f"/{key}", f"{key} is not a string") for key in mistyped)
        return
    kind = value.get("type")
    if not kind:
        yield Diagnostic("missing_type", "/type", "type is missing or empty")
        return
    if kind not in TYPES:
        yield Diagnostic("unknown_type", "/type", f"type is not one of {', '.join(TYPES)}")
        return
    if kind in ("command", "ack", "result") and not value.get("id"):
        yield Diagnostic("missing_id", "/id", f"{kind}.id is required")
    if kind in ("command", "event") and not value.get("name"):
        yield Diagnostic("missing_name", "/name", f"{kind}.name is required")
    yield from _payload(kind, value.get("payload"))


def _payload(kind: str, payload: Any) -> Iterator[Diagnostic]:
    if payload is not None and not isinstance(payload, dict):
        yield Diagnostic("invalid_payload", "/payload", "payload is not an object")
        return
    members = payload or {}
    flag = {"ack": "accepted", "result": "ok"}.get(kind)
    if flag is not None and not isinstance(members.get(flag), bool):
        yield Diagnostic("invalid_payload", f"/payload/{flag}", f"{kind}.payload.{flag} is missing or not a boolean")
    if kind == "error":
        for key in ("code", "message"):
            if not isinstance(members.get(key), str) or not members[key]:
                yield Diagnostic("invalid_payload", f"/payload/{key}", f"error.payload.{key} is missing or empty")


def _strict(value: dict[str, Any]) -> Iterator[Diagnostic]:
    kind, payload = value["type"], value.get("payload") or {}
    for key in value:
        if key not in ENVELOPE_MEMBERS:
            pointer = "/" + key.replace("~", "~0").replace("/", "~1")
            yield Diagnostic("unknown_member", pointer, "the envelope has an undocumented member", Severity.WARNING)
    if kind == "command":
        if not is_uuid(value["id"]):
            yield Diagnostic("id_not_uuid", "/id", "the id is not a UUID, which is recommended", Severity.INFO)
        yield from commands.diagnostics(value["name"], payload)
    elif kind == "event":
        yield from events.diagnostics(value["name"], payload)
    elif kind == "error":
        yield from _code(payload["code"], "/payload/code")
    else:
        yield from _reply(kind, payload)


def _reply(kind: str, payload: dict[str, Any]) -> Iterator[Diagnostic]:
    if "error" not in payload:
        return
    error = payload["error"]
    if error is None or (kind == "ack" and payload["accepted"]):
        yield Diagnostic("error_not_omitted", "/payload/error", "error must be omitted here", Severity.WARNING)
        return
    members = error if isinstance(error, dict) else {}
    wrong = [key for key in ("code", "message") if not isinstance(members.get(key), str) or not members[key]]
    for key in wrong:
        yield Diagnostic("invalid_payload", f"/payload/error/{key}", f"error.{key} is missing or empty")
    if not wrong:
        yield from _code(members["code"], "/payload/error/code")


def _code(code: str, pointer: str) -> Iterator[Diagnostic]:
    if code not in commands.ERROR_CODES:
        yield Diagnostic("unknown_error_code", pointer, "the code is not in the catalogue", Severity.WARNING)
