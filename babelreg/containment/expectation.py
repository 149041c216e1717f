"""Containment of a message's data in what one of its consumers expects.

An expectation is a JSON Schema for the values at one field path: ``total.currency``, ``lines[].qty``, ``rates.*``, or
``.`` for the whole data. It holds where every value there that producers may send satisfies it. A document that has
nothing at the path satisfies it, too: presence is expected by ``required`` at the parent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from babelreg.containment.comparison import DirectionVerdict
from babelreg.containment.fields import declared
from babelreg.containment.schema_pair import Reader, SchemaPair
from babelreg.containment.second_validator import SecondValidator
from babelreg.containment.witness import Witness
from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify
from babelreg.schema.field_path import EACH, OTHERS, Step, parts
from babelreg.schema.pointer import find


class ExpectationVerdict(NamedTuple):
    """A verdict on an expectation; where it does not hold, ``witness`` is a document that producers may send."""

    verdict: DirectionVerdict
    witness: Witness | None = None

    @property
    def holds(self) -> bool:
        """True where it is proved."""
        return self.verdict.kind == "compatible"

    @property
    def value(self) -> Any:
        """The value in the witness that the expectation refuses; of an absent one, the object that lacks it."""
        assert self.witness is not None
        return find(self.witness.document, self.witness.refusal.instance)


def expectation_verdict(
    schema: Any, path: str, expected: Any, *, reader: Reader, shared: SecondValidator | None = None
) -> ExpectationVerdict:
    """Decide whether data of ``schema`` satisfies ``expected`` at ``path``.

    ``reader`` as in :func:`babelreg.containment.compare`: the writers are those of ``schema``. A schema that cannot be
    used is unknown, with the reason.
    """
    try:
        dialect = identify(schema)
        outer = expectation_schema(schema, path, expected)
        pair = SchemaPair(schema, outer, dialect, reader=reader, formats=True, shared=shared)
        containment = pair.containment("backward")
        verdict = containment.verdict()
        witnesses = containment.every_witness() if verdict.kind == "breaking" else []
    except SchemaError as err:
        return ExpectationVerdict(DirectionVerdict("unknown", reason=err.message, fix=err.fix))
    return ExpectationVerdict(verdict, witnesses[0] if witnesses else None)


def expectation_schema(schema: Any, path: str, expected: Any) -> Any:
    """Return a schema of whole documents that asks ``expected`` of each value at ``path``.

    It is in the dialect of ``schema``. A ``*`` stands for the properties that ``schema`` does not name there.
    """
    steps = parts(path)
    asked = expected
    for depth in range(len(steps) - 1, -1, -1):
        asked = _around(schema, steps[:depth], steps[depth], asked)
    if isinstance(schema, dict) and "$schema" in schema and isinstance(asked, dict):
        return {"$schema": schema["$schema"], **asked}
    return asked


def _around(schema: Any, above: tuple[Step, ...], step: Step, asked: Any) -> dict[str, Any]:
    if step is EACH:
        return {"items": asked}
    if step != OTHERS:
        return {"properties": {step: asked}}
    named = sorted(field.name for field in declared(schema).values() if field.steps[:-1] == above)
    return {"properties": dict.fromkeys(named, True), "additionalProperties": asked}
