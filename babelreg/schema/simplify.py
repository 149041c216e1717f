"""Copies of a schema without what has no effect: annotations, keywords beside ``$ref``, keywords of other dialects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.schema.dialects import SENSITIVITY, Dialect, dialect_of
from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS
from babelreg.schema.keywords_by_type import ASSERTED_FORMATS
from babelreg.schema.local_references import LocalReferences, fragment_steps, references
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import with_subschemas
from babelreg.schema.walk import MAX_DEPTH, children

_NAMING = ("$anchor", "$dynamicAnchor", "$id", "id")
_KEPT_EXTENSIONS = frozenset({"x-open-enum"})
# To ignore a mark of personal data would show what its author wanted masked.
_KEPT_SIBLINGS = frozenset({"$ref", "$schema", SENSITIVITY, *DEFINITIONS})


def without_annotations(schema: Any, *, formats: bool, asserted: bool = False) -> Any:
    """Return ``schema`` without the keywords that refuse nothing; ``format`` stays where ``formats`` is true.

    With ``asserted``, only a ``format`` stays that some validator asserts; another one may decide a type in Spark.
    What two documents keep decides whether they are equal. A document in which a reference leads into an annotation
    is returned as it is.
    """
    dropped = ANNOTATIONS if formats else ANNOTATIONS | {"format"}
    return schema if _refers_into(schema, dropped) else _without_annotations(schema, dropped, asserted=asserted)


def _annotates(keyword: str, dropped: frozenset[str]) -> bool:
    return keyword in dropped or (keyword.startswith("x-") and keyword not in _KEPT_EXTENSIONS)


def _refers_into(schema: Any, dropped: frozenset[str]) -> bool:
    named = set()
    for reference in references(schema):
        if _crosses(reference, dropped):
            return True
        if reference[1:] and not reference.startswith("#/"):
            named.update(fragment_steps(reference))
    return bool(named) and not named.isdisjoint(_names_in_annotations(schema, dropped))


def _names_in_annotations(schema: Any, dropped: frozenset[str]) -> Iterator[str]:
    """Yield the names that subschemas in annotations give themselves, in any dialect: some reader may find them."""
    waiting = [(schema, False)]
    while waiting:
        value, annotates = waiting.pop()
        if isinstance(value, list):
            waiting += [(item, annotates) for item in value]
        elif isinstance(value, dict):
            names = [value.get(keyword) for keyword in _NAMING] if annotates else []
            yield from (name.removeprefix("#") for name in names if isinstance(name, str))
            waiting += [(item, annotates or _annotates(keyword, dropped)) for keyword, item in value.items()]


def _crosses(reference: str, dropped: frozenset[str]) -> bool:
    return not reference.startswith("#") or any(_annotates(step, dropped) for step in fragment_steps(reference))


def _without_annotations(schema: Any, dropped: frozenset[str], *, asserted: bool) -> Any:
    if not isinstance(schema, dict):
        return schema
    kept = {keyword: value for keyword, value in schema.items() if not _annotates(keyword, dropped)}
    if asserted and isinstance(name := kept.get("format"), str) and name not in ASSERTED_FORMATS:
        del kept["format"]
    return with_subschemas(kept, lambda subschema: _without_annotations(subschema, dropped, asserted=asserted))


def without_keywords(schema: Any, keywords: frozenset[str]) -> Any:
    """Return ``schema`` without the ``keywords``, in every subschema."""
    if not isinstance(schema, dict):
        return schema
    kept = {keyword: value for keyword, value in schema.items() if keyword not in keywords}
    return with_subschemas(kept, lambda subschema: without_keywords(subschema, keywords))


def ref_siblings(schema: Any, dialect: Dialect | None = None) -> Iterator[tuple[Pointer, str]]:
    """Yield the keywords that a ``$ref`` beside them makes void: the pointer of their schema, and the keyword.

    Up to draft-07 these are all but definitions, to which a reference can lead; later there are none.
    Source: draft-07, 8.3.
    """
    dialect = dialect or dialect_of(schema)
    waiting: list[tuple[Pointer, Any]] = [((), schema)] if dialect.ref_alone else []
    while waiting:
        at, node = waiting.pop()
        if dialect.only_refers(node):
            yield from ((at, keyword) for keyword in node if keyword not in _KEPT_SIBLINGS)
        waiting.extend((at + steps, below) for _, steps, below, _ in children(node, dialect))


def without_ref_siblings(schema: Any, dialect: Dialect | None = None) -> Any:
    """Return ``schema`` without the keywords that a ``$ref`` beside them makes void; itself where there are none.

    What reads the keywords of subschemas one by one starts from this copy, so that all judge them alike. A document in
    which a reference leads into such a keyword is returned as it is.
    """
    dialect = dialect or dialect_of(schema)
    if not dialect.ref_alone or next(ref_siblings(schema, dialect), None) is None:
        return schema
    copy = _without_ref_siblings(schema, dialect, 0)
    before, after = LocalReferences(schema, dialect), LocalReferences(copy, dialect)
    leading = (reference for reference in references(copy) if before.target(reference) is not None)
    return copy if all(after.target(reference) is not None for reference in leading) else schema


def _without_ref_siblings(schema: Any, dialect: Dialect, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return schema
    if dialect.only_refers(schema):
        schema = {keyword: value for keyword, value in schema.items() if keyword in _KEPT_SIBLINGS}
    return with_subschemas(schema, lambda subschema: _without_ref_siblings(subschema, dialect, depth + 1))
