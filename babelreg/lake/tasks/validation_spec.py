"""Specification that a batch is validated against: schemas and columns, on the driver and in the workers."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from babelreg.typemap import spark as typemap
from babelreg.wire.mapping import Key

if TYPE_CHECKING:
    from babelreg.contract import Contract
    from babelreg.lake.tasks.message_bridge import MessageBridge
    from babelreg.lake.tasks.row_validator import RowValidator

Mappings = Mapping[str, Mapping[Key, str]]
"""The URNs of foreign names, by wire format."""

_CONTRACTS: dict[str, Contract] = {}
_VALIDATORS: dict[str, RowValidator] = {}
_SPECS: dict[str, ValidationSpec] = {}
_UNUSABLE: dict[str, Mapping[str, str]] = {}


@dataclass(frozen=True)
class ValidationSpec:
    """Schemas and settings that messages are validated against. Plain data, so that it can be sent to the workers.

    ``schemas`` is the argument of ``Contract``, in the order of table ids; ``columns`` are those of each ``data``.
    ``mappings`` are the URNs of foreign names, ``aliases`` those of other names under which messages are sent.
    """

    schemas: Mapping[str, Any]
    columns: tuple[typemap.Struct, ...]
    strict: tuple[str, ...]
    digests: bool
    key: str
    mappings: Mappings = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        schemas: Mapping[str, Any],
        strict: Iterable[str] = (),
        *,
        digests: bool = True,
        mappings: Mappings | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> ValidationSpec:
        """Return the spec for bundled schemas by URN; ``strict`` are the URNs with strict readers.

        ``digests`` says whether duplicates will be searched for.
        """
        ordered, strict = dict(sorted(schemas.items())), tuple(sorted(strict))
        mapped = {wire: dict(urns) for wire, urns in sorted((mappings or {}).items())}
        named = {wire: list(urns.items()) for wire, urns in mapped.items()}
        known = {alias: urn for alias, urn in sorted((aliases or {}).items()) if urn in ordered}
        parts: list[Any] = [ordered, strict, digests, named]
        if known:  # what came later: the keys of specs without it stay, and with them the logs of streams
            parts.append(known)
        key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        if key not in _SPECS:
            _SPECS.clear()  # `--watch` asks for the same spec before every batch
            columns = tuple(typemap.columns(schema) for schema in ordered.values())
            _SPECS[key] = cls(ordered, columns, strict, digests, key, mapped, known)
        return _SPECS[key]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as bytes that a worker with the same spec does not unpack: each task carries a copy."""
        return _unpickled, (self.key, self._packed)

    @cached_property
    def _packed(self) -> bytes:
        return pickle.dumps((self.schemas, self.columns, self.strict, self.digests, self.mappings, self.aliases))

    @property
    def unusable(self) -> Mapping[str, str]:
        """Reasons why schemas cannot be used, by URN: found on the driver, not by a worker at its first message."""
        from babelreg.contract.schema_problem import uncompiled

        if self.key not in _UNUSABLE:
            _UNUSABLE.clear()
            _UNUSABLE[self.key] = uncompiled(self.contract(), self.schemas)
        return _UNUSABLE[self.key]

    def contract(self) -> Contract:
        """Return the contract, built once in each process: its schemas are compiled for all that validate by it."""
        from babelreg.contract import Contract

        if self.key not in _CONTRACTS:
            _CONTRACTS.clear()
            _CONTRACTS[self.key] = Contract(self.schemas, strict=self.strict, aliases=self.aliases)
        return _CONTRACTS[self.key]

    @property
    def urns(self) -> tuple[str, ...]:
        """The URNs in the order of table ids."""
        return tuple(self.schemas)

    @cached_property
    def aliased(self) -> frozenset[str]:
        """The URNs whose tables have the column ``sent_urn``: those of messages with aliases."""
        return frozenset(self.aliases.values())

    def bridge(self) -> MessageBridge:
        """Return the bridge of foreign messages. Runs on the workers."""
        from babelreg.lake.tasks.message_bridge import MessageBridge

        return MessageBridge(self.mappings)

    def row_validator(self) -> RowValidator:
        """Return the row validator, built once in each process. Runs on the workers."""
        from babelreg.lake.tasks.row_validator import RowValidator

        if self.key not in _VALIDATORS:
            # A worker runs many tasks, all of them with the newest registry.
            _VALIDATORS.clear()
            _VALIDATORS[self.key] = RowValidator(
                self.schemas, self.columns, aliases=self.aliases, contract=self.contract()
            )
        return _VALIDATORS[self.key]


def _unpickled(key: str, packed: bytes) -> ValidationSpec:
    if key not in _SPECS:
        _SPECS.clear()
        schemas, columns, strict, digests, mappings, aliases = pickle.loads(packed)
        _SPECS[key] = ValidationSpec(schemas, columns, strict, digests, key, mappings, aliases)
    return _SPECS[key]
