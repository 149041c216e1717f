"""Likely mistakes behind messages that cannot be read, and the way to fix each."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.wire.format import Format, WireError

_MAX_ENTRY = 300
_RECORD = re.compile(rb'\s*\{"offset":\d+,("line":\d+,)?("line_end":false,)?"message":')


def hint(wire: Format, raw: bytes, err: WireError | None = None, *, whole: bool = False) -> str | None:
    """Return the fix for bytes that are not a message of the format, or not a valid one; None where none is known."""
    from babelreg.wire.detect import detect

    if _RECORD.match(raw):
        return f"these are records of `wire decode`: pipe them through `babelreg wire encode --wire {wire.name}`"
    name = detect(raw)
    if name is not None and name != wire.name:
        return f"did you mean --wire {name}?"
    return None if err is None else wire.hint(raw, err, whole=whole)


def encode_hint(wire: Format, raw: bytes) -> str | None:
    """Return the fix for a line that is not a record of the format."""
    from babelreg.wire.detect import detect

    if detect(raw) is not None:
        return 'this is a message, not a record of `wire decode`; its record is {"message": {...}}'
    return None


def mapping_hint(wire: Format, value: Any) -> str | None:
    """Return the entry of ``wires`` that maps the name of a message; None for a message that no entry maps."""
    key = wire.names.key_of(value) if wire.names is not None else None
    if key is None:
        return None
    entry = "URN"
    for name in reversed((wire.name, *key)):
        entry = f"{{{_key(name)}: {entry}}}"
    return f"in babelreg.yaml: wires: {entry}" if len(entry) < _MAX_ENTRY else None


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name) else json.dumps(name)
