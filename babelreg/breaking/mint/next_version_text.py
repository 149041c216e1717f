"""Text of a message's next version: the old text with a new URN, adapted examples and upcast steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelreg.breaking.mint.example_migration import ExampleAdapter
from babelreg.load.yaml import edits, parser
from babelreg.load.yaml.emitter import spell
from babelreg.model import Message, Registry, Urn

_MAX_EXAMPLES = 3


def next_version(
    registry: Registry, old: Message, text: str, successor: Urn, *, restored: bool
) -> tuple[str, list[str]]:
    """Return ``text``, the file of ``old``, edited for ``successor``; with a note on each changed example.

    ``restored`` is True where ``old`` and its examples file get their published text back.
    """
    text = edits.replace(text, ("urn",), str(successor))
    text = _put(text, "supersedes", old.urn, after=("queue", "owner", "description", "status", "kind", "urn"))
    if old.status != "active":
        text = _put(text, "status", "active", after=("kind", "urn"))
    notes = []
    if "aliases" in _keys(text):
        notes.append(
            f"{successor.path}: it has no aliases, because messages sent under those of {old.urn} have the old shape"
        )
    for key in ("sunset", "upcast", "aliases"):
        text = edits.remove(text, (key,)) if key in _keys(text) else text
    text, more = _with_examples(registry, old, text, successor, restored=restored)
    return text, [*notes, *more]


def deprecated(text: str, sunset: str) -> str:
    """Return ``text`` of a message with the status deprecated and the date ``sunset``."""
    text = _put(text, "status", "deprecated", after=("kind", "urn"))
    return _put(text, "sunset", sunset, after=("status",))


def with_upcast(text: str, steps: Sequence[dict[str, Any]]) -> str:
    """Return ``text`` with ``steps`` as its last key, one per line."""
    if not steps:
        return text
    put = _put(text, "upcast", list(steps), after=("counterexamples", "examples", "data"), block=True)
    plain = put
    for step in steps:
        ((name, given),) = step.items()
        plain = plain.replace(f"- {spell(step)}", f"- {name}: {spell(given)}")
    return plain if parser.read(plain) == parser.read(put) else put


def status(text: str) -> str:
    """Return the status in ``text``."""
    value = parser.read(text)
    return str(value.get("status", "active")) if isinstance(value, dict) else "active"


def _with_examples(
    registry: Registry, old: Message, text: str, successor: Urn, *, restored: bool
) -> tuple[str, list[str]]:
    if old.schema is None:
        return text, []
    sample = ExampleAdapter(old.schema, strict=registry.compatibility(old.context).reader == "strict")
    notes: list[str] = []
    given = [example.data for example in old.examples]
    # A separate examples file is restored with its message, and would have the old shape.
    separate = any(example.source is not old.source for example in old.examples)
    if not all(map(sample.accepts, given)) or (separate and restored) or not given:
        adapted = _adapted(sample, given)
        text = _put(text, "examples", adapted, after=("data",), block=True)
        notes.append(f"{successor.path}: the examples did not fit the new shape and were adapted: please check them")
    for index in reversed(range(len(old.counterexamples))):
        if sample.accepts(old.counterexamples[index].data):
            text = edits.remove(text, ("counterexamples", index))
            notes.append(f"{successor.path}: a counterexample was omitted because it is valid now")
    return text, notes


def _adapted(sample: ExampleAdapter, given: Sequence[Any]) -> list[Any]:
    adapted = [sample.adapted(example) for example in given[:_MAX_EXAMPLES]]
    valid = [example for example in adapted if example is not None]
    plainest = None if valid else sample.plainest()
    return valid or ([] if plainest is None else [plainest])


def _put(text: str, key: str, value: Any, *, after: Sequence[str], block: bool = False) -> str:
    """Return ``text`` with ``key`` replaced, or inserted after the first present key of ``after``."""
    keys = _keys(text)
    if key in keys and not block:
        return edits.replace(text, (key,), value)
    if key in keys:
        text = edits.remove(text, (key,))
    previous = next((name for name in after if name in keys), None)
    return edits.insert(text, (key,), value, after=previous, block=block)


def _keys(text: str) -> list[str]:
    value = parser.read(text)
    return list(value) if isinstance(value, dict) else []
