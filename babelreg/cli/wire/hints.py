"""Likely mistakes behind messages that cannot be read, and the way to fix each."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.wire.format import Format, WireError

__all__ = ["encode_hint", "hint", "mapping_hint"]

_MAX_ENTRY = 300
_HEADER_BYTES = 8
_RECORD = re.compile(rb'\s*\{"offset":\d+,("line":\d+,)?("line_end":false,)?"message":')
_BROKEN_LINE = (b"{", b"[", b"}", b"]", b"},", b"],")


def hint(wire: Format, raw: bytes, err: WireError | None = None, *, whole: bool = False) -> str | None:
    """Return the fix for bytes that are not a message of the format, or not a valid one; None where none is known."""
    from babelreg.wire.detect import detect

    if _RECORD.match(raw):
        return f"these are records of `wire decode`: pipe them through `babelreg wire encode --wire {wire.name}`"
    name = detect(raw)
    if name is not None and name != wire.name:
        return f"did you mean --wire {name}?"
    if err is None:
        return None
    return _line_hint(wire, raw, whole=whole) if wire.line_based else _packet_hint(raw, err)


def encode_hint(wire: Format, raw: bytes) -> str | None:
    """Return the fix for a line that is not a record of the format."""
    from babelreg.wire.detect import detect

    if detect(raw) is not None:
        return 'this is a message, not a record of `wire decode`; the record of it is {"message": {...}}'
    return None


def mapping_hint(wire: Format, value: Any) -> str | None:
    """Return the entry of ``wires`` that maps the name of a message; None for a message that no entry maps."""
    from babelreg.wire.formats.flowlayer.secrets import mask
    from babelreg.wire.formats.phpmq.models import PacketMessage

    if isinstance(value, PacketMessage):
        try:
            path = ["phpmq", "queues", value.queue.decode("utf-8")]
        except UnicodeDecodeError:
            return None
    elif wire.name == "strata" and "messageType" in value:
        path = ["strata", *(str(value.get(member)) for member in ("context", "operation", "messageType"))]
    elif wire.name == "flowlayer" and value.get("type") in ("command", "event"):
        spelled = json.dumps(value.get("name")).encode()
        if mask(spelled) != spelled:
            return None  # it quotes a bearer token
        path = ["flowlayer", f"{value['type']}s", str(value.get("name"))]
    else:
        return None
    entry = "URN"
    for name in reversed(path):
        entry = f"{{{_key(name)}: {entry}}}"
    return f"in babelreg.yaml: wires: {entry}" if len(entry) < _MAX_ENTRY else None


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name) else json.dumps(name)


def _line_hint(wire: Format, raw: bytes, *, whole: bool) -> str | None:
    line = raw.strip()
    if raw.startswith(b"\xef\xbb\xbf"):
        return "remove the byte order mark: JSON is UTF-8 without one"
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in raw[:4]:
        return "write it in UTF-8: iconv -f UTF-16 -t UTF-8 FILE"
    if line.startswith(b"[{") or (whole and line.startswith(b"[")):
        return "a list is not a message; print its items, one a line: jq -c '.[]' FILE"
    if not whole and wire.name != "babelqueue" and (line in _BROKEN_LINE or re.match(rb'"[^"]*"\s*:', line)):
        return "a message is one line; --whole reads a file as one message, `jq -c . FILE` prints one a line"
    return None


def _packet_hint(raw: bytes, err: WireError) -> str | None:
    at = (err.offset or 0) - err.start
    if raw[at : at + 1] in (b"\n", b"\r") or (err.code == "truncated" and raw[:1] in (b"\n", b"\r")):
        return "remove the line breaks: nothing stands between headers, contents and messages"
    if err.code == "packet_count_mismatch" and raw[:8] in (b"H0100102", b"H0100303"):
        return "--compat reads messages of the revision before TTL"
    follows_content = at > _HEADER_BYTES if err.code == "invalid_packet_flag" else err.start > 0
    if err.code in ("invalid_packet_flag", "invalid_message_flag") and follows_content:
        return "look at the content length before it, which counts bytes, not characters"
    return None
