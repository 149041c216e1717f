"""Changes between two states of a registry, or between two versions of a message, in sentences.

They are the one model of a change: ``diff``, the catalog and ``gen docs`` lay it out. Whether a change breaks somebody
is the question of ``babelreg breaking``; here is only what is different.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from babelreg.model.message import Message
from babelreg.model.overview.message import MessageOverview, overviews
from babelreg.model.registry import Registry
from babelreg.schema.field_list import Field, field_list
from babelreg.schema.simplify import without_annotations
from babelreg.schema.values import identical

_MAX_LENGTH = 60


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of the data that differs. ``lines`` are sentences without a full stop.

    ``path`` is "" for a difference of the schema that no field shows.
    """

    path: str
    kind: Literal["added", "changed", "removed"]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageChange:
    """A message that differs. ``lines`` are sentences without a full stop; ``path`` is its file, the new one if any."""

    urn: str
    kind: Literal["added", "changed", "removed"]
    path: str
    status: str
    lines: tuple[str, ...]


def registry_changes(old: Registry, new: Registry) -> list[MessageChange]:
    """Return the messages that differ between ``old`` and ``new``, in the order of a list of messages."""
    before = {message.urn: message for message in overviews(old)}
    after = {message.urn: message for message in overviews(new)}
    changes = []
    for urn in [*after, *(urn for urn in before if urn not in after)]:
        then, now = before.get(urn), after.get(urn)
        if now is None and then is not None:
            changes.append(MessageChange(urn, "removed", then.path, then.status, ()))
        elif then is None and now is not None:
            changes.append(MessageChange(urn, "added", now.path, now.status, tuple(_introduced(now))))
        elif then is not None and now is not None:
            lines = tuple(_changed(then, now, old.by_urn.get(urn), new.by_urn.get(urn)))
            if lines:
                changes.append(MessageChange(urn, "changed", now.path, now.status, lines))
    return changes


def _introduced(message: MessageOverview) -> Iterator[str]:
    words = [*([message.status] if message.status != "active" else []), message.kind or "message"]
    what = f"{'an' if words[0][0] in 'ae' else 'a'} {' '.join(words)}"
    owner = f" of {message.owner}" if message.owner else ""
    yield f"is {what}{owner}: {message.description}" if message.description else f"is {what}{owner}"
    if message.supersedes:
        yield f"supersedes {message.supersedes}"
    if message.producers or message.consumers:
        yield f"goes from {_names(message.producers)} to {_names(message.consumers)}"


def _changed(then: MessageOverview, now: MessageOverview, old: Message | None, new: Message | None) -> Iterator[str]:
    yield from _about(then, now)
    if old is not None and new is not None:
        yield from (line for change in _field_changes(then.fields, now.fields, old, new) for line in change.lines)
    if old is not None and new is not None:
        for what in ("examples", "counterexamples"):
            counts = len(getattr(old, what)), len(getattr(new, what))
            same = [item.data for item in getattr(old, what)] == [item.data for item in getattr(new, what)]
            if not same:
                yield f"{what} changed: {counts[0]} before, {counts[1]} now"
        if old.delivery != new.delivery:
            yield "the delivery policy changed"
        if old.headers != new.headers:
            yield (
                "its headers are sent on Redis, in frames" if new.headers else "its headers are no longer sent on Redis"
            )
        if old.upcast != new.upcast:
            yield "the upcast steps changed"


def _about(then: MessageOverview, now: MessageOverview) -> Iterator[str]:
    for name, words in _TEXTS.items():
        before, after = getattr(then, name), getattr(now, name)
        if before != after:
            yield f"{words} is now {after or 'not stated'}, was {before or 'not stated'}"
    if then.description != now.description:
        yield f"the description is now: {now.description}" if now.description else "the description was removed"
    for role in ("producers", "consumers", "aliases"):
        before, after = set(getattr(then, role)), set(getattr(now, role))
        yield from (f"{name} is {_NOUNS[role][0]}" for name in sorted(after - before))
        yield from (f"{name} is no longer {_NOUNS[role][1]}" for name in sorted(before - after))
    for name in sorted(then.reads.keys() & now.reads.keys()):
        more, fewer = ([p for p in a.reads[name] if p not in b.reads[name]] for a, b in ((now, then), (then, now)))
        yield from (f"{name} now reads {path}" for path in more)
        yield from (f"{name} no longer reads {path}" for path in fewer)
    for name in sorted((then.expects.keys() | now.expects.keys()) & set(then.consumers) & set(now.consumers)):
        before, after = then.expects.get(name, {}), now.expects.get(name, {})
        yield from (f"{name} now expects {after[path]} of {path}" for path in after if after[path] != before.get(path))
        yield from (f"{name} no longer expects anything of {path}" for path in before if path not in after)


