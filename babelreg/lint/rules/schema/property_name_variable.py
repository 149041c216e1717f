"""A property name with `${...}`, which Spark replaces by the value of a variable.

Spark replaces `${env:HOME}` in the text of a statement before it parses it, so that quoting the name does not help:
the column gets the value as its name, which may be a secret of the machine, and statements about the table fail.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        "${env:HOME}": {type: string}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        home: {type: string}

Fix::

    Rename it to letters, digits and underscores. If the keys are data, such as names of variables, describe the
    object by `additionalProperties`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import words
from babelreg.lint.scope import Scope
from babelreg.load.registry.written_keywords import keywords
from babelreg.model import Source
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import may_contain

severity = Severity.ERROR
profile = "minimal"

# Source: Spark, ConfigReader.REF_RE: \$\{(?:(\w+?):)?(\S+?)\}; the end may be in the name of another column.
_VARIABLE = "${"
_NAMING = frozenset({"properties"})


def check(scope: Scope) -> Iterator[Problem]:
    for schema, source, base, urn in _schemas(scope):
        if not may_contain(schema, _VARIABLE):
            continue
        for at, _, value in keywords(schema, _NAMING):
            for name in value if isinstance(value, dict) else ():
                if _VARIABLE in name:
                    plain = "_".join(words(name))
                    fix = f"rename it to {plain or 'letters, digits and underscores'}"
                    text = f"{name!r} contains '{_VARIABLE}', which Spark replaces with the value of a variable"
                    yield Problem(text, source, (*base, *at, name), key=True, fix=fix, urn=urn)


def _schemas(scope: Scope) -> Iterator[tuple[Any, Source, Pointer, str | None]]:
    """Yield the schemas that become columns, as written, each file once."""
    seen = set(scope.registry.fragments)
    for fragment in scope.fragments:
        yield fragment.schema, fragment.source, (), None
    for message in scope.messages:
        yield message.data, message.source, ("data",), message.urn
        for name, source in message.origins.items():
            if source.path not in seen and message.schema is not None:  # a file elsewhere that a $ref leads to
                seen.add(source.path)
                yield message.schema["$defs"][name], source, (), None
