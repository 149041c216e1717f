"""Documents beside schemas: which of them are examples of which schema, by the names of files and folders.

``examples/order-created.json``, ``order_created.example.json`` and ``examples/order-created/2.json`` all belong to
``schemas/order-created.schema.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from babelreg.exchange.sources.source_document import SourceDocument
from babelreg.exchange.urn_guess import folders_of, without_suffix

_WORDS = re.compile(r"[a-z]+|[0-9]+")
_EXAMPLE_WORDS = frozenset(
    {"example", "examples", "sample", "samples", "payload", "fixture", "valid", "instance", "test"}
)
_NEUTRAL = frozenset(
    """
    schema schemas json jsonschema example examples sample samples fixture fixtures conformance test tests valid
    payload payloads instance instances data documents src spec specs
    """.split()  # noqa: SIM905 - a word list
)
_REFUSED = frozenset({"invalid", "negative", "bad", "failing", "counterexamples"})
_Key = tuple[tuple[str, ...], str]


def examples_by_schema(
    schemas: Iterable[str], documents: Iterable[SourceDocument]
) -> Mapping[str, list[SourceDocument]]:
    """Return the documents by the path of the schema that they are examples of, in the order of their paths."""
    known: dict[_Key, list[str]] = {}
    for path in schemas:
        known.setdefault((_neutral(folders_of(path)), _joined(path.rpartition("/")[2])), []).append(path)
    found: dict[str, list[SourceDocument]] = {}
    for document in documents:
        for key in _keys(document.path):
            if len(known.get(key, ())) == 1:
                found.setdefault(known[key][0], []).append(document)
                break
    return found


def _keys(path: str) -> Iterable[_Key]:
    folders = folders_of(path)
    if _REFUSED & {folder.lower() for folder in folders} or _REFUSED & set(_WORDS.findall(path.lower())):
        return
    name = path.rpartition("/")[2]
    yield _neutral(folders), _joined(name)
    if folders:
        yield _neutral(folders[:-1]), _joined(folders[-1])


def _neutral(folders: Iterable[str]) -> tuple[str, ...]:
    return tuple(folder.lower() for folder in folders if folder.lower() not in _NEUTRAL)


def _joined(name: str) -> str:
    words = [word for word in _WORDS.findall(without_suffix(name).lower()) if word not in _EXAMPLE_WORDS]
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    return "".join(words)
