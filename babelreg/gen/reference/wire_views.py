"""The example of a message, encoded in each foreign wire format to which the registry maps the message.

JSON formats are laid out for reading, others as their ``names`` lay them out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from babelreg.contract import emit
from babelreg.gen.reference.json_layout import json_text
from babelreg.gen.reference.text_style import TextStyle
from babelreg.model import Message, Registry
from babelreg.model.wire_mapping import keys_by_urn, wire_mapping
from babelreg.wire.format import WireError
from babelreg.wire.formats.table import FORMATS
from babelreg.wire.mapping import Key
from babelreg.wire.names import Names


class WireView(NamedTuple):
    """A section of a page: the title of the format, a sentence, and the message as text in ``language``.

    ``message`` is empty where the example has no form in the format.
    """

    title: str
    about: str
    message: str
    language: str


def names_of(registry: Registry, message: Message) -> dict[str, Key]:
    """Return the key of ``message`` in each foreign wire format in which the registry lets it travel."""
    travelling = [wire for wire, format_ in FORMATS.items() if format_.names and wire in registry.settings.wires.blocks]
    keys = {wire: keys_by_urn(registry, wire).get(message.urn) for wire in travelling}
    return {wire: key for wire, key in keys.items() if key is not None}


def views(registry: Registry, message: Message, envelope: Mapping[str, Any], style: TextStyle) -> list[WireView]:
    """Return the views of the first example of ``message``; ``envelope`` is the canonical form of it."""
    keys = names_of(registry, message)
    named = [(wire, FORMATS[wire].names, key) for wire, key in keys.items()]
    return [_view(registry, wire, names, key, envelope, style) for wire, names, key in named if names is not None]


def _view(
    registry: Registry, wire: str, names: Names, key: Key, envelope: Mapping[str, Any], style: TextStyle
) -> WireView:
    about = names.describe(key).format(*map(style.code, key))
    try:
        raw = names.example(key, envelope, wire_mapping(registry, wire))
    except (WireError, emit.EmitError) as err:
        reason = err.detail if isinstance(err, WireError) else err.fault.detail
        return WireView(names.title, f"{about} Its first example has no form there: {reason}.", "", "text")
    text = names.layout(raw)
    if text is not None:
        return WireView(names.title, about, text, "text")
    return WireView(names.title, about, json_text(json.loads(raw)), "json")
