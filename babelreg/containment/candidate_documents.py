"""Candidate documents of one containment question: those of the inner schema that the outer one is likely to refuse."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any

from babelreg.containment.compiled_schemas import CompiledSchemas
from babelreg.containment.schema_diff import Difference
from babelreg.containment.search.guided import documents_reaching
from babelreg.containment.search.node import SearchDocument, compared, interleaved
from babelreg.containment.search.values import CandidateSearch
from babelreg.schema.pointer import Pointer

__all__ = ["CandidateDocuments"]

_GUIDED = 600
_GUIDED_PER_PLACE = 12


class _GeneratedDocuments(Iterator[Any]):
    """Documents, generated on demand; those already generated are in ``generated``."""

    def __init__(self, source: Iterator[Any]) -> None:
        self._source = source
        self.generated: list[Any] = []

    def __next__(self) -> Any:
        self.generated.append(next(self._source))
        return self.generated[-1]


class CandidateDocuments:
    """The documents to try, from two sources. ``inner`` and ``outer`` name schemas."""

    def __init__(self, schemas: CompiledSchemas, inner: str, outer: str) -> None:
        self._schemas = schemas
        self._inner = inner
        self._outer = outer

    @property
    def differences(self) -> list[Difference]:
        """Where the two schemas differ as written; an empty list where one of them is not available."""
        return self._schemas.differences

    @cached_property
    def likeliest(self) -> _GeneratedDocuments:
        """Documents of the whole schema, the likeliest to be refused first."""
        inner, outer = self._sides
        return _GeneratedDocuments(CandidateSearch().documents(inner.node, outer.node))

    @property
    def guided_budget(self) -> int:
        """How many documents of :meth:`guided` to try: more where the schemas differ at more places."""
        return max(_GUIDED, _GUIDED_PER_PLACE * len(self.differences))

    def guided(self, refused: Collection[Pointer] = ()) -> Iterator[Any]:
        """Yield documents that reach the differences, a few for each place in turn; not for values that are refused."""
        inner, outer = self._sides
        for side in (inner, outer):
            side.compile_again()
        search = CandidateSearch()
        sources = [
            documents_reaching(search, (inner.node,), (outer.node,), difference.place)
            for difference in self.differences
            if not any(map(difference.is_of, refused))
        ]
        return interleaved(sources)

    @cached_property
    def _sides(self) -> tuple[SearchDocument, SearchDocument]:
        named, dialect, formats = self._schemas.named, self._schemas.dialect, self._schemas.formats
        inner, outer = (SearchDocument(named[name], dialect, formats=formats) for name in (self._inner, self._outer))
        return compared(inner, outer)
