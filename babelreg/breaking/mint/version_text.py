"""The text of a message's next version: the old text with a new URN, examples that fit, and steps from the old data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelreg.breaking.mint.example_migration import ExampleAdapter
from babelreg.load.yaml import edits, parser
from babelreg.load.yaml.emitter import spell
from babelreg.model import Message, Registry, Urn

__all__ = ["deprecated", "next_version", "status", "with_upcast"]

_MOST_EXAMPLES = 3


def next_version(
    registry: Registry, old: Message, text: str, successor: Urn, *, restored: bool
) -> tuple[str, list[str]]:
    """``text``, the file of ``old``, as that of ``successor``; and a note on each example that was changed.

    ``restored`` says that ``old`` goes back to what was published, and its file of examples with it.
    """
    text = edits.replace(text, ("urn",), str(successor))
    text = _put(text, "supersedes", old.urn, after=("queue", "owner", "description", "status", "kind", "urn"))
    if old.status != "active":
        text = _put(text, "status", "active", after=("kind", "urn"))
    for key in ("sunset", "upcast"):
        text = edits.remove(text, (key,)) if key in _keys(text) else text
    return _with_examples(registry, old, text, successor, restored=restored)


def deprecated(text: str, sunset: str) -> str:
    """``text`` as that of a message that ends on ``sunset``."""
    text = _put(text, "status", "deprecated", after=("kind", "urn"))
    return _put(text, "sunset", sunset, after=("status",))


def with_upcast(text: str, steps: Sequence[dict[str, Any]]) -> str:
    """``text`` with ``steps`` as its last key, one a line."""
    if not steps:
        return text
    put = _put(text, "upcast", list(steps), after=("counterexamples", "examples", "data"), block=True)
    plain = put
    for step in steps:
        ((name, given),) = step.items()
        plain = plain.replace(f"- {spell(step)}", f"- {name}: {spell(given)}")
    return plain if parser.read(plain) == parser.read(put) else put


def status(text: str) -> str:
    """The status that ``text`` gives its message."""
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
    # A file of examples is shared by path; put back with its message, it would show the old shape.
    apart = any(example.source is not old.source for example in old.examples)
    if not all(map(sample.takes, given)) or (apart and restored) or not given:
        carried = _carried(sample, given)
        text = _put(text, "examples", carried, after=("data",), block=True)
        notes.append(f"{successor.path}: the examples did not fit the new shape and were adapted: read them once")
    for index in reversed(range(len(old.counterexamples))):
        if sample.takes(old.counterexamples[index].data):
            text = edits.remove(text, ("counterexamples", index))
            notes.append(f"{successor.path}: a counterexample was left out, as it is valid now")
    return text, notes


def _carried(sample: ExampleAdapter, given: Sequence[Any]) -> list[Any]:
    mended = [sample.adapted(example) for example in given[:_MOST_EXAMPLES]]
    kept = [example for example in mended if example is not None]
    plainest = None if kept else sample.plainest()
    return kept or ([] if plainest is None else [plainest])


def _put(text: str, key: str, value: Any, *, after: Sequence[str], block: bool = False) -> str:
    """``text`` with ``key`` replaced, or inserted behind the first of ``after`` that is there."""
    keys = _keys(text)
    if key in keys and not block:
        return edits.replace(text, (key,), value)
    if key in keys:
        text = edits.remove(text, (key,))
    behind = next((name for name in after if name in keys), None)
    return edits.insert(text, (key,), value, after=behind, block=block)


def _keys(text: str) -> list[str]:
    value = parser.read(text)
    return list(value) if isinstance(value, dict) else []
