"""File ``$ref`` brought inside: a schema as written becomes one bundled schema that stands alone.

``../_common/money.yaml`` becomes ``#/$defs/money``, and the whole file stands at ``$defs/money`` with its own ``#/…``
references turned towards there. Only files of the registry are ever read; URLs, absolute paths, climbing paths are
defects. Nothing here knows what a schema means: any ``$ref`` whose value is text is followed, except inside ``enum``,
``const``, ``default``, ``examples`` and ``x-`` keys, which hold data.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from babelreg.model.source import Source
from babelreg.schema import pointer
from babelreg.schema.pointer import Pointer

__all__ = ["Bundle", "Bundler", "RefDefect", "references"]

_DATA = frozenset({"enum", "const", "default", "examples"})
_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
_UNBUNDLED = {
    "$id": "refer to files by their path; leave $id out",
    "$anchor": "put the part below $defs and refer to '#/$defs/NAME'",
    "$dynamicRef": "use $ref to '#/$defs/NAME'",
    "$dynamicAnchor": "put the part below $defs and refer to '#/$defs/NAME'",
    "$recursiveRef": "use $ref to '#/$defs/NAME'",
    "$recursiveAnchor": "put the part below $defs and refer to '#/$defs/NAME'",
}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_WORD = re.compile(r"[^A-Za-z0-9_]+")

OpenFragment = Callable[[str], tuple[Source, Any]]
"""Gives source and value of a file by its path below the registry. Raises KeyError when there is none."""


class RefDefect(Exception):
    """A reference that cannot be followed: a defect, with the source and pointer where it stands."""

    def __init__(self, rule: str, message: str, source: Source, at: Pointer, *, fix: str | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.fix = fix
        self.source = source
        self.at = at


class Bundle:
    """A bundled schema. ``origins`` says for each brought-in ``$defs`` name which file it came from."""

    def __init__(self, schema: Any, origins: Mapping[str, Source]) -> None:
        self.schema = schema
        self.origins = origins


class Bundler:
    """Bundles the schemas of one registry; each fragment file is opened once."""

    def __init__(self, open_fragment: OpenFragment, paths: Sequence[str] = ()) -> None:
        """``paths`` are the files of the registry, to say which one was meant by a misspelt ``$ref``."""
        self._open = open_fragment
        self._paths = paths

    def bundle(self, schema: Any, source: Source, base: Pointer) -> Bundle:
        """The schema that stands at ``base`` in ``source``, with every file ``$ref`` brought into ``$defs``.

        Returns the very same object where there is no file ``$ref``. Raises RefDefect.
        """
        files = self._reachable(schema, source, base)
        if not files:
            _check_local(schema, lambda where: (source, base + where))
            return Bundle(schema, {})
        names = _def_names(files, taken=set(schema.get("$defs", {})))
        bundled = _turned(schema, posixpath.dirname(source.path), names, own=None)
        definitions = dict(bundled.get("$defs", {}))
        dialect = schema.get("$schema")
        for path, (_, value) in files.items():
            if isinstance(value, dict) and value.get("$schema", dialect) != dialect:
                message = f"{path} is written in {value['$schema']}, this schema is not"
                raise RefDefect("ref-unsupported", message, source, base, fix="use one $schema in both files")
            part = _turned(value, posixpath.dirname(path), names, own=names[path])
            if isinstance(part, dict):
                part.pop("$schema", None)
            definitions[names[path]] = part
        bundled["$defs"] = definitions
        _check_targets(schema, source, base, bundled, names)
        origins = {names[path]: origin for path, (origin, _) in files.items()}

        def locate(where: Pointer) -> tuple[Source, Pointer]:
            origin = origins.get(str(where[1])) if where[0] == "$defs" and len(where) > 1 else None
            return (origin, where[2:]) if origin else (source, base + where)

        _check_local(bundled, locate)
        return Bundle(bundled, origins)

    def _reachable(self, schema: Any, source: Source, base: Pointer) -> dict[str, tuple[Source, Any]]:
        """Every file reached by ``$ref`` from ``schema``, in the order they are met."""
        found: dict[str, tuple[Source, Any]] = {}
        waiting: list[tuple[Any, Source, Pointer]] = [(schema, source, base)]
        while waiting:
            value, here, at = waiting.pop(0)
            for where, reference in references(value):
                path = _target(reference, here, at + where)
                if path is None or path in found:
                    continue
                if path == source.path:
                    message = f"$ref {reference!r} leads to its own file"
                    fix = "refer to '#/…' inside this schema"
                    raise RefDefect("ref-unsupported", message, here, at + where, fix=fix)
                found[path] = opened = self._opened(path, reference, here, at + where)
                waiting.append((opened[1], opened[0], ()))
        return found

    def _opened(self, path: str, reference: str, source: Source, at: Pointer) -> tuple[Source, Any]:
        try:
            opened = self._open(path)
        except KeyError as err:
            message = f"$ref {reference!r} leads to {path}, which does not exist"
            raise RefDefect("ref-missing", message, source, at, fix=self._meant(path, source)) from err
        if not isinstance(opened[1], dict | bool):
            message = f"$ref {reference!r} leads to {path}, which is no JSON Schema"
            raise RefDefect("ref-missing", message, source, at, fix=f"let {path} hold a mapping")
        return opened


    def _meant(self, path: str, source: Source) -> str:
        """A fix that names the file most like ``path``, spelled as ``source`` must spell it."""
        names = {posixpath.basename(known): known for known in reversed(self._paths) if known != source.path}
        near = difflib.get_close_matches(posixpath.basename(path), names, 1, 0.75)
        if not near:
            return f"create {path}, or mend the path"
        return f"did you mean $ref: {posixpath.relpath(names[near[0]], posixpath.dirname(source.path))}?"


def references(schema: Any) -> Iterator[tuple[Pointer, str]]:
    """Every ``$ref`` of ``schema`` with the pointer to it, in the order they stand."""
    for at, key, value in _keywords(schema):
        if key == "$ref" and isinstance(value, str):
            yield (*at, key), value


def _keywords(schema: Any) -> Iterator[tuple[Pointer, str, Any]]:
    """Every keyword of every subschema: where, which, what. Data and the names below ``properties`` are passed over."""
    waiting: list[tuple[Pointer, Any, bool]] = [((), schema, False)]
    while waiting:
        at, node, by_name = waiting.pop()
        below: list[tuple[Pointer, Any, bool]] = []
        if isinstance(node, list):
            below = [((*at, i), item, False) for i, item in enumerate(node)]
        elif isinstance(node, dict):
            for key, value in node.items():
                if not by_name:
                    yield at, key, value
                if isinstance(value, dict | list) and (by_name or not _is_data(key)):
                    below.append(((*at, key), value, key in _BY_NAME and not by_name))
        waiting.extend(reversed(below))


def _is_data(key: str) -> bool:
    return key in _DATA or key.startswith("x-")


def _target(reference: str, source: Source, at: Pointer) -> str | None:
    """The registry path a reference leads to; None for one inside its own document."""
    file = reference.partition("#")[0]
    if not file:
        return None
    if _SCHEME.match(file) or file.startswith(("/", "\\")) or "\\" in file:
        message = f"$ref {reference!r} is not a relative path"
        fix = "copy the schema below _common/ and refer to '../_common/NAME.yaml'; nothing is fetched"
        raise RefDefect("ref-outside-registry", message, source, at, fix=fix)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), unquote(file)))
    if path == ".." or path.startswith("../"):
        message = f"$ref {reference!r} leads out of the registry folder"
        raise RefDefect("ref-outside-registry", message, source, at, fix="copy the schema below _common/")
    if not path.endswith((".yaml", ".json")):
        fix = "refer to a .yaml file below _common/"
        raise RefDefect("ref-missing", f"$ref {reference!r} leads to no .yaml or .json file", source, at, fix=fix)
    return path


def _def_names(files: Mapping[str, Any], taken: set[str]) -> dict[str, str]:
    """A ``$defs`` name for each file: its stem as a word, or its whole path where two stems are alike."""
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


def _turned(node: Any, folder: str, names: Mapping[str, str], own: str | None, by_name: bool = False) -> Any:
    """A copy of ``node`` whose references lead into ``$defs``. ``own`` is the name that its '#' stands for."""
    if isinstance(node, list):
        return [_turned(item, folder, names, own) for item in node]
    if not isinstance(node, dict):
        return node
    copy: dict[str, Any] = {}
    for key, value in node.items():
        if key == "$ref" and not by_name and isinstance(value, str):
            copy[key] = _turned_reference(value, folder, names, own)
        elif by_name or not _is_data(key):
            copy[key] = _turned(value, folder, names, own, key in _BY_NAME and not by_name)
        else:
            copy[key] = value
    return copy


def _turned_reference(reference: str, folder: str, names: Mapping[str, str], own: str | None) -> str:
    file, _, fragment = reference.partition("#")
    if not file:
        return reference if own is None else f"#/$defs/{own}{fragment}"
    return f"#/$defs/{names[posixpath.normpath(posixpath.join(folder, unquote(file)))]}{fragment}"


def _check_targets(schema: Any, source: Source, base: Pointer, bundled: Any, names: Mapping[str, str]) -> None:
    folder = posixpath.dirname(source.path)
    for where, reference in references(schema):
        if reference.partition("#")[0]:
            _check_target(_turned_reference(reference, folder, names, None), reference, bundled, source, base + where)


def _check_local(schema: Any, locate: Callable[[Pointer], tuple[Source, Pointer]]) -> None:
    """Every ``#/…`` leads somewhere, none in a circle, and nothing refers by name instead of by place."""
    for where, reference in references(schema):
        _check_target(reference, reference, schema, *locate(where))
        seen = {where[:-1]}
        while True:
            target = pointer.parse(unquote(reference[1:]))
            node = pointer.find(schema, target)
            if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                break
            if target in seen:
                message = f"$ref {reference!r} leads back to itself"
                fix = "put at least one property or item between the two"
                raise RefDefect("ref-circular", message, *locate(where), fix=fix)
            seen.add(target)
            reference = node["$ref"]
            if not reference.startswith("#/"):
                break
    for where, key in _unbundled(schema):
        message = f"{key} is not supported in a registry"
        raise RefDefect("ref-unsupported", message, *locate(where), fix=_UNBUNDLED[key])


def _check_target(turned: str, reference: str, schema: Any, source: Source, at: Pointer) -> None:
    fragment = unquote(turned[1:])
    try:
        if turned.startswith("#"):
            pointer.find(schema, pointer.parse(fragment))
            return
    except (KeyError, ValueError):
        pass
    message = f"$ref {reference!r} leads to nothing"
    raise RefDefect("ref-missing", message, source, at, fix="write '#/$defs/NAME' and define NAME below $defs")


def _unbundled(schema: Any) -> Iterator[tuple[Pointer, str]]:
    return (((*at, key), key) for at, key, _ in _keywords(schema) if key in _UNBUNDLED)
