"""Bundling of schemas: every file ``$ref`` is moved into ``$defs`` of one self-contained schema.

``../_common/money.yaml`` becomes ``#/$defs/money``, and the whole file is put at ``$defs/money`` with its own ``#/…``
references turned towards there. Only files of the registry are ever read; URLs, absolute paths, climbing paths are
defects. Nothing here knows what a schema means: any ``$ref`` whose value is text is followed, except inside ``enum``,
``const``, ``default``, ``examples`` and ``x-`` keys, which hold data. So it has a walk of its own: a reference may lead
below a keyword that no dialect knows, and everything below it must be bundled, too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from babelreg.errors import SchemaError
from babelreg.load.registry.written_keywords import keywords
from babelreg.model.source import Source
from babelreg.schema.dialects import Dialect, dialect_of, identify
from babelreg.schema.local_references import local_target
from babelreg.schema.pointer import Pointer
from babelreg.suggest import closest

_UNBUNDLED = {
    "$id": "refer to files by their path, and remove $id",
    "$anchor": "put the part below $defs and refer to '#/$defs/NAME'",
    "$dynamicRef": "use $ref to '#/$defs/NAME'",
    "$dynamicAnchor": "put the part below $defs and refer to '#/$defs/NAME'",
    "$recursiveRef": "use $ref to '#/$defs/NAME'",
    "$recursiveAnchor": "put the part below $defs and refer to '#/$defs/NAME'",
}
MOST_GUESSES = 50
"""A suggestion compares with every file; with more misspelt references than that, none is made."""
_LINKING = frozenset({"$ref", "$schema", *_UNBUNDLED})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_WORD = re.compile(r"[^A-Za-z0-9_]+")

OpenFragment = Callable[[str], tuple[Source, Any]]
"""Returns source and value of a file by its path below the registry. Raises KeyError when there is none."""


class RefDefect(Exception):
    """A reference that cannot be followed: a defect, with its source and pointer."""

    def __init__(self, rule: str, message: str, source: Source, at: Pointer, *, fix: str | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.fix = fix
        self.source = source
        self.at = at


class Bundle:
    """A bundled schema. ``origins`` has the file of each ``$defs`` name that was added."""

    def __init__(self, schema: Any, origins: Mapping[str, Source]) -> None:
        self.schema = schema
        self.origins = origins


class _BundlePart:
    """A schema to be bundled, walked once: its references and what cannot be bundled."""

    def __init__(self, schema: Any, source: Source, base: Pointer) -> None:
        self.schema = schema
        self.source = source
        self.base = base
        self.folder = posixpath.dirname(source.path)
        self.references: list[tuple[Pointer, str]] = []
        self.unbundled: list[tuple[Pointer, str]] = []
        self.dialect = dialect_of(schema)
        self.other_dialect: Pointer | None = None
        for at, key, value in keywords(schema, _LINKING):
            if key == "$ref":
                if isinstance(value, str):
                    self.references.append((at, value))
            elif key in _UNBUNDLED:
                self.unbundled.append((at, key))
            elif len(at) > 1 and _dialect_named(value) is not self.dialect:
                self.other_dialect = self.other_dialect or at

    def check(self) -> None:
        """Raise RefDefect for a part that cannot be bundled, at its place in this file."""
        for at, key in self.unbundled:
            raise self.refused("ref-unsupported", f"{key} is not supported in a registry", at, _UNBUNDLED[key])
        if self.other_dialect is not None:
            message = "$schema names a different dialect than the root schema"
            fix = "remove it, and write this part in the dialect of the root schema"
            raise self.refused("ref-unsupported", message, self.other_dialect, fix)

    def refused(self, rule: str, message: str, where: Pointer, fix: str) -> RefDefect:
        """Return the defect at ``where`` in this file."""
        return RefDefect(rule, message, self.source, self.base + where, fix=fix)


class Bundler:
    """Bundler of the schemas of one registry; each fragment file is opened and walked once."""

    def __init__(self, open_fragment: OpenFragment, paths: Sequence[str] = ()) -> None:
        """``paths`` are the files of the registry, to suggest one for a misspelt ``$ref``."""
        self._open = open_fragment
        self._paths = paths
        self._parts: dict[str, _BundlePart] = {}
        self._guesses: dict[str, str | None] = {}
        self._turned: dict[tuple[str, tuple[tuple[str, str], ...]], Any] = {}

    def bundle(self, schema: Any, source: Source, base: Pointer) -> Bundle:
        """Return the schema at ``base`` in ``source``, with every file ``$ref`` moved into ``$defs``.

        Returns the very same object where there is no file ``$ref``. Raises RefDefect.
        """
        main = _BundlePart(schema, source, base)
        main.check()
        files = self._reachable(main)
        if not isinstance(schema.get("$defs", {}), dict):
            raise main.refused("ref-unsupported", "$defs is not a mapping", ("$defs",), "$defs: {NAME: {type: string}}")
        names = _def_names(files, taken=set(schema.get("$defs", {})))
        bundled = schema
        if files:
            bundled = _turned(main, names, own=None)
            definitions = dict(bundled.get("$defs", {}))
            for path, part in files.items():
                definitions[names[path]] = self._definition(path, part, names, main)
            bundled["$defs"] = definitions
        links = _Links(bundled, names)
        links.check(main, names, None)
        for path, part in files.items():
            links.check(part, names, names[path])
        return Bundle(bundled, {names[path]: part.source for path, part in files.items()})

    def _definition(self, path: str, part: _BundlePart, names: Mapping[str, str], main: _BundlePart) -> Any:
        if isinstance(part.schema, dict) and "$schema" in part.schema and part.dialect is not main.dialect:
            message = f"{path} is written in {part.schema['$schema']}, but this schema is not"
            raise main.refused("ref-unsupported", message, (), "use one $schema in both files")
        key = (path, tuple(names.items()))
        if key not in self._turned:
            turned = _turned(part, names, own=names[path])
            if isinstance(turned, dict) and "$schema" in turned:
                turned = {keyword: value for keyword, value in turned.items() if keyword != "$schema"}
            self._turned[key] = turned
        return self._turned[key]

    def _reachable(self, main: _BundlePart) -> dict[str, _BundlePart]:
        """Return every file reached by ``$ref`` from ``main``, in the order of their discovery."""
        found: dict[str, _BundlePart] = {}
        waiting = [main]
        while waiting:
            part = waiting.pop(0)
            for where, reference in part.references:
                path = _target(reference, part, where)
                if path is None or path in found:
                    continue
                if path == main.source.path:
                    message = f"$ref {reference!r} points to the message's own file"
                    raise part.refused("ref-unsupported", message, where, "refer to '#/…' inside this schema")
                found[path] = self._part(path, reference, part, where)
                waiting.append(found[path])
        return found

    def _part(self, path: str, reference: str, source: _BundlePart, where: Pointer) -> _BundlePart:
        if path not in self._parts:
            opened, value = self._opened(path, reference, source.source, source.base + where)
            self._parts[path] = _BundlePart(value, opened, ())
        self._parts[path].check()
        return self._parts[path]

    def _opened(self, path: str, reference: str, source: Source, at: Pointer) -> tuple[Source, Any]:
        try:
            opened = self._open(path)
        except KeyError as err:
            message = f"$ref {reference!r} points to {path}, which does not exist"
            raise RefDefect("ref-missing", message, source, at, fix=self._meant(path, source)) from err
        if not isinstance(opened[1], dict | bool):
            message = f"$ref {reference!r} points to {path}, which is not a JSON Schema"
            raise RefDefect("ref-missing", message, source, at, fix=f"make {path} a mapping")
        return opened

    def _meant(self, path: str, source: Source) -> str:
        """Return a fix that names the file most like ``path``, spelled as ``source`` must spell it."""
        near = self._nearest(posixpath.basename(path))
        if near is None or near == source.path:
            return f"create {path}, or correct the path"
        return f"did you mean $ref: {posixpath.relpath(near, posixpath.dirname(source.path))}?"

    def _nearest(self, name: str) -> str | None:
        if name not in self._guesses:
            if len(self._guesses) >= MOST_GUESSES:
                return None
            names = {posixpath.basename(known): known for known in reversed(self._paths)}
            near = closest(name, names, 0.75)
            self._guesses[name] = names[near] if near else None
        return self._guesses[name]


def _dialect_named(value: Any) -> Dialect | None:
    try:
        return identify({"$schema": value})
    except SchemaError:
        return None


def _target(reference: str, part: _BundlePart, where: Pointer) -> str | None:
    """Return the registry path a reference leads to; None for one inside its own document."""
    file = reference.partition("#")[0]
    if not file:
        return None
    if _SCHEME.match(file) or file.startswith(("/", "\\")) or "\\" in file:
        message = f"$ref {reference!r} is not a relative path"
        fix = "copy the schema below _common/ and refer to '../_common/NAME.yaml'; nothing is fetched"
        raise part.refused("ref-outside-registry", message, where, fix)
    path = _joined(part.folder, file)
    if path == ".." or path.startswith("../"):
        message = f"$ref {reference!r} points outside the registry folder"
        raise part.refused("ref-outside-registry", message, where, "copy the schema below _common/")
    if not path.endswith((".yaml", ".json")):
        message = f"$ref {reference!r} does not point to a .yaml or .json file"
        raise part.refused("ref-missing", message, where, "refer to a .yaml file below _common/")
    return path


def _def_names(files: Mapping[str, Any], taken: set[str]) -> dict[str, str]:
    """Return a ``$defs`` name for each file: its stem as a word, or its whole path where two stems are alike."""
    stems: dict[str, list[str]] = {}
    for path in files:
        stems.setdefault(_word(posixpath.basename(path)), []).append(path)
    names: dict[str, str] = {}
    for stem, paths in stems.items():
        for path in paths:
            name = stem if len(paths) == 1 and stem not in taken else _word(path)
            while name in taken:
                name += "_"
            taken.add(name)
            names[path] = name
    return names


def _word(path: str) -> str:
    return _WORD.sub("_", path.rpartition(".")[0]).strip("_") or "fragment"


def _turned(part: _BundlePart, names: Mapping[str, str], own: str | None) -> Any:
    """Return the schema of ``part`` with references into ``$defs``; ``own`` is the name that replaces its '#'.

    Only what holds such a reference is copied.
    """
    top = [part.schema]
    copied: dict[int, Any] = {}  # by id: the copies, which ``top`` keeps alive
    for where, reference in part.references:
        turned = _turned_reference(reference, part.folder, names, own)
        if turned == reference:
            continue
        holder: Any = top
        for step in (0, *where[:-1]):
            if id(holder[step]) not in copied:
                holder[step] = copy(holder[step])
                copied[id(holder[step])] = holder[step]
            holder = holder[step]
        holder[where[-1]] = turned
    return top[0]


def _turned_reference(reference: str, folder: str, names: Mapping[str, str], own: str | None) -> str:
    file, _, fragment = reference.partition("#")
    if not file:
        return reference if own is None else f"#/$defs/{own}{fragment}"
    return f"#/$defs/{names[_joined(folder, file)]}{fragment}"


@lru_cache(maxsize=1 << 12)
def _joined(folder: str, file: str) -> str:
    """Return the path of the ``file`` of a reference in a file of ``folder``."""
    return posixpath.normpath(posixpath.join(folder, unquote(file)))


class _Links:
    """The references of one bundled schema: each is resolved once, and cycles are refused.

    ``_ends`` are the places from which a chain of references is known to end; so each link is followed once.
    """

    def __init__(self, bundled: Any, names: Mapping[str, str]) -> None:
        self._bundled = bundled
        definitions = bundled["$defs"] if names else {}
        self._led: dict[str, tuple[Pointer, Any] | None] = {
            f"#/$defs/{name}": (("$defs", name), definitions[name]) for name in names.values()
        }
        self._ends: set[Pointer] = set()

    def check(self, part: _BundlePart, names: Mapping[str, str], own: str | None) -> None:
        """Raise RefDefect for a reference of ``part`` that leads nowhere, or in a cycle."""
        for where, reference in part.references:
            turned = _turned_reference(reference, part.folder, names, own)
            seen = {where[:-1] if own is None else ("$defs", own, *where[:-1])}
            while True:
                led = self._followed(turned)
                if led is None:
                    message = f"$ref {reference!r} points to nothing"
                    raise part.refused(
                        "ref-missing", message, where, "write '#/$defs/NAME' and define NAME below $defs"
                    )
                target, node = led
                if target in seen:
                    message = f"$ref {reference!r} refers to itself"
                    fix = "put at least one property or item in between"
                    raise part.refused("ref-circular", message, where, fix)
                if target in self._ends:
                    break
                seen.add(target)
                if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                    break
                turned = node["$ref"]
            self._ends |= seen

    def _followed(self, reference: str) -> tuple[Pointer, Any] | None:
        """Return the pointer that a local reference leads to and the value there; None when there is none."""
        if reference not in self._led:
            self._led[reference] = local_target(self._bundled, reference or "#")
        return self._led[reference]
