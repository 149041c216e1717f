"""Places in source documents, and the references between them that are not those of a schema."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from babelreg.schema import pointer as pointers

DocumentPlace = tuple[str, str]
"""A place in a document: the path of the file, and a pointer as text."""
_MOST_HOPS = 50
_SCHEME = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+:")


def is_remote(reference: str) -> bool:
    """Return True for a reference to another system."""
    return bool(_SCHEME.match(reference)) or reference.startswith("//")


def target_paths(path: str, file: str, root: str = "") -> Iterator[str]:
    """Yield the paths that ``file``, of a reference in the file at ``path``, may stand for, the likeliest first.

    Paths are relative to ``root``, the folder of the sources. ``file://NAME`` is next to the file or at the root.
    """
    spelled = unquote(file)
    if not spelled.startswith("file:"):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), spelled))
        return
    spelled = spelled.removeprefix("file:").removeprefix("//")
    if root and spelled.startswith(f"{root}/"):
        yield posixpath.normpath(spelled[len(root) + 1 :])
    elif not spelled.startswith("/"):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), spelled))
    yield posixpath.normpath(spelled.lstrip("/"))


def value_at(documents: Mapping[str, Any], place: DocumentPlace) -> Any:
    """Return the value at ``place``; None where there is nothing."""
    try:
        return pointers.find(documents[place[0]], pointers.parse(place[1]))
    except (KeyError, ValueError):
        return None


def referred(documents: Mapping[str, Any], path: str, reference: str, root: str = "") -> DocumentPlace:
    """Return the place that ``reference``, in the file at ``path``, names; there may be nothing."""
    file, _, fragment = reference.partition("#")
    if file:
        paths = list(target_paths(path, file, root))
        path = next((known for known in paths if known in documents), paths[0])
    return path, pointers.unquoted(fragment)


def follow(documents: Mapping[str, Any], place: DocumentPlace, root: str = "") -> tuple[DocumentPlace, Any]:
    """Return the value at ``place``, or what its references lead to, and where that is; None where there is nothing."""
    for _ in range(_MOST_HOPS):
        value = value_at(documents, place)
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not isinstance(reference, str):
            return place, value
        place = referred(documents, place[0], reference, root)
    return place, None
