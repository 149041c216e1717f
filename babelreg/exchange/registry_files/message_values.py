"""The value of a message file: the facts of its source around its schema, and the examples that are valid."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from babelreg.contract.views import producer_view
from babelreg.contract.violation import violations
from babelreg.errors import SchemaError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import SourceExample, SourceMessage
from babelreg.exchange.naming.plan import PlannedMessage
from babelreg.exchange.schemas.assembly import assemble
from babelreg.exchange.schemas.units import UnitGraph
from babelreg.exchange.sources.own_annotations import own_title, without_own_annotations
from babelreg.finding import Finding
from babelreg.model import Registry, Urn
from babelreg.schema.dialects import DEFAULT
from babelreg.schema.validation_cost import BoundedValidator, bounded

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
MOST_EXAMPLES = 20
MOST_EXAMPLE_CHARACTERS = 100_000
_LONGEST_DESCRIPTION = 2000
LeakOf = Callable[[Any], str | None]


class ExampleCheck:
    """Selection of the documents beside a schema that a producer of its message may send, and everybody may read.

    ``leak_of`` takes a document and says what in it looks like a secret or like data of a person, or returns None.
    """

    def __init__(self, graph: UnitGraph, registry: Registry, leak_of: LeakOf) -> None:
        self._graph = graph
        self._registry = registry
        self._leak_of = leak_of

    def valid(self, source: SourceMessage, planned: PlannedMessage, findings: list[Finding]) -> list[SourceExample]:
        """Return the valid examples of ``source``; the others are added to ``findings``."""
        if not source.examples:
            return []
        validator = self._validator(source, planned)
        valid = []
        for example in source.examples:
            finding = self._refusal(validator, example, planned.urn) or self._leak(example, planned.urn)
            if finding is None:
                valid.append(example)
            else:
                findings.append(finding)
        few = _few(valid)
        if len(few) < len(valid):
            message = (
                f"{len(valid) - len(few)} of {len(valid)} documents are left out: {planned.urn} has enough examples"
            )
            findings.append(import_finding("import-schema-adjusted", message, valid[0].place, urn=planned.urn))
        return few

    def _refusal(
        self, validator: Validator | BoundedValidator | None, example: SourceExample, urn: str
    ) -> Finding | None:
        """Return a finding that says why ``example`` is not valid, without its values; None where it is."""
        reason = "the schema could not be used to check it"
        if validator is not None:
            violation = next(violations(validator, example.data), None)
            if violation is None:
                return None
            reason = violation.detail
        message = f"this document is not valid for {urn} and is left out: {reason}"
        fix = "correct the document, or the schema"
        return import_finding("import-example-invalid", message, example.place, fix=fix, urn=urn)

    def _leak(self, example: SourceExample, urn: str) -> Finding | None:
        leak = self._leak_of(example.data)
        if leak is None:
            return None
        message = f"this document is left out of the examples of {urn}: it has {leak}"
        fix = "replace the value in the document with one that belongs to nobody"
        return import_finding("import-example-private", message, example.place, fix=fix, urn=urn)

    def _validator(self, source: SourceMessage, planned: PlannedMessage) -> Validator | BoundedValidator | None:
        data = assemble(self._graph, [source.target], {}).data[source.target]
        strict = self._registry.compatibility(Urn.parse(planned.urn).context).reader == "strict"
        try:
            view = data if strict else producer_view(data, DEFAULT)
            return bounded(DEFAULT.validator_for(view), view, DEFAULT)
        except (SchemaError, RecursionError):
            return None


def _few(examples: Sequence[SourceExample]) -> list[SourceExample]:
    """Return as many of ``examples`` as a message file should hold."""
    few: list[SourceExample] = []
    left = MOST_EXAMPLE_CHARACTERS
    for example in examples:
        length = len(json.dumps(example.data))
        if len(few) < MOST_EXAMPLES and length <= left:
            few.append(example)
            left -= length
    return few


def message_value(
    source: SourceMessage,
    planned: PlannedMessage,
    data: Mapping[str, Any],
    graph: UnitGraph,
    owner: str | None,
    examples: Sequence[SourceExample],
    known_urns: Collection[str] = (),
) -> dict[str, Any]:
    """Return the members of a message file in their order; its ``data`` keeps no description of its own.

    A message supersedes the version before it where that is one of ``known_urns``.
    """
    root = graph.units[source.target].schema
    own = without_own_annotations(dict(data), planned.urn)
    description = source.facts.get("description") or (root.get("description") if isinstance(root, dict) else None)
    if not isinstance(description, str) or not description.strip():
        description = own_title(root, planned.urn) if isinstance(root, dict) else None
    if own.get("description") == description:
        own.pop("description", None)
    listed = own.pop("examples", None)
    value: dict[str, Any] = {"urn": planned.urn}
    if source.facts.get("aliases"):
        value["aliases"] = source.facts["aliases"]
    value["kind"] = planned.kind
    if planned.status != "active":
        value["status"] = planned.status
    if isinstance(description, str) and description.strip():
        value["description"] = description.strip()[:_LONGEST_DESCRIPTION]
    if owner is not None:
        value["owner"] = owner
    value |= {key: source.facts[key] for key in ("queue", "producers", "consumers") if source.facts.get(key)}
    supersedes = source.facts.get("supersedes") or str(Urn.parse(planned.urn).previous)
    if supersedes in known_urns:
        value["supersedes"] = supersedes
    if planned.status == "deprecated":
        own.pop("deprecated", None)
        if _DATE.match(str(source.facts.get("sunset"))):
            value["sunset"] = source.facts["sunset"]
    value["data"] = own
    documents = _distinct([example.data for example in examples])
    if documents:
        value["examples"] = documents
    elif listed is not None and not source.examples:
        value["data"] = {**own, "examples": listed}
    return value


def _distinct(documents: Sequence[Any]) -> list[Any]:
    return list({json.dumps(document, sort_keys=True): document for document in documents}.values())
