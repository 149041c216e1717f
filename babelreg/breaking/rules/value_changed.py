"""The constant value of a property changed.

Producers with the published schema send the old value, which new readers refuse, and published readers refuse the new
one. The usual case is a version number in a `const`.

Bad::

    # before
    data:
      type: object
      properties:
        version: {const: "2.2"}
    # after
    data:
      type: object
      properties:
        version: {const: "2.3"}

Good::

    # before
    data:
      type: object
      properties:
        version: {type: string}
    # after
    data:
      type: object
      properties:
        version: {type: string, examples: ["2.3"]}

Fix::

    Keep the value, or mint the next version; the draft of its `upcast` sets the new value. If the value is the version
    of the schema, the URN already has it, and the property needs no fixed value.
"""

from __future__ import annotations

from typing import Any

from babelreg.breaking.changes.abbreviation import short
from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


def name(example: RefusedDocument) -> Change | None:
    sending = example.sending_keyword("const", "enum") if example.keyword in ("const", "enum") else None
    if sending is None:
        return None
    there, here = _values(sending), _values((example.refusal.pointer, example.limit))
    if not there or not here or set(map(repr, there)) & set(map(repr, here)):
        return None
    before, after = (there, here) if example.backward else (here, there)
    message = f"the value of {example.subject} changed from {_spelled(before)} to {_spelled(after)}"
    return example.change(message, "const", "enum", keep=f"keep {_spelled(before)}")


def _values(keyword: tuple[Any, Any]) -> list[Any]:
    pointer, value = keyword
    return [value] if pointer[-1:] == ("const",) else list(value) if isinstance(value, list) else []


def _spelled(values: list[Any]) -> str:
    return short(values[0]) if len(values) == 1 else f"one of {short(values)}"
