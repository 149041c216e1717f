"""The ``upcast`` steps of a next version, as far as they can be inferred: what was renamed, cast, or has a default.

A step is kept only where it brings documents of the old shape nearer to the new one and spoils none. What is left to
say is said, with a document that shows it: a guess would fill a gap that nobody notices.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from babelreg.breaking.changes.pairs import Pair, renamed_fields
from babelreg.breaking.containment.fields import DeclaredProperty, field_path, schemas_at
from babelreg.breaking.containment.validator import Refusal, SchemaValidator
from babelreg.breaking.mint.example_migration import ExampleAdapter
from babelreg.contract import views
from babelreg.contract.upcast import UpcastError, compiled
from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify
from babelreg.schema.field_path import OTHERS
from babelreg.schema.pointer import Pointer

__all__ = ["UpcastDraft", "draft_upcast"]

_MOST_STEPS = 40
# Refusals looked at while steps are inferred, and documents explained at the end: what a schema asks for has no bound.
_MOST_REFUSALS = 10_000
_MOST_EXPLAINED = 20
_MOST_DOCUMENTS = 50
_NONE = object()
_CASTS = {("integer", "string"): "integer->string", ("string", "integer"): "string->integer"}


@dataclass(frozen=True)
class UpcastDraft:
    """``steps`` as a message file lists them. ``left`` says of each example that does not become valid why not."""

    steps: tuple[dict[str, Any], ...] = ()
    checked: int = 0
    left: tuple[str, ...] = ()


@dataclass
class _OperationSteps:
    """The steps so far, by operation, in the order they are applied."""

    rename: dict[str, str] = field(default_factory=dict)
    cast: dict[str, str] = field(default_factory=dict)
    default: dict[str, Any] = field(default_factory=dict)

    def listed(self) -> list[dict[str, Any]]:
        every = {"rename": self.rename, "cast": self.cast, "default": self.default}
        return [{name: given} for name, given in every.items() if given]


def draft_upcast(pair: Pair, examples: Sequence[Any], *, strict: bool) -> UpcastDraft:
    """The steps from the old schema of ``pair`` to the new one, checked with ``examples`` of the old one.

    The plainest document of the old schema is checked too, for it lacks what need not be there.
    """
    if pair.new is None or not pair.data_changed:
        return UpcastDraft()
    try:
        new = views.both(pair.new.schema, "strict" if strict else "tolerant", identify(pair.new.schema)).reader
        judge = SchemaValidator(new, identify(pair.new.schema), formats=True)
        plainest = ExampleAdapter(pair.old.schema, strict=strict).plainest()
    except SchemaError:
        return UpcastDraft()
    shown = [document for document in examples if isinstance(document, dict)]
    bare = [plainest] if isinstance(plainest, dict) else []
    draft = _UpcastDraft(pair, judge, [*shown[:_MOST_DOCUMENTS], *bare])
    draft.infer()
    return UpcastDraft(tuple(draft.steps.listed()), len(shown), tuple(draft.left([*shown, *bare])))


class _UpcastDraft:
    def __init__(self, pair: Pair, judge: SchemaValidator, documents: list[dict[str, Any]]) -> None:
        self.pair = pair
        self.judge = judge
        self.documents = documents
        self.steps = _OperationSteps()
        self.tried: set[str] = set()
        self.budget = _MOST_REFUSALS

    def infer(self) -> None:
        for old, new in renamed_fields(self.pair):
            if _speakable(old) and _speakable(new):
                self.steps.rename[old.path] = new.path
        for path, cast in self.retyped():
            self.steps.cast[path] = cast
        for _ in range(_MOST_STEPS):
            if not self.filled():
                return

    def retyped(self) -> Iterator[tuple[str, str]]:
        """The fields whose values are written otherwise now, and how one becomes the other."""
        for path, old in self.pair.old_fields.items():
            new = self.pair.new_fields.get(self.steps.rename.get(path, path))
            before, after = _types(old), _types(new) if new else set()
            if not _speakable(old) or before & after:
                continue
            for (source, target), cast in _CASTS.items():
                if new and source in before and target in after:
                    yield new.path, cast

    def filled(self) -> bool:
        """Give a default to the first property that a document lacks, where one is known. False when none is left."""
        for document in self.documents:
            for refusal in self.refusals(document):
                path = self.lacking(refusal)
                # A name that no schema lists is one document's own, and says nothing of the others.
                if path not in self.pair.new_fields or path in self.tried or self.budget < 0:
                    continue
                self.tried.add(path)
                value = self.known((*refusal.instance, str(refusal.missing)))
                if value is not _NONE and self.helps(path, value):
                    return True
        return False

    def lacking(self, refusal: Refusal) -> str:
        return "" if refusal.missing is None else field_path((*refusal.instance, refusal.missing))

    def known(self, where: Pointer) -> Any:
        """The value that the new schema gives the place itself: its default, the only one allowed, or null."""
        assert self.pair.new is not None
        schemas = [node.schema for node in schemas_at(self.pair.new.schema, where)]
        for keyword in ("default", "const"):
            for schema in schemas:
                if keyword in schema:
                    return schema[keyword]
        for schema in schemas:
            if isinstance(schema.get("enum"), list) and len(schema["enum"]) == 1:
                return schema["enum"][0]
        nullable = [schema for schema in schemas if "null" in _listed(schema.get("type"))]
        return None if nullable else _NONE

    def helps(self, path: str, value: Any) -> bool:
        """Keep the default where it leaves no document worse off: it makes the objects on its way, too."""
        before = [len(self.refusals(document)) for document in self.documents]
        self.steps.default[path] = value
        after = [len(self.refusals(document)) for document in self.documents]
        if sum(after) < sum(before) and all(now <= then for now, then in zip(after, before, strict=True)):
            return True
        del self.steps.default[path]
        return False

    def refusals(self, document: dict[str, Any]) -> list[Refusal]:
        """What the new schema refuses of the document once it has gone through the steps."""
        try:
            found = self.judge.refusals(compiled(self.steps.listed()).apply(document))
        except (UpcastError, ValueError) as err:
            found = [Refusal((), "upcast", (), getattr(err, "message", str(err)))]
        self.budget -= 1 + len(found)
        return found

    def fits(self, document: dict[str, Any]) -> bool:
        try:
            return self.judge.takes(compiled(self.steps.listed()).apply(document))
        except (UpcastError, ValueError):
            return False

    def left(self, documents: Iterable[dict[str, Any]]) -> Iterator[str]:
        """What each kind of document still lacks, once, with the first that shows it."""
        said: set[tuple[Any, ...]] = set()
        unfit = (document for document in documents if not self.fits(document))
        for document in islice(unfit, _MOST_EXPLAINED):
            refused = self.refusals(document)
            key = tuple(refusal.point for refusal in refused)
            if refused and key not in said:
                said.add(key)
                yield f"{_short(document)}: {_why(refused)}"


def _why(refused: Iterable[Refusal]) -> str:
    parts = []
    for refusal in refused:
        if refusal.missing is not None:
            path = field_path((*refusal.instance, refusal.missing))
            parts.append(f"'{path}' is missing, say what it is: `- default: {{{path}: …}}`")
        else:
            where = field_path(refusal.instance)
            parts.append(f"'{where}': {refusal.message}" if where else refusal.message)
    return "; ".join(parts[:3])


def _short(document: Any) -> str:
    text = json.dumps(document, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:119]}…"


def _speakable(found: DeclaredProperty) -> bool:
    """True where a path of an upcast can name it: there is no word for any other property."""
    return OTHERS not in found.steps and not any("[" in step for step in found.steps if isinstance(step, str))


def _types(found: DeclaredProperty) -> set[str]:
    types = set(_listed(found.said("type")))
    return types | {"integer"} if "number" in types else types


def _listed(types: Any) -> list[str]:
    return [types] if isinstance(types, str) else [t for t in types if isinstance(t, str)] if types else []
