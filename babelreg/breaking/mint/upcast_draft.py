"""Draft of the ``upcast`` of a next version, as far as it can be inferred: renames, casts, defaults and fixed values.

A step is added only if it resolves refusals of old documents and causes none. Remaining gaps are reported, each with a
document that shows it, and never guessed: a wrong value would go unnoticed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from babelreg.breaking.changes.pairs import Pair, renamed_fields
from babelreg.breaking.mint.example_migration import ExampleAdapter
from babelreg.containment.fields import DeclaredProperty, field_path, schemas_at
from babelreg.containment.validator import Refusal, SchemaValidator
from babelreg.contract import views
from babelreg.contract.upcast import UpcastError, compiled
from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify
from babelreg.schema.field_path import OTHERS
from babelreg.schema.pointer import Pointer

_MAX_STEPS = 40
# Bounds of the refusals examined and of the documents explained: a schema may require any number of properties.
_MAX_REFUSALS = 10_000
_MAX_EXPLAINED = 20
_MAX_DOCUMENTS = 50
_NONE = object()
_CASTS = {("integer", "string"): "integer->string", ("string", "integer"): "string->integer"}


@dataclass(frozen=True)
class UpcastDraft:
    """Upcast ``steps`` as in a message file. ``gaps`` explain each example that does not become valid.

    ``checked`` is the number of examples.
    """

    steps: tuple[dict[str, Any], ...] = ()
    checked: int = 0
    gaps: tuple[str, ...] = ()


@dataclass
class _OperationSteps:
    """Steps by operation, in the order of application."""

    rename: dict[str, str] = field(default_factory=dict)
    cast: dict[str, str] = field(default_factory=dict)
    default: dict[str, Any] = field(default_factory=dict)
    set: dict[str, Any] = field(default_factory=dict)

    def as_list(self) -> list[dict[str, Any]]:
        every = {"rename": self.rename, "cast": self.cast, "default": self.default, "set": self.set}
        return [{name: given} for name, given in every.items() if given]


def draft_upcast(pair: Pair, examples: Sequence[Any], *, strict: bool) -> UpcastDraft:
    """Draft the steps from the old schema of ``pair`` to the new one, checked with ``examples`` of the old one.

    The simplest document of the old schema is checked, too, as it lacks all optional properties.
    """
    if pair.new is None or not pair.data_changed:
        return UpcastDraft()
    try:
        new = views.both(pair.new.schema, "strict" if strict else "tolerant", identify(pair.new.schema)).reader
        validator = SchemaValidator(new, identify(pair.new.schema), formats=True)
        plainest = ExampleAdapter(pair.old.schema, strict=strict).plainest()
    except SchemaError:
        return UpcastDraft()
    documents = [document for document in examples if isinstance(document, dict)]
    simplest = [plainest] if isinstance(plainest, dict) else []
    draft = _DraftSearch(pair, validator, [*documents[:_MAX_DOCUMENTS], *simplest])
    draft.infer()
    return UpcastDraft(tuple(draft.steps.as_list()), len(documents), tuple(draft.gaps([*documents, *simplest])))


class _DraftSearch:
    def __init__(self, pair: Pair, validator: SchemaValidator, documents: list[dict[str, Any]]) -> None:
        self.pair = pair
        self.validator = validator
        self.documents = documents
        self.steps = _OperationSteps()
        self.tried: set[str] = set()
        self.budget = _MAX_REFUSALS

    def infer(self) -> None:
        for old, new in renamed_fields(self.pair):
            if _has_upcast_path(old) and _has_upcast_path(new):
                self.steps.rename[old.path] = new.path
        for path, cast in self.casts():
            self.steps.cast[path] = cast
        for path, value in self.fixed_values():
            self.keeps(self.steps.set, path, value)
        for _ in range(_MAX_STEPS):
            if not self.add_default():
                return

    def fixed_values(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields that had one value and have another one, with the new value."""
        for path, old in self.pair.old_fields.items():
            new = self.pair.new_fields.get(self.steps.rename.get(path, path))
            if new is None or not _has_upcast_path(new):
                continue
            before, after = _only_value(old), _only_value(new)
            if before is not _NONE and after is not _NONE and before != after:
                yield new.path, after

    def casts(self) -> Iterator[tuple[str, str]]:
        """Yield the fields whose type changed, with the cast."""
        for path, old in self.pair.old_fields.items():
            new = self.pair.new_fields.get(self.steps.rename.get(path, path))
            before, after = _types(old), _types(new) if new else set()
            if not _has_upcast_path(old) or before & after:
                continue
            for (source, target), cast in _CASTS.items():
                if new and source in before and target in after:
                    yield new.path, cast

    def add_default(self) -> bool:
        """Add a default for the first missing property that has one. Return False when there is none."""
        for document in self.documents:
            for refusal in self.refusals(document):
                path = self.missing_path(refusal)
                # A name that no schema lists is specific to one document.
                if path not in self.pair.new_fields or path in self.tried or self.budget < 0:
                    continue
                self.tried.add(path)
                value = self.implied_value((*refusal.instance, str(refusal.missing)))
                if value is not _NONE and self.keeps(self.steps.default, path, value):
                    return True
        return False

    def missing_path(self, refusal: Refusal) -> str:
        return "" if refusal.missing is None else field_path((*refusal.instance, refusal.missing))

    def implied_value(self, where: Pointer) -> Any:
        """Return the value that the new schema implies: its default, the only one allowed, or null; else ``_NONE``."""
        assert self.pair.new is not None
        schemas = [node.schema for node in schemas_at(self.pair.new.schema, where)]
        for keyword in ("default", "const"):
            for schema in schemas:
                if keyword in schema:
                    return schema[keyword]
        for schema in schemas:
            if isinstance(schema.get("enum"), list) and len(schema["enum"]) == 1:
                return schema["enum"][0]
        nullable = [schema for schema in schemas if "null" in _type_names(schema.get("type"))]
        return None if nullable else _NONE

    def keeps(self, steps: dict[str, Any], path: str, value: Any) -> bool:
        """Keep the step if it adds refusals to no document: it may create parent objects, too."""
        before = [len(self.refusals(document)) for document in self.documents]
        steps[path] = value
        after = [len(self.refusals(document)) for document in self.documents]
        if sum(after) < sum(before) and all(new <= old for new, old in zip(after, before, strict=True)):
            return True
        del steps[path]
        return False

    def refusals(self, document: dict[str, Any]) -> list[Refusal]:
        """Return the refusals of the document by the new schema, after the steps."""
        try:
            refusals = self.validator.refusals(compiled(self.steps.as_list()).apply(document))
        except (UpcastError, ValueError) as err:
            refusals = [Refusal((), "upcast", (), getattr(err, "message", str(err)))]
        self.budget -= 1 + len(refusals)
        return refusals

    def is_valid(self, document: dict[str, Any]) -> bool:
        try:
            return self.validator.accepts(compiled(self.steps.as_list()).apply(document))
        except (UpcastError, ValueError):
            return False

    def gaps(self, documents: Iterable[dict[str, Any]]) -> Iterator[str]:
        """Yield an explanation of each distinct gap, with the first document that shows it."""
        reported: set[tuple[Any, ...]] = set()
        unfit = (document for document in documents if not self.is_valid(document))
        for document in islice(unfit, _MAX_EXPLAINED):
            refused = self.refusals(document)
            key = tuple(refusal.point for refusal in refused)
            if refused and key not in reported:
                reported.add(key)
                yield f"{_explanation(refused)} (for {_abbreviated(document)})"


