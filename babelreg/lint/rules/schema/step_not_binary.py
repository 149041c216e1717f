"""A `multipleOf` that a double cannot represent exactly, such as 0.01.

JSON numbers become doubles, and 0.01 is not one of them: whether 19.99 is a multiple of it depends on how a validator
rounds, and Java, Node and Python disagree on the same message. Exact steps (0.5, 0.25, whole numbers) are fine, and so
is a step beside `x-spark-type: decimal`, which derives its scale from it.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        weight_kg: {type: number, multipleOf: 0.01}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        weight_g: {type: integer, minimum: 0}

Fix::

    Count in the smaller unit, as an integer; or send a decimal as text with a pattern such as `^[0-9]+[.][0-9]{2}$`.
    Both need a new version. Removing the step breaks nobody.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"

_FINEST = 2**20  # a step that was meant as a power of two is not finer


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("multipleOf"):
        step = field.schema["multipleOf"]
        if not isinstance(step, float) or not 0 < step < math.inf or "x-spark-type" in field.schema:
            continue
        if step.as_integer_ratio()[1] > _FINEST:
            text = f"validators disagree on whether a number is a multiple of {step}"
            fix = "an integer in the smaller unit, or a decimal as a string"
            yield Problem(text, field.source, (*field.pointer, "multipleOf"), fix=fix, urn=field.urn)
