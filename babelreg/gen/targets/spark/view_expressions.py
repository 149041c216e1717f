"""SQL expressions of the columns of a view: without personal data, and JSON text as VARIANT.

A nested value is rebuilt around the changed part: arrays by ``transform``, maps by ``transform_values``, structs by
``named_struct``. A column in which nothing changes stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from babelreg.schema.annotations import Annotation, Others
from babelreg.schema.field_path import EACH
from babelreg.typemap import spark
from babelreg.typemap.spark import Array, Json, Map, Scalar, SparkType, Struct

KEY = "${babelreg.mask_key}"
"""Variable for the secret of digests, a string literal: Spark substitutes the value given by ``SET``."""


@dataclass(frozen=True, slots=True)
class ColumnTransform:
    """Transformation of columns for a view. ``variant``: JSON text is parsed.

    ``masks`` has ``hash`` for the categories whose marked text becomes a digest. All other marked values become null,
    and so does a map that is itself marked: its keys may reveal as much as its values.
    """

    variant: bool = False
    masks: Mapping[str, str] = field(default_factory=dict)

    def expression(self, type_: SparkType, column: str, marks: Sequence[Annotation], depth: int = 0) -> str:
        """Return the SQL of ``column``, an expression of ``type_``. ``marks``: its annotations, and those inside it."""
        own = [mark for mark in marks if not mark.path]
        hashed = bool(own) and all(_hashed(self.masks, mark.value) for mark in own)
        if (own and not hashed) or (marks and not isinstance(type_, Array | Map | Struct) and not own):
            return self._null(type_)
        if isinstance(type_, Array):
            return self._array(type_, column, marks, depth)
        if isinstance(type_, Struct):
            return self._struct(type_, column, marks, depth)
        if isinstance(type_, Map):
            return self._null(type_) if own else self._map(type_, column, marks, depth)
        if own:
            return f"sha2(concat({KEY}, {column}), 256)" if type_ is Scalar.STRING else self._null(type_)
        return f"parse_json({column})" if isinstance(type_, Json) and self.variant else column

    def _null(self, type_: SparkType) -> str:
        shown = spark.as_variant(type_) if self.variant else type_
        return f"CAST(NULL AS {spark.ddl_type(shown, comments=False)})"

    def _array(self, type_: Array, column: str, marks: Sequence[Annotation], depth: int) -> str:
        item = f"item{depth}"
        inner = self.expression(type_.element, item, _inside(marks, items=True), depth + 1)
        return column if inner == item else f"transform({column}, {item} -> {inner})"

    def _map(self, type_: Map, column: str, marks: Sequence[Annotation], depth: int) -> str:
        value = f"value{depth}"
        inner = self.expression(type_.value, value, _inside(marks, items=False), depth + 1)
        return column if inner == value else f"transform_values({column}, (key{depth}, {value}) -> {inner})"

    def _struct(self, type_: Struct, column: str, marks: Sequence[Annotation], depth: int) -> str:
        parts, changed, inside = [], False, Members(marks)
        for member in type_.fields:
            old = f"{column}.{spark.name(member.name)}"
            new = self.expression(member.type, old, inside.of(member.name), depth + 1)
            changed = changed or new != old
            parts.append(f"{spark.string(member.name)}, {new}")
        if not changed:
            return column
        return f"if({column} IS NULL, NULL, named_struct({', '.join(parts)}))"


class Members:
    """Annotations of an object, grouped by property."""

    def __init__(self, marks: Sequence[Annotation]) -> None:
        self._every = [mark for mark in marks if not mark.path]
        self._named: dict[str, list[Annotation]] = {}
        self._others: list[tuple[Others, Annotation]] = []
        for mark in marks:
            first = mark.path[0] if mark.path else None
            if isinstance(first, str):
                self._named.setdefault(first, []).append(_deeper(mark))
            elif isinstance(first, Others):
                self._others.append((first, _deeper(mark)))

    def of(self, name: str) -> list[Annotation]:
        """Return the annotations of the property ``name`` and inside it."""
        others = [mark for step, mark in self._others if name not in step.named]
        return [*self._every, *self._named.get(name, ()), *others]


def _inside(marks: Sequence[Annotation], *, items: bool) -> list[Annotation]:
    """Return the annotations of the items of an array, or of the values of an object whatever their names."""
    return [_deeper(mark) for mark in marks if not mark.path or (mark.path[0] is EACH) == items]


def _deeper(mark: Annotation) -> Annotation:
    return Annotation(mark.path[1:], mark.value)


def _hashed(masks: Mapping[str, str], category: object) -> bool:
    return isinstance(category, str) and masks.get(category) == "hash"
