"""Names of messages by the paths of their sources: what is a context, what the message, what its version.

``com.acme/order_placed/jsonschema/1-0-2`` is a revision of version 1 of ``order_placed`` in ``com.acme``. The files of
one message become its versions, in the order of their numbers; of those that differ in a minor number only, the newest
is the version. A folder is a context where it and the folders beside it hold two messages or more on average; else the
folder above is, and the name of the message begins with that of its folder.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from babelreg.exchange.message_sources import SourceMessage
from babelreg.exchange.urn_guess import context_of, folders_of, is_generic, slug, without_suffix

Version = tuple[int, ...]

_NUMBERS = r"(?P<major>[0-9]{1,3})(?:[-._](?P<minor>[0-9]{1,4}))?(?:[-._](?P<patch>[0-9]{1,6}))?\Z"
_ONLY_VERSION = re.compile(rf"[vV]?{_NUMBERS}")
_FOLDER_VERSION = re.compile(rf"[vV]{_NUMBERS}|(?P<dotted>[0-9]{{1,3}}(?:[-._][0-9]{{1,4}}){{1,2}})\Z")
_VERSION_AT_END = (
    re.compile(rf"(?P<name>.+?)[-._ ][vV]{_NUMBERS}"),
    re.compile(rf"(?P<name>.*[a-z0-9])V{_NUMBERS}"),
    re.compile(
        r"(?P<name>.*[^0-9._ -])[-._ ](?P<major>[0-9]{1,3})[.-](?P<minor>[0-9]{1,4})(?:[.-](?P<patch>[0-9]{1,6}))?\Z"
    ),
    re.compile(r"(?P<name>.+?)\.(?P<major>[0-9]{1,3})\Z"),
)
_FEW_FOLDERS = 4
"""Up to so many folders are contexts even if each holds one message."""


@dataclass(frozen=True, slots=True)
class SourceName:
    """The telling ``folders`` above a message, outermost first, its ``name``, and its version where one is told."""

    folders: tuple[str, ...]
    name: str
    version: Version | None = None


@dataclass(frozen=True, slots=True)
class NamedSources:
    """The ``messages`` of an import, named. ``older`` are the keys of revisions that are left out, by the newest."""

    messages: list[SourceMessage]
    older: Mapping[str, Sequence[str]]
    renumbered: Sequence[str]
    """Keys of versions whose number is not that of their source."""


def source_name(path: str, words: str | None = None) -> SourceName:
    """Return the name in the relative ``path`` of a schema file; ``words`` are the name of a part of it."""
    folders = folders_of(path)
    base = posixpath.basename(path)
    stem = without_suffix(base)
    if stem == base and base.startswith("schema."):
        stem = "schema"
    version = None
    if (match := _ONLY_VERSION.match(stem)) is not None:
        stem, version = "", _version(match)
    else:
        for pattern in _VERSION_AT_END:
            if (match := pattern.match(stem)) is not None:
                stem, version = match["name"], _version(match)
                break
    telling = []
    for folder in folders:
        if (match := _FOLDER_VERSION.match(folder)) is not None:
            version = version or tuple(int(number) for number in re.findall("[0-9]+", folder))
        elif context_of(folder) and not is_generic(context_of(folder)):
            telling.append(folder)
    if words is not None:
        return SourceName(tuple(telling), words, version)
    if not stem or is_generic(slug(stem)):
        stem = telling.pop() if telling else stem or "message"
    if telling and context_of(telling[-1]) == context_of(stem):
        telling.pop()
    return SourceName(tuple(telling), stem, version)


def _version(match: re.Match[str]) -> Version:
    groups = match.groupdict()
    return tuple(int(groups[part]) for part in ("major", "minor", "patch") if groups.get(part))


def name_sources(messages: Sequence[SourceMessage], above: str, depth: int | None = None) -> NamedSources:
    """Return ``messages`` with contexts and names by their paths; those with a URN stay as they are.

    ``above`` is the context of what lies in no telling folder. ``depth``: the folder of that depth is the context,
    counted from 1 at the top.
    """
    names: dict[str, SourceName] = {}
    for message in messages:
        if message.urn is None:
            path, _, pointer = message.key.partition("#")
            names[message.key] = source_name(path, message.words if pointer else None)
    contexts = _Contexts({(*name.folders, name.name) for name in names.values()}, above, depth)
    groups: dict[tuple[str, str], list[SourceMessage]] = defaultdict(list)
    words: dict[tuple[str, str], str] = {}
    for message in sorted((m for m in messages if m.key in names), key=lambda m: names[m.key].version or ()):
        context, own = contexts.named(names[message.key])
        key = (context, slug(own.replace(".", " ")))
        groups[key].append(message)
        words.setdefault(key, own)
    named = [message for message in messages if message.key not in names]
    older: dict[str, Sequence[str]] = {}
    renumbered = []
    for key, group in groups.items():
        for number, revisions in enumerate(_by_major(group, names), 1):
            newest = revisions[-1]
            former = tuple(message.key for message in revisions[:-1])
            if former:
                older[newest.key] = former
            version = names[newest.key].version
            if version and version[0] != number:
                renumbered.append(newest.key)
            text = words[key] if number == 1 or version is None else f"{words[key]}.v{number}"
            named.append(replace(newest, context=key[0], words=text, former_keys=former))
    return NamedSources(named, older, renumbered)


def _by_major(group: Sequence[SourceMessage], names: Mapping[str, SourceName]) -> list[list[SourceMessage]]:
    """Return the revisions of each version, oldest first. Sources of the same revision are messages of their own."""
    majors: dict[object, list[SourceMessage]] = defaultdict(list)
    seen: set[Version | None] = set()
    for message in group:
        version = names[message.key].version
        single = version is None or version in seen
        seen.add(version)
        majors[message.key if version is None or single else version[0]].append(message)
    return list(majors.values())


class _Contexts:
    """The context of each message, and the rest of its path as its name."""

    def __init__(self, paths: Iterable[tuple[str, ...]], above: str, depth: int | None) -> None:
        self._above = above
        self._depth = depth
        self._below: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
        self._split: dict[tuple[str, ...], bool] = {}
        for path in paths:
            for length in range(len(path)):
                self._below[path[:length]].add(path)

    def named(self, name: SourceName) -> tuple[str, str]:
        """Return the context and the words of ``name``."""
        depth = self._context_depth(name.folders) if self._depth is None else min(self._depth, len(name.folders))
        words = ".".join((*name.folders[depth:], name.name))
        return (context_of(name.folders[depth - 1]) if depth else self._above), words

    def _context_depth(self, folders: tuple[str, ...]) -> int:
        return next((depth for depth in range(len(folders)) if not self._splits(folders[:depth])), len(folders))

    def _splits(self, folder: tuple[str, ...]) -> bool:
        """Return True where the folders in ``folder`` are contexts, or hold such."""
        if folder not in self._split:
            inside = {path[: len(folder) + 1] for path in self._below[folder] if len(path) > len(folder) + 1}
            grouped = sum(len(self._below[path]) for path in inside)
            few = not folder and len(inside) <= _FEW_FOLDERS
            self._split[folder] = few or grouped >= 2 * len(inside)
        return self._split[folder]
