"""The next version of a message, next to the old one, by edits that keep every comment.

Where the published file, or a fragment it refers to, was edited in place and that breaks somebody, the published text
goes back to where it was and the edited shape moves to the new file.
"""

from __future__ import annotations

import datetime
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg import load
from babelreg.breaking.baseline import Baseline
from babelreg.breaking.check import check
from babelreg.breaking.example import Sample
from babelreg.breaking.shared import moved
from babelreg.errors import BabelregError, UsageError
from babelreg.finding import Finding
from babelreg.load import edit
from babelreg.load.document import decode
from babelreg.load.tree import MAX_BYTES, Tree
from babelreg.model import Message, Registry, Urn

__all__ = ["Minted", "mint"]

_MOST_EXAMPLES = 3


@dataclass(frozen=True)
class Minted:
    """``files`` are to be written: text by path below the registry. ``notes`` say what was done, a sentence each."""

    urn: str
    files: Mapping[str, str]
    notes: tuple[str, ...]


def mint(registry: Registry, tree: Tree, urn: str, *, sunset: str | None, baseline: Baseline | None) -> Minted:
    """The next version of ``urn``. ``tree`` holds the files of ``registry``; nothing is written.

    ``baseline`` is what was published, None where there is none to be had. With ``sunset``, a date, the old version
    becomes deprecated.

    Raises UsageError where there is nothing to mint.
    """
    old = _mintable(registry, urn)
    assert old.parsed is not None
    successor = old.parsed.next
    _check_date(sunset)
    published = _published(registry, baseline, urn)
    edited = decode(tree.read(old.source.path))
    restored = published is not None and _edited(published, old)
    shape, adapted = _next_version(registry, old, edited, successor, restored=restored)
    files, before = {successor.path: shape}, edited
    notes: list[str] = []
    if published is not None and baseline is not None:
        files, notes = _put_back(registry, tree, old, baseline, shape, whole=restored)
        before = files.get(old.source.path, edited)
    notes += [f"{successor.path}: {successor}, supersedes {urn}", *adapted]
    if sunset is not None:
        files[old.source.path] = _deprecated(before, sunset)
        notes.append(f"{old.source.path}: deprecated, sunset {sunset}")
    else:
        notes.append(f"{urn} stays {_status(before)}; when all have moved on, say status: deprecated and sunset: DATE")
    notes += _moves(registry, urn, successor)
    _checked(registry, tree, files, successor)
    return Minted(str(successor), files, tuple(notes))


def _mintable(registry: Registry, urn: str) -> Message:
    message = registry.by_urn.get(urn)
    if message is None or message.parsed is None:
        from difflib import get_close_matches

        near = get_close_matches(urn, registry.by_urn, 1)
        raise UsageError(f"the registry has no {urn}", fix=f"babelreg mint {near[0]}" if near else "check the URN")
    if message.status in ("draft", "retired"):
        why = "may still change as it is" if message.status == "draft" else "is retired and has no next version"
        raise UsageError(f"{urn} is {message.status}: it {why}", place=message.source.place(("status",)))
    following = str(message.parsed.next)
    if following in registry.by_urn:
        newest = message.parsed.next
        while str(newest.next) in registry.by_urn:
            newest = newest.next
        raise UsageError(f"{following} is there already", fix=f"babelreg mint {newest}")
    return message


def _check_date(sunset: str | None) -> None:
    try:
        if sunset is not None and datetime.date.fromisoformat(sunset).isoformat() != sunset:
            raise ValueError
    except ValueError as err:
        raise UsageError(f"--sunset {sunset!r} is no date", fix="write it as --sunset 2030-06-30") from err


def _published(registry: Registry, baseline: Baseline | None, urn: str) -> Message | None:
    """The published version, where the message as it is now breaks it."""
    published = baseline.registry.by_urn.get(urn) if baseline else None
    if published is None or baseline is None or not published.published:
        return None
    return published if _broken(baseline.registry, registry, urn) else None


