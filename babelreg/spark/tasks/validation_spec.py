"""What a batch judges messages by: schemas and columns, on the session's side and on the workers'."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    from babelreg.spark.tasks.row_validator import RowValidator

__all__ = ["ValidationSpec"]

_VALIDATORS: dict[str, RowValidator] = {}
_SPECS: dict[str, ValidationSpec] = {}
_UNUSABLE: dict[str, Mapping[str, str]] = {}


@dataclass(frozen=True)
class ValidationSpec:
    """What a message must satisfy to become a row. Plain data, so that it travels to the workers.

    ``schemas`` is what ``Contract`` takes, in the order of ``table_id``; ``columns`` are those of each URN's ``data``.
    """

    schemas: Mapping[str, Any]
    columns: tuple[typemap.Struct, ...]
    strict: tuple[str, ...]
    digests: bool
    key: str

    @classmethod
    def of(cls, schemas: Mapping[str, Any], strict: Iterable[str] = (), *, digests: bool = True) -> ValidationSpec:
        """The spec for bundled schemas by URN; ``strict`` are the URNs whose readers are strict.

        ``digests`` says whether duplicates will be looked for.
        """
        ordered, strict = dict(sorted(schemas.items())), tuple(sorted(strict))
        key = hashlib.sha256(json.dumps([ordered, strict, digests]).encode()).hexdigest()
        if key not in _SPECS:
            _SPECS.clear()  # who watches a folder asks for the same one again and again
            columns = tuple(typemap.columns(schema) for schema in ordered.values())
            _SPECS[key] = cls(ordered, columns, strict, digests, key)
        return _SPECS[key]

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels as bytes that a worker which knows the spec does not look into: there is one for each task."""
        return _restored, (self.key, self._packed)

    @cached_property
    def _packed(self) -> bytes:
        return pickle.dumps((self.schemas, self.columns, self.strict, self.digests))

    @property
    def unusable(self) -> Mapping[str, str]:
        """The reasons why schemas cannot be used, by URN: found here, not on a worker at its first message."""
        from babelreg.contract.usable import unusable_by_readers

        if self.key not in _UNUSABLE:
            _UNUSABLE.clear()
            _UNUSABLE[self.key] = unusable_by_readers(self.schemas, self.strict)
        return _UNUSABLE[self.key]

    @property
    def urns(self) -> tuple[str, ...]:
        """The URNs in the order of ``table_id``."""
        return tuple(self.schemas)

    def row_validator(self) -> RowValidator:
        """The validators and fitters, built once in each process. Called on the workers."""
        from babelreg.spark.tasks.row_validator import RowValidator

        if self.key not in _VALIDATORS:
            # A worker serves many tasks, and only the newest registry matters to them.
            _VALIDATORS.clear()
            _VALIDATORS[self.key] = RowValidator(self.schemas, self.columns, self.strict, digests=self.digests)
        return _VALIDATORS[self.key]


def _restored(key: str, packed: bytes) -> ValidationSpec:
    if key not in _SPECS:
        _SPECS.clear()
        schemas, columns, strict, digests = pickle.loads(packed)
        _SPECS[key] = ValidationSpec(schemas, columns, strict, digests, key)
    return _SPECS[key]
