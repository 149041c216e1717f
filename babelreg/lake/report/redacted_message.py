"""Redacted lines of a refused message: its structure and types, and only values that the registry shows to be harmless.

A refused message may hold anything: swapped fields, an address in place of a number. So a value is shown where the
registry declares its exact location and restricts it (numbers, booleans, listed texts, points in time), unless it is
the refused value. A value marked ``x-gdpr-sensitive`` is a bar; of any other only the shape is shown. A name is shown
if the registry has it, or if it is among names of fields and looks like one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from babelreg.contract.parse import ParseError, document
from babelreg.lake.report.redaction import LONGEST, head, identifier, shape, shown_id, shown_urn
from babelreg.lake.report.value_visibility import SchemaLocation, SchemaLocations
from babelreg.model import Registry
from babelreg.model.service import LANGUAGES
from babelreg.report import printable
from babelreg.schema import pointer as pointers

_MOST_BYTES = 2 * 1024 * 1024
_MOST_LINES = 44
_MOST_NAMES = 20
_MOST_ITEMS = 2
_DEEPEST = 9
_MOST_STEPS = 16


@dataclass(frozen=True, slots=True)
class Line:
    """One line: ``name`` of the member (None for an item), ``text`` of its value, and what kind of text that is.

    ``kind``: plain (what the message says), shape (only what it looks like), personal (nothing of it), note (our own
    words), bytes. ``refused``: this is the value that was refused.
    """

    depth: int
    name: str | None
    text: str
    kind: str = "plain"
    refused: bool = False


class _View(Protocol):
    """Visibility of the values at one location."""

    @property
    def personal(self) -> str | None:
        """Of which category everything here is; None where it is not personal."""
        ...

    def below(self, name: str) -> _View:
        """Return the view of the member ``name``."""
        ...

    def item(self) -> _View:
        """Return the view of an item."""
        ...

    def name(self, name: str) -> str:
        """Return the text shown for the name of a member."""
        ...

    def scalar(self, value: Any) -> tuple[str, str]:
        """Return the text shown for a value that is not an object or array, and its kind."""
        ...


class MessageMasker:
    """Shows messages by a registry; without one every value is a shape. Schemas are taken apart once each."""

    def __init__(self, registry: Registry | None) -> None:
        messages = registry.messages if registry else ()
        self._schemas: Mapping[str, Any] = registry.schemas if registry else {}
        self._queues = frozenset(message.queue for message in messages if message.queue)
        self._places: dict[str, SchemaLocations] = {}

    def lines(self, body: bytes, urn: str | None, pointer: str) -> list[Line]:
        """Return the redacted ``body``, refused at ``pointer``; its first and last bytes if it is not a JSON object."""
        if len(body) > _MOST_BYTES:
            return _raw(body)
        try:
            read = document(body)
        except ParseError:
            return _raw(body)
        lines = _Lines(pointers.parse(pointer) if pointer.startswith("/") else ())
        lines.value(read, _Envelope(self, urn), ())
        return lines.lines

    def data_lines(self, data: Any, urn: str | None, pointer: str) -> list[Line]:
        """Return the redacted ``data`` of a message of ``urn``, refused at ``pointer`` in it."""
        lines = _Lines(pointers.parse(pointer))
        lines.value(data, self.data(urn), ())
        return lines.lines

    def pointer(self, urn: str | None, pointer: str) -> str:
        """Return ``pointer`` into a message of ``urn`` with ``*`` for indexes, keys and names that cannot be shown."""
        if not pointer.startswith("/") or len(pointer) > 1_000:
            return ""
        view: _View = _Envelope(self, urn)
        masked = []
        steps = pointers.parse(pointer)
        for step in map(str, steps[:_MOST_STEPS]):
            if step.isascii() and step.isdigit():
                masked.append("*")
                view = view.item()
            else:
                shown_name = view.name(step)
                masked.append(step if shown_name == step else "*")
                view = view.below(step)
        return pointers.text(tuple(masked)) + ("/…" if len(steps) > _MOST_STEPS else "")

    def data(self, urn: str | None) -> _View:
        """Return the view of the data of ``urn``."""
        if urn is None or urn not in self._schemas:
            return _Unknown()
        if urn not in self._places:
            self._places[urn] = SchemaLocations(self._schemas[urn])
        return _Declared(self._places[urn], self._places[urn].root())

    def queue(self, name: str) -> bool:
        """Return whether the registry names this queue."""
        return name in self._queues


class VersionsMasker(MessageMasker):
    """Shows messages by several versions of a registry: what each version that declares the URN would show."""

    def __init__(self, registries: Sequence[Registry]) -> None:
        super().__init__(None)
        self._versions = [(registry, MessageMasker(registry)) for registry in registries]

    def data(self, urn: str | None) -> _View:
        """Return the view of the data of ``urn``."""
        views = [masker.data(urn) for registry, masker in self._versions if urn in registry.schemas]
        return _Strictest(tuple(views)) if views else _Unknown()


@dataclass(frozen=True, slots=True)
class _Strictest:
    """Visibility of what all of some views show."""

    views: tuple[_View, ...]

    @property
    def personal(self) -> str | None:
        return next((view.personal for view in self.views if view.personal is not None), None)

    def below(self, name: str) -> _View:
        return _Strictest(tuple(view.below(name) for view in self.views))

    def item(self) -> _View:
        return _Strictest(tuple(view.item() for view in self.views))

    def name(self, name: str) -> str:
        return next((shown for view in self.views if (shown := view.name(name)) != name), name)

    def scalar(self, value: Any) -> tuple[str, str]:
        shown = [view.scalar(value) for view in self.views]
        return next((each for each in shown if each[1] != "plain"), shown[0])


class _Unknown:
    """Visibility at a location that the registry does not describe."""

    personal = None

    def below(self, name: str) -> _View:
        return self

    def item(self) -> _View:
        return self

    def name(self, name: str) -> str:
        return shape(name, 40)

    def scalar(self, value: Any) -> tuple[str, str]:
        return _masked(value)


@dataclass(frozen=True, slots=True)
class _Declared:
    places: SchemaLocations
    place: SchemaLocation

    @property
    def personal(self) -> str | None:
        category = self.place.sensitive
        return None if category is None else category or "personal"

    def below(self, name: str) -> _View:
        return _Declared(self.places, self.places.below(self.place, name))

    def item(self) -> _View:
        return _Declared(self.places, self.places.item(self.place))

    def name(self, name: str) -> str:
        is_field = self.place.names(name) or (self.place.declared and self.place.lists_names and identifier(name))
        return name if is_field and self.place.sensitive is None else shape(name, 40)

    def scalar(self, value: Any) -> tuple[str, str]:
        return (_spelled(value), "plain") if self.place.shows(value) else _masked(value)


_ENVELOPE = {
    "": ("job", "urn", "trace_id", "data", "meta", "attempts", "dead_letter"),
    "/meta": ("id", "queue", "lang", "schema_version", "created_at"),
    "/dead_letter": ("reason", "error", "exception", "failed_at", "original_queue", "attempts", "lang"),
}
_INTEGERS = ("/attempts", "/meta/schema_version", "/meta/created_at", "/dead_letter/failed_at", "/dead_letter/attempts")


@dataclass(frozen=True, slots=True)
class _Envelope:
    masker: MessageMasker
    urn: str | None
    at: str = ""
    personal: str | None = None

    def below(self, name: str) -> _View:
        if name not in _ENVELOPE.get(self.at, ()):
            return _Unknown()
        if (self.at, name) == ("", "data"):
            return self.masker.data(self.urn)
        return _Envelope(self.masker, self.urn, f"{self.at}/{name}")

    def item(self) -> _View:
        return _Unknown()

    def name(self, name: str) -> str:
        named = name in _ENVELOPE.get(self.at, ()) or (self.at in _ENVELOPE and identifier(name))
        return name if named else shape(name, 40)

    def scalar(self, value: Any) -> tuple[str, str]:
        if isinstance(value, str):
            shown = self._text(value)
            return (f'"{shown}"', "plain") if shown == value else (f'"{shown}"', "shape")
        if type(value) is int and self.at in _INTEGERS and abs(value) < 10**15:
            return str(value), "plain"
        return _masked(value)

    def _text(self, value: str) -> str:
        if self.at in ("/job", "/urn"):
            return shown_urn(value)
        if self.at == "/meta/id":
            return shown_id(value) or ""
        public = self.at == "/meta/queue" and self.masker.queue(value)
        public = public or (self.at == "/meta/lang" and value in LANGUAGES)
        return value if public else shape(value)


class _Lines:
    """Collects the lines of one document, within bounds; the way to what was refused is always among them."""

    def __init__(self, refused: pointers.Pointer) -> None:
        self._refused = refused
        self.lines: list[Line] = []

    def value(self, value: Any, view: _View, at: pointers.Pointer, name: str | None = None) -> None:
        is_refused = at == self._refused and bool(at)
        if view.personal is not None:
            self._add(at, name, view.personal, "personal", is_refused)
        elif isinstance(value, (dict, list)) and value:
            self._open(value, view, at, name, is_refused)
        elif isinstance(value, (dict, list)):
            self._add(at, name, "{}" if isinstance(value, dict) else "[]", "plain", is_refused)
        else:
            text, kind = view.scalar(value)
            if is_refused and kind == "plain":
                text, kind = _masked(value)
            self._add(at, name, text, kind, is_refused)

    def _open(self, value: Any, view: _View, at: pointers.Pointer, name: str | None, is_refused: bool) -> None:
        opened, closed = ("{", "}") if isinstance(value, dict) else ("[", "]")
        members: list[tuple[Any, Any]] = list(value.items() if isinstance(value, dict) else enumerate(value))
        chosen = self._chosen(members, at, _MOST_NAMES if isinstance(value, dict) else _MOST_ITEMS)
        if not chosen:
            noun = "members" if isinstance(value, dict) else "items"
            self._add(at, name, f"{opened} {len(members)} {noun} {closed}", "note", is_refused)
            return
        self._add(at, name, opened, "plain", is_refused)
        for key, member in chosen:
            step = (*at, str(key))
            if isinstance(value, dict):
                self.value(member, view.below(key), step, printable(view.name(key)))
            else:
                self.value(member, view.item(), step)
        if len(chosen) < len(members):
            self._add((*at, ""), None, f"… {len(members) - len(chosen):,} more", "note", False)
        self._add(at, None, closed, "plain", False)

    def _chosen(self, members: list[tuple[Any, Any]], at: pointers.Pointer, most: int) -> list[tuple[Any, Any]]:
        """Return the members to show: the first few, and the one on the way to what was refused."""
        if len(at) >= _DEEPEST or len(self.lines) >= _MOST_LINES:
            most = 0
        leading = self._refused[: len(at)] == at and len(self._refused) > len(at) and len(at) < 4 * _DEEPEST
        refused_key = str(self._refused[len(at)]) if leading else None
        return [(key, member) for place, (key, member) in enumerate(members) if place < most or str(key) == refused_key]

    def _add(self, at: pointers.Pointer, name: str | None, text: str, kind: str, is_refused: bool) -> None:
        self.lines.append(Line(len(at), name, text, kind, is_refused))


def in_one_line(lines: Sequence[Line], most: int) -> str:
    """Return ``lines`` as one line of at most ``most`` characters that reads like JSON."""
    text, opened = "", True
    for line in lines:
        closes = line.text in ("}", "]") and line.kind == "plain" and line.name is None
        name = "" if line.name is None else f'"{line.name}": '
        text += ("" if opened or closes else ", ") + name + line.text
        opened = line.text in ("{", "[") and line.kind == "plain"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _masked(value: Any) -> tuple[str, str]:
    if value is None:
        return "null", "plain"
    if isinstance(value, str):
        more = f" ({len(value):,} characters)" if len(value) > LONGEST else ""
        return f'"{shape(value)}"{more}', "shape"
    if isinstance(value, bool):
        return "true or false", "shape"
    return shape(str(value), 24) if type(value) is int and abs(value) < 10**24 else "a number", "shape"


def _spelled(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f'"{printable(value)[:LONGEST]}"' if isinstance(value, str) else str(value)[:40]


def _raw(body: bytes) -> list[Line]:
    lines = [Line(0, None, line, "bytes") for line in head(body)]
    return [*lines, Line(0, None, f"{len(body):,} bytes", "note")]