_NOUNS = {
    "producers": ("a new producer", "a producer"),
    "consumers": ("a new consumer", "a consumer"),
    "aliases": ("a new alias", "an alias"),
}
_TEXTS = {
    "kind": "the kind",
    "status": "the status",
    "owner": "the owner",
    "queue": "the queue",
    "supersedes": "the message that it supersedes",
    "sunset": "the sunset",
    "path": "the file",
}


def field_changes(old: Message, new: Message) -> list[FieldChange]:
    """Return the fields of the data that differ between ``old`` and ``new``, two versions of a message."""
    return _field_changes(field_list(old.schema or {}), field_list(new.schema or {}), old, new)


def _field_changes(then: Sequence[Field], now: Sequence[Field], old: Message, new: Message) -> list[FieldChange]:
    changes = list(_fields(then, now))
    if not changes and not _same_schema(old, new):
        changes.append(FieldChange("", "changed", ("the schema changed, but no single field did",)))
    return changes


def _fields(then: Sequence[Field], now: Sequence[Field]) -> Iterator[FieldChange]:
    before, after = {field.path: field for field in then}, {field.path: field for field in now}
    for path, field in after.items():
        if path in before:
            lines = tuple(_field(before[path], field))
            if lines:
                yield FieldChange(path, "changed", lines)
        elif not _parent_in(path, after.keys() - before.keys()):
            line = f"{path} was added: {field.type}, {'required' if field.required else 'optional'}"
            yield FieldChange(path, "added", (line,))
    for path in before:
        if path not in after and not _parent_in(path, before.keys() - after.keys()):
            yield FieldChange(path, "removed", (f"{path} was removed",))


def _parent_in(path: str, paths: set[str]) -> bool:
    return any(path.startswith((f"{other}.", f"{other}[")) for other in paths)


def _field(then: Field, now: Field) -> Iterator[str]:
    path = now.path
    if then.type != now.type:
        yield f"{path} is now {now.type}, was {then.type}"
    if then.required != now.required:
        yield f"{path} became {'required' if now.required else 'optional'}"
    if then.category != now.category:
        marks = {None: "not personal data", "": "personal data"}
        yield f"{path} is now {marks.get(now.category, f'personal data ({now.category})')}"
    for keyword in dict.fromkeys((*then.constraints, *now.constraints)):
        if keyword == "format" and then.type != now.type:
            continue
        before, after = then.constraints.get(keyword), now.constraints.get(keyword)
        if keyword == "enum" and isinstance(before, list) and isinstance(after, list):
            yield from _values(path, before, after)
        elif not identical(before, after):
            yield f"{path}: {keyword} is now {_json(after)}, was {_json(before)}"
    if then.description != now.description:
        yield (
            f"{path}: the description is now: {now.description}"
            if now.description
            else f"{path}: the description was removed"
        )


def _values(path: str, before: list[Any], after: list[Any]) -> Iterator[str]:
    added = [value for value in after if not any(identical(value, other) for other in before)]
    removed = [value for value in before if not any(identical(value, other) for other in after)]
    for values, verb in ((added, "admits"), (removed, "no longer admits")):
        if values:
            yield f"{path} {verb} {', '.join(map(_json, values))}"


def _same_schema(old: Message, new: Message) -> bool:
    return identical(*(without_annotations(message.schema, formats=True) for message in (old, new)))


def _json(value: Any) -> str:
    if value is None:
        return "not set"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 3]}..."


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nobody"
