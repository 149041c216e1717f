"""An `enum` with values of several JSON types, without a `type` that lists them.

`[1, 2, unknown]` or `[true, "no"]` usually has a value that YAML read differently from its neighbours. If it is
intended, six languages need a union for it, and Spark stores JSON text. `null` beside another type is fine. A `type`
that lists all types shows the intention.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        api_version: {enum: [1.0, 1.1, 1.1-beta]}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        api_version: {enum: ["1.0", "1.1", 1.1-beta]}

Fix::

    Quote the values that should be text, or list the types: `type: [integer, string]`. A published message whose values
    change their type needs a new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.schema.types import kind_of

severity = Severity.WARNING
profile = "standard"

_CALLED = {"fraction": "number", "integer": "number"}


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("enum"):
        values = field.schema["enum"]
        if "type" in field.schema or not isinstance(values, list) or len({*map(type, values)}) < 2:
            continue
        kinds = [_CALLED.get(kind, kind) for kind in map(kind_of, values)]
        counted = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds) if kind != "null"}
        if len(counted) < 2:
            continue
        # the one that is rarest was probably not meant, or else its neighbours were not
        odd = min(reversed(counted), key=lambda kind: counted[kind])
        at = kinds.index(odd)
        others = " and ".join(f"{kind}s" for kind in counted if kind != odd)
        text = f"the values of {field.shown} have mixed types: {'an' if odd[0] in 'ao' else 'a'} {odd} among {others}"
        fix = "quote the values that are strings, or list the types: type: [...]"
        yield Problem(text, field.source, (*field.pointer, "enum", at), fix=fix, urn=field.urn)
