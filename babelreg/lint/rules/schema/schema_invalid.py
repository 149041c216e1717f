"""A `data` that is not a valid JSON Schema.

Nothing can be checked, generated or compared with a schema that no validator accepts. Usual reasons: a misspelt
type, a keyword with a value of the wrong type, a regular expression that does not compile, a `$schema` that is
neither 2020-12 nor draft-07.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: int}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}

Fix::

    Correct the keyword that the finding points at; its message says what the standard requires there. No message is
    validated differently, since none could be validated before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.metaschema import schema_faults
from babelreg.lint.scope import Scope
from babelreg.model import Edit, Source
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if message.data is None:
            continue
        problems = list(_problems(message.data, message.source, ("data",), message.urn))
        yield from problems
        if not problems and message.schema is not None:
            reason = scope.validator(message).reason
            if reason is not None:
                yield Problem(f"data: {reason}", message.source, ("data",), fix="simplify it", urn=message.urn)
    for fragment in scope.fragments:
        yield from _problems(fragment.schema, fragment.source, (), None)


def _problems(schema: Any, source: Source, base: Pointer, urn: str | None) -> Iterator[Problem]:
    for fault in schema_faults(schema):
        at = base + fault.pointer
        edits = tuple(Edit(source.path, "remove", (*at, index)) for index in reversed(fault.repeated))
        yield Problem(fault.message, source, at, fix=fault.fix, urn=urn, edits=edits)
