"""Sketches as bytes: canonical JSON, the same for equal sketches, for files and between processes.

In a file, a text that was seen fewer than 20 times is replaced by its digest: merged with other files it still counts,
and becomes known where one of them knows it. Processes exchange sketches with all texts.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from babelreg.analysis.sketch.name_set import NameSet
from babelreg.analysis.sketch.text_detection import Detectors, digest_of, is_digest
from babelreg.analysis.sketch.traffic_sketch import MessageSketch, TrafficSketch
from babelreg.analysis.sketch.value_sketch import ObjectSketch, ValueSketch
from babelreg.atomic_write import write_whole
from babelreg.errors import InputError

MIN_TEXT_COUNT = 20
"""Times that a text must have been seen before a file names it."""

VERSION = 1
_MAGIC = b'{"babelreg_sketch":'
_COUNTS = ("nulls", "booleans", "integers", "numbers", "strings", "arrays", "objects", "traits", "formats")


def is_sketch(head: bytes) -> bool:
    """Return True for the first bytes of a sketch file."""
    return head.startswith(_MAGIC)


def write(path: Path, sketch: TrafficSketch) -> None:
    """Write ``sketch`` to ``path``, readable by its owner only. Raises InputError."""
    try:
        write_whole(path, encode(sketch, hides_rare=True), 0o600)
    except OSError as err:
        raise InputError(f"cannot write {path}: {err.strerror}") from err


def read(path: Path, detectors: Detectors) -> TrafficSketch:
    """Return the sketch in the file ``path``. Raises InputError for one that is damaged, or of another version."""
    try:
        content = path.read_bytes()
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}") from err
    return decode(content, detectors, str(path))


def encode(sketch: TrafficSketch, *, hides_rare: bool = False) -> bytes:
    """Return ``sketch`` as bytes; ``hides_rare`` replaces texts that were seen fewer than 20 times by digests."""
    body = orjson.dumps(_traffic(sketch, hides_rare), option=orjson.OPT_SORT_KEYS)
    return b'%b%d,"digest":"%b","traffic":%b}\n' % (_MAGIC, VERSION, _digest(body), body)


def decode(content: bytes, detectors: Detectors, source: str = "the sketch") -> TrafficSketch:
    """Return the sketch in ``content``. Raises InputError, which names ``source``."""
    fix = "create it again from the recorded messages: babelreg infer PATH --sketch FILE"
    try:
        parsed = orjson.loads(content)
        version = parsed["babelreg_sketch"]
        if version != VERSION:
            raise InputError(
                f"{source} is a sketch of version {version!r}, but this babelreg reads version {VERSION}", fix=fix
            )
        body = content[content.index(b'"traffic":') + 10 : content.rindex(b"}")]
        if parsed["digest"] != _digest(body).decode():
            raise InputError(f"{source} is damaged: its digest does not match", fix=fix)
        return _read_traffic(parsed["traffic"], detectors)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as err:
        raise InputError(f"{source} is not a sketch, or is damaged", fix=fix) from err


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).hexdigest().encode()


def _traffic(sketch: TrafficSketch, hides_rare: bool) -> dict[str, Any]:
    messages = sketch.messages
    return {
        "total": sketch.total,
        "unnamed": sketch.unnamed,
        "refused": dict(sketch.refused),
        "messages": None if messages is None else {name: _message(item, hides_rare) for name, item in messages.items()},
    }


def _read_traffic(value: dict[str, Any], detectors: Detectors) -> TrafficSketch:
    sketch = TrafficSketch(detectors)
    sketch.total, sketch.unnamed = int(value["total"]), int(value["unnamed"])
    sketch.refused = Counter({str(reason): int(count) for reason, count in value["refused"].items()})
    messages = value["messages"]
    sketch.messages = (
        None if messages is None else {name: _read_message(item, detectors) for name, item in messages.items()}
    )
    return sketch


def _message(sketch: MessageSketch, hides_rare: bool) -> dict[str, Any]:
    return {
        "count": sketch.count,
        "first_ms": sketch.first_ms,
        "last_ms": sketch.last_ms,
        "days": None if sketch.days is None else {str(day): count for day, count in sketch.days.items()},
        "queues": sketch.queues,
        "languages": sketch.languages,
        "data": _value(sketch.data, hides_rare),
    }


def _read_message(value: dict[str, Any], detectors: Detectors) -> MessageSketch:
    sketch = MessageSketch(detectors)
    sketch.count = int(value["count"])
    sketch.first_ms, sketch.last_ms = value["first_ms"], value["last_ms"]
    days = value.get("days")  # a sketch of an earlier version does not tell them
    sketch.days = None if days is None else Counter({int(day): int(count) for day, count in days.items()})
    sketch.queues = None if value["queues"] is None else Counter(value["queues"])
    sketch.languages = None if value["languages"] is None else Counter(value["languages"])
    _fill_value(sketch.data, value["data"])
    return sketch


def _value(sketch: ValueSketch, hides_rare: bool) -> dict[str, Any]:
    value: dict[str, Any] = {name: count for name in _COUNTS if (count := getattr(sketch, name))}
    if sketch.strings:
        value["texts"] = (
            None
            if sketch.texts is None
            else {_shown(text, count, hides_rare): count for text, count in sketch.texts.items()}
        )
    if sketch.personal:
        value["personal"] = sketch.personal
    if sketch.items is not None:
        value["items"] = _value(sketch.items, hides_rare)
    if sketch.members is not None:
        value["members"] = _members(sketch.members, sketch, hides_rare)
    return value


def _shown(text: str, count: int, hides_rare: bool) -> str:
    """Return ``text``, or its digest where it is hidden."""
    return text if not hides_rare or count >= MIN_TEXT_COUNT or is_digest(text) else digest_of(text)


def _fill_value(sketch: ValueSketch, value: dict[str, Any]) -> None:
    for name in _COUNTS:
        setattr(sketch, name, int(value.get(name, 0)))
    if sketch.strings:
        texts = value["texts"]
        sketch.texts = None if texts is None else {str(text): int(count) for text, count in texts.items()}
    sketch.personal = {str(name): int(count) for name, count in value.get("personal", {}).items()}
    if "items" in value:
        sketch.items = ValueSketch(sketch.place.below(None))
        _fill_value(sketch.items, value["items"])
    if "members" in value:
        sketch.members = ObjectSketch(sketch.place)
        _fill_members(sketch.members, value["members"])


def _members(sketch: ObjectSketch, holder: ValueSketch, hides_rare: bool) -> dict[str, Any]:
    value: dict[str, Any] = {}
    if sketch.values is not None:
        value["values"] = _value(sketch.values, hides_rare)
    if sketch.properties is None:
        return value
    value["properties"] = {name: _value(item, hides_rare) for name, item in sketch.properties.items()}
    if sketch.shapes is None:
        return value
    ordered = sorted(sketch.shapes, key=sorted)
    index = {shape: number for number, shape in enumerate(ordered)}
    value["shapes"] = [[sorted(shape), *_seen(sketch.shapes[shape])] for shape in ordered]
    value["texts"] = {
        name: {
            _shown(text, (sketch.properties[name].texts or {}).get(text, 0), hides_rare): sorted(
                [index[shape], count] for shape, count in shapes.items()
            )
            for text, shapes in by_text.items()
        }
        for name, by_text in sketch.texts.items()
        if sketch.properties[name].texts is not None
    }
    return value


def _seen(shape: NameSet) -> tuple[int, int, int]:
    return shape.count, shape.first, shape.last


def _fill_members(sketch: ObjectSketch, value: dict[str, Any]) -> None:
    if "values" in value:
        sketch.values = ValueSketch(sketch.place.below(None))
        _fill_value(sketch.values, value["values"])
    if "properties" not in value:
        sketch.become_map()
        return
    sketch.properties = {}
    for name, item in value["properties"].items():
        sketch.properties[name] = ValueSketch(sketch.place.below(name))
        _fill_value(sketch.properties[name], item)
    if "shapes" not in value:
        sketch.shapes = None
        return
    shapes = [frozenset(names) for names, *_ in value["shapes"]]
    sketch.shapes = {
        shape: NameSet(count, first, last)
        for shape, (_, count, first, last) in zip(shapes, value["shapes"], strict=True)
    }
    sketch.texts = {
        name: {text: {shapes[number]: count for number, count in counts} for text, counts in by_text.items()}
        for name, by_text in value["texts"].items()
    }