def _explanation(refused: Iterable[Refusal]) -> str:
    parts = []
    for refusal in refused:
        if refusal.missing is not None:
            path = field_path((*refusal.instance, refusal.missing))
            parts.append(f"nothing fills '{path}', add `- default: {{{path}: …}}`")
        else:
            where = field_path(refusal.instance)
            parts.append(f"'{where}': {refusal.message}" if where else refusal.message)
    return "; ".join(parts[:3])


def _abbreviated(document: Any) -> str:
    text = json.dumps(document, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:119]}…"


def _has_upcast_path(field: DeclaredProperty) -> bool:
    """Return True where an upcast path can name the field: it cannot name unlisted properties."""
    return OTHERS not in field.steps and not any("[" in step for step in field.steps if isinstance(step, str))


def _only_value(field: DeclaredProperty) -> Any:
    """Return the value that ``const``, or ``enum`` with one value, fixes; else ``_NONE``."""
    node = field.node_with("const")
    if node is not None:
        return node.schema["const"]
    listed = field.keyword_value("enum")
    return listed[0] if isinstance(listed, list) and len(listed) == 1 else _NONE


def _types(field: DeclaredProperty) -> set[str]:
    types = set(_type_names(field.keyword_value("type")))
    return types | {"integer"} if "number" in types else types


def _type_names(types: Any) -> list[str]:
    return [types] if isinstance(types, str) else [t for t in types if isinstance(t, str)] if types else []
