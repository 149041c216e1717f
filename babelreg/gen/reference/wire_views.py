"""The example of a message, encoded in each foreign wire format to which the registry maps the message.

JSON formats are laid out for reading. PHPMQ is shown as its headers and contents, one a line, each after its offset.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from babelreg.contract import emit
from babelreg.gen.python_code.wire_names import wire_names
from babelreg.gen.reference.json_layout import json_text
from babelreg.gen.reference.text_style import TextStyle
from babelreg.model import Message, Registry
from babelreg.typemap.names import visible
from babelreg.wire.format import WireError
from babelreg.wire.formats import FORMATS
from babelreg.wire.formats.phpmq.headers import MESSAGE_HEADER_BYTES, PACKET_HEADER_BYTES, message_header, packet_header
from babelreg.wire.mapping import Key, UrnMapping

__all__ = ["WireView", "names_of", "views"]

_TITLES = {"flowlayer": "FlowLayer", "phpmq": "PHPMQ", "strata": "Strata"}
_REQUEST_ID = "V1StGXR8Z5jdHi6BmyT2"
_TTL_SECONDS = 3600
_PACKETS = {1: "queue name", 2: "message content", 3: "message id", 4: "count", 5: "time to live, in seconds"}
_WIDTH = 96
_MAX_CONTENT = 2_000


class WireView(NamedTuple):
    """A section of a page: the title of the format, a sentence, and the message as text in ``language``.

    ``message`` is empty where the example has no form in the format.
    """

    title: str
    about: str
    message: str
    language: str


def names_of(registry: Registry, message: Message) -> dict[str, Key]:
    """Return the name of ``message`` in each foreign wire format that `wires:` maps to it."""
    keys = {wire: wire_names(registry, wire).get(message.urn) for wire in _TITLES}
    return {wire: key for wire, key in keys.items() if key is not None}


def views(registry: Registry, message: Message, envelope: Mapping[str, Any], style: TextStyle) -> list[WireView]:
    """Return the views of the first example of ``message``; ``envelope`` is the canonical form of it."""
    return [_view(registry, wire, key, envelope, style) for wire, key in names_of(registry, message).items()]


def _view(registry: Registry, wire: str, key: Key, envelope: Mapping[str, Any], style: TextStyle) -> WireView:
    about = _about(wire, key, style)
    mapping = UrnMapping.of(registry.settings.wires.block(wire))
    try:
        raw = _encoded(wire, key, envelope, mapping)
    except (WireError, emit.EmitError) as err:
        reason = err.detail if isinstance(err, WireError) else err.fault.detail
        return WireView(_TITLES[wire], f"{about} Its first example has no form there: {reason}.", "", "text")
    if wire == "phpmq":
        return WireView(_TITLES[wire], about, _packet_lines(raw), "text")
    return WireView(_TITLES[wire], about, json_text(json.loads(raw)), "json")


def _about(wire: str, key: Key, style: TextStyle) -> str:
    code = style.code
    if wire == "strata":
        kind = {"request": "A request", "response": "The response", "post": "A post"}[key[2]]
        return f"{kind} of operation {code(key[1])} of context {code(key[0])}."
    if wire == "phpmq":
        return (
            f"A message of queue {code(key[1])}. Each line is a header or a content, after its offset; on the wire "
            "nothing is between them."
        )
    kind = "command" if key[0] == "commands" else "event"
    return f"The {kind} {code(key[1])}, one frame of the WebSocket."


def _encoded(wire: str, key: Key, envelope: Mapping[str, Any], mapping: UrnMapping) -> bytes:
    """Return the example in the format, with what its own members need in ``meta.ext``."""
    ext = _extension(wire, key, envelope)
    meta = {**envelope["meta"], **({"ext": {wire: ext}} if ext else {})}
    body = emit.encode({**envelope, "meta": meta})
    format_ = FORMATS[wire]
    value = format_.from_canonical(body, mapping=mapping).value
    # A carried envelope names its own queue, which need not be the one that carries it.
    return format_.encode(value._replace(queue=key[1].encode("utf-8")) if wire == "phpmq" else value)


def _extension(wire: str, key: Key, envelope: Mapping[str, Any]) -> dict[str, Any]:
    if wire == "strata":
        own: dict[str, Any] = {"id": _REQUEST_ID, "message_type": key[2], "context": key[0], "operation": key[1]}
        if key[2] == "response":
            own |= {"status": "succeeded", "messages": [], "service": "Orders v1"}
        else:
            own |= {"client": "Client:Web", "metadata": {}}
        if key[2] == "request":
            own["response_queue"] = "Responses:Web:1"
        return own
    data = envelope["data"]
    if wire == "phpmq" and (data.keys() == {"content"} or data.keys() == {"content_base64"}):
        return {"type": 1, "ttl": _TTL_SECONDS, "queue": key[1]}
    return {}


def _packet_lines(raw: bytes) -> str:
    """Return one message of PHPMQ with a line for each header and content, and what it means."""
    header = message_header(raw[:MESSAGE_HEADER_BYTES], 0, strict=True)
    lines = [(0, raw[:MESSAGE_HEADER_BYTES], f"message type {header.type:03}, {header.packets} packets")]
    at = MESSAGE_HEADER_BYTES
    for _ in range(header.packets):
        packet = packet_header(raw[at : at + PACKET_HEADER_BYTES], at, len(raw), strict=True)
        octets = "1 octet" if packet.length == 1 else f"{packet.length} octets"
        lines.append((at, raw[at : at + PACKET_HEADER_BYTES], f"{_PACKETS[packet.type]}: {octets}"))
        at += PACKET_HEADER_BYTES
        lines.append((at, raw[at : at + packet.length], ""))
        at += packet.length
    width = len(str(at))
    return "\n".join(line for offset, octets, about in lines for line in _lines(offset, octets, about, width))


def _lines(offset: int, octets: bytes, about: str, width: int) -> list[str]:
    text = _text(octets)
    parts = [text[start : start + _WIDTH] for start in range(0, len(text), _WIDTH)] or [""]
    first = f"{offset:>{width}}  {parts[0]}"
    if about:
        first = f"{first:<{width + 36}}  {about}"
    return [first.rstrip(), *(f"{'':>{width}}  {part}" for part in parts[1:])]


def _text(octets: bytes) -> str:
    """Return octets as text where they are printable text, else as hexadecimal digits."""
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError:
        shown = octets[:_MAX_CONTENT].hex(" ")
    else:
        shown = text[:_MAX_CONTENT] if visible(text) == text and "\n" not in text else octets[:_MAX_CONTENT].hex(" ")
    return shown if len(octets) <= _MAX_CONTENT else f"{shown} …"