def _put_back(
    registry: Registry, tree: Tree, old: Message, baseline: Baseline, shape: str, *, whole: bool
) -> tuple[dict[str, str], list[str]]:
    """The files that let ``old`` be as published, ``shape`` being its next version; and a note on each put back.

    They stand in this order, so that whoever is interrupted between two of them has lost nothing.
    """
    assert old.parsed is not None
    path, new = old.source.path, old.parsed.next.path
    fragments = moved(registry, tree, old, baseline)
    shape = fragments.referring(shape, old.data, posixpath.dirname(path), ("data",))
    files = {**fragments.files, new: shape}
    moves = {fragment: fragments.paths[fragment] for fragment in fragments.restored}
    if whole:
        files[path] = decode(baseline.tree.read(baseline.registry.by_urn[old.urn].source.path))
        moves[path] = new
    said = f"put back as published in {baseline.name}; your edit is in"
    return files, [f"{restored}: {said} {there}" for restored, there in moves.items()]


def _edited(published: Message, now: Message) -> bool:
    return repr(published.data) != repr(now.data) or published.kind != now.kind


def _broken(old: Registry, new: Registry, urn: str) -> list[Finding]:
    only = [Registry(r.root, r.settings, r.contexts, r.services, messages=(r.by_urn[urn],)) for r in (old, new)]
    return check(*only)


def _next_version(
    registry: Registry, old: Message, text: str, successor: Urn, *, restored: bool
) -> tuple[str, list[str]]:
    text = edit.replace(text, ("urn",), str(successor))
    text = _put(text, "supersedes", old.urn, after=("queue", "owner", "description", "status", "kind", "urn"))
    if old.status != "active":
        text = _put(text, "status", "active", after=("kind", "urn"))
    for key in ("sunset", "upcast"):
        text = edit.remove(text, (key,)) if key in _keys(text) else text
    return _with_examples(registry, old, text, successor, restored=restored)


def _with_examples(
    registry: Registry, old: Message, text: str, successor: Urn, *, restored: bool
) -> tuple[str, list[str]]:
    if old.schema is None:
        return text, []
    sample = Sample(old.schema, strict=registry.compatibility(old.context).reader == "strict")
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
            text = edit.remove(text, ("counterexamples", index))
            notes.append(f"{successor.path}: a counterexample was left out, as it is valid now")
    return text, notes


def _carried(sample: Sample, given: Sequence[Any]) -> list[Any]:
    mended = [sample.mended(example) for example in given[:_MOST_EXAMPLES]]
    kept = [example for example in mended if example is not None]
    plainest = None if kept else sample.plainest()
    return kept or ([] if plainest is None else [plainest])


def _deprecated(text: str, sunset: str) -> str:
    text = _put(text, "status", "deprecated", after=("kind", "urn"))
    return _put(text, "sunset", sunset, after=("status",))


def _put(text: str, key: str, value: Any, *, after: Sequence[str], block: bool = False) -> str:
    """``text`` with ``key`` replaced, or inserted behind the first of ``after`` that is there."""
    keys = _keys(text)
    if key in keys and not block:
        return edit.replace(text, (key,), value)
    if key in keys:
        text = edit.remove(text, (key,))
    behind = next((name for name in after if name in keys), None)
    return edit.insert(text, (key,), value, after=behind, block=block)


def _keys(text: str) -> list[str]:
    from babelreg.load import yaml

    value = yaml.read(text)
    return list(value) if isinstance(value, dict) else []


def _status(text: str) -> str:
    from babelreg.load import yaml

    return str(yaml.read(text).get("status", "active"))


def _moves(registry: Registry, urn: str, successor: Urn) -> list[str]:
    """What is left to the services: who must say that it reads the new version."""
    services = registry.services.values()
    readers = [s for s in services if any(use.urn == urn for use in s.consumes)]
    return [f"{s.source.path}: add `- urn: {successor}` below consumes when {s.name} reads it" for s in readers]


class _Overlay:
    """A tree with some of its files replaced."""

    def __init__(self, below: Tree, files: Mapping[str, str]) -> None:
        self._below = below
        self._files = {path: text.encode() for path, text in files.items()}

    def paths(self) -> Sequence[str]:
        """See Tree."""
        return sorted({*self._below.paths(), *self._files})

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """See Tree."""
        return self._files[path] if path in self._files else self._below.read(path, limit)


def _checked(registry: Registry, tree: Tree, files: Mapping[str, str], successor: Urn) -> None:
    """Raises BabelregError where the files to be written would make a registry with new defects."""
    after = load.from_tree(_Overlay(tree, files), registry.root)
    defects = [found for found in after.defects if found.place.path in files]
    if defects or str(successor) not in after.by_urn:
        said = defects[0].message if defects else f"{posixpath.basename(successor.path)} would not be read"
        raise BabelregError(f"cannot mint {successor}: {said}", fix=f"copy the file to {successor.path} by hand")
