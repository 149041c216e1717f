"""A field of the envelope that is repeated in the data.

The envelope carries the trace, the id, the attempts and the version of every message, and the SDKs keep them right over
retries. A copy in the data is written once and never updated: two sources of one fact, one of them wrong after the
first redelivery. The rule reports names that only the envelope has; a field with a business meaning (a login's
attempts, a print job) is fine.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
        trace_id: {type: string, format: uuid}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}

Fix::

    Read it from the envelope, and take it out of the data in the next version. If it means something else, rename it:
    `checkout_trace_id`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"

# Source: BabelQueue envelope, its keys and those of meta.
_SURE = {
    **dict.fromkeys(("trace_id", "traceId", "traceID", "TraceId", "trace-id"), "trace_id"),
    **dict.fromkeys(("dead_letter", "deadLetter", "DeadLetter", "dead-letter"), "dead_letter"),
}
_META = frozenset({"id", "queue", "lang", "schema_version", "created_at"})
_TOP = frozenset({"job", "urn", "data", "meta", "attempts"})
_LOOKED_AT = _SURE.keys() | _TOP | {"schema_version"}
_ENOUGH = 3


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        properties = message.data.get("properties") if isinstance(message.data, dict) else None
        if not isinstance(properties, dict) or _LOOKED_AT.isdisjoint(properties):
            continue
        envelope = len(_TOP & properties.keys()) >= _ENOUGH
        for name, schema in properties.items():
            repeated = _SURE.get(name) or _repeated(name, schema, envelope)
            if repeated is not None:
                text = f"'{name}' repeats '{repeated}' of the envelope"
                fix = f"read '{repeated}' from the envelope, and omit '{name}' from the next version"
                at = ("data", "properties", name)
                yield Problem(text, message.source, at, key=True, fix=fix, urn=message.urn)


def _repeated(name: str, schema: Any, envelope: bool) -> str | None:
    """Return the envelope field that ``name`` repeats, if its schema or its siblings show it, or None."""
    if not isinstance(schema, dict):
        return None
    if name == "schema_version" and schema.get("const") == 1:
        return "meta.schema_version"
    if name not in _TOP:
        return None
    if envelope:
        return name
    if name == "meta":
        below = schema.get("properties")
        return name if isinstance(below, dict) and len(_META & below.keys()) >= _ENOUGH else None
    if name in ("job", "urn"):
        shown = [schema.get("const"), schema.get("pattern"), schema.get("default")]
        shown += schema["examples"] if isinstance(schema.get("examples"), list) else []
        is_urn = any(isinstance(text, str) and text.lstrip("^").startswith("urn:babel:") for text in shown)
        return "job" if is_urn else None
    return None
