"""A property whose name cannot be a table column.

Delta and Parquet writers refuse a space, a tab, a line break and any of `,;{}()=` in a column name, at every level,
and no language takes them in an identifier: each reader has to rename the field in its own way.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        "order id": {type: integer}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}

Fix::

    Rename it to letters, digits and underscores. On a published message that is a new version, with an `upcast` that
    renames. If the keys are data, such as texts that people typed, describe the object by `additionalProperties`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import words
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"

# Source: Delta Lake, "Column names with spaces and other invalid characters": ' ,;{}()\n\t='
_REFUSED = re.compile(r"[ ,;{}()\n\t=]")
_CALLED = {" ": "a space", "\n": "a line break", "\t": "a tab"}


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("properties"):
        properties = field.schema["properties"]
        # all names at once: hardly any object has such a name
        if not isinstance(properties, dict) or not _REFUSED.search("".join(properties)):
            continue
        for name in properties:
            refused = _REFUSED.search(name)
            if refused is not None and "${" not in name:  # property-name-variable says more
                what = _CALLED.get(refused[0], f"'{refused[0]}'")
                text = f"{name!r} contains {what}, which a column name may not"
                plain = "_".join(words(name))
                fix = f"rename it to {plain}" if plain else "rename it to letters, digits and underscores"
                at = (*field.pointer, "properties", name)
                yield Problem(text, field.source, at, key=True, fix=fix, urn=field.urn)
