"""Versions of shared fragments, for messages that an edit below ``_common/`` breaks.

A fragment is versioned like a message: ``money.yaml`` keeps the published text, the edit moves to ``money.v2.yaml``.
Every fragment between it and the message gets a new version, too, with a reference to the new one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from babelreg.breaking.baseline.against import Baseline
from babelreg.load.files.tree import Tree
from babelreg.load.registry.document import decode
from babelreg.load.registry.written_keywords import references
from babelreg.load.yaml import edits
from babelreg.model import Message, Registry
from babelreg.schema.pointer import Pointer

_VERSIONED = re.compile(r"(?P<stem>.*?)(?:\.v(?P<version>[0-9]{1,9}))?(?P<end>\.(?:yaml|json))\Z")


@dataclass(frozen=True)
class FragmentMoves:
    """Fragments with new versions: ``paths`` maps old to new paths, ``files`` are to be written, new ones first.

    ``restored`` are the old paths that get their published text back.
    """

    paths: Mapping[str, str]
    files: Mapping[str, str]
    restored: tuple[str, ...]

    def referring(self, text: str, data: Any, folder: str, base: Pointer) -> str:
        """Return ``text``, a file below ``folder``, with the references of its schema ``data`` at ``base`` updated."""
        for at, reference in references(data):
            path, mark, part = _target(reference, folder)
            if path in self.paths:
                target = posixpath.relpath(self.paths[path], folder)
                text = edits.replace(text, (*base, *at), f"{target}{mark}{part}")
        return text


def version_edited_fragments(registry: Registry, tree: Tree, message: Message, baseline: Baseline) -> FragmentMoves:
    """Plan new versions of the edited fragments of ``message``. ``tree`` holds the present files."""
    published = baseline.registry.fragments
    reached = {source.path for source in message.origins.values()} & registry.fragments.keys()
    edited = {p for p in reached if p in published and repr(published[p].schema) != repr(registry.fragments[p].schema)}
    changed = _with_fragments_between(registry, reached, edited)
    taken = set(tree.paths())
    paths = {path: _next(path, taken) for path in sorted(changed)}
    plan = FragmentMoves(paths, {}, tuple(sorted(edited)))
    files = {}
    for path in paths:
        text = decode(tree.read(path))
        files[paths[path]] = plan.referring(text, registry.fragments[path].schema, posixpath.dirname(path), ())
    for path in plan.restored:
        files[path] = decode(baseline.tree.read(path))
    return FragmentMoves(paths, files, plan.restored)


def version_fragment(
    registry: Registry, tree: Tree, path: str, messages: Iterable[Message], reused: str | None
) -> FragmentMoves:
    """Plan the next version of the fragment ``path``, and of those between it and ``messages``.

    ``reused`` is the path of an existing next version, or None.
    """
    reached = {source.path for message in messages for source in message.origins.values()} & registry.fragments.keys()
    taken = set(tree.paths())
    changed = _with_fragments_between(registry, reached, {path})
    paths = {p: reused if reused and p == path else _next(p, taken) for p in sorted(changed)}
    plan = FragmentMoves(paths, {}, ())
    files = {}
    for old_path in paths:
        if not (reused and old_path == path):
            text = decode(tree.read(old_path))
            files[paths[old_path]] = plan.referring(
                text, registry.fragments[old_path].schema, posixpath.dirname(old_path), ()
            )
    return FragmentMoves(paths, files, ())


def later_versions(path: str, paths: Iterable[str]) -> list[str]:
    """Return the later versions of ``path`` among ``paths``, the next one first."""
    match = _VERSIONED.match(path)
    if match is None:
        return []
    own = int(match["version"] or 1)
    versions = {}
    for other in paths:
        other_match = _VERSIONED.match(other)
        if other_match and (other_match["stem"], other_match["end"]) == (match["stem"], match["end"]):
            versions[int(other_match["version"] or 1)] = other
    return [versions[version] for version in sorted(versions) if version > own]


def _with_fragments_between(registry: Registry, reached: set[str], edited: set[str]) -> set[str]:
    affected = set(edited)
    while more := {p for p in reached - affected if affected & set(_targets(registry.fragments[p].schema, p))}:
        affected |= more
    return affected


def _targets(schema: Any, path: str) -> Iterator[str]:
    for _, reference in references(schema):
        yield _target(reference, posixpath.dirname(path))[0]


def _target(reference: str, folder: str) -> tuple[str, str, str]:
    """Split a reference in ``folder`` into its path ("" for the same file), ``#`` and fragment identifier."""
    file, mark, part = reference.partition("#")
    return posixpath.normpath(posixpath.join(folder, unquote(file))) if file else "", mark, part


def _next(path: str, taken: set[str]) -> str:
    match = _VERSIONED.match(path)
    stem, version, end = (match["stem"], int(match["version"] or 1), match["end"]) if match else (path, 1, "")
    while (name := f"{stem}.v{version + 1}{end}") in taken:
        version += 1
    return name
