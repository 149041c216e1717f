"""Values that a schema lists: the checker's part for ``enum`` and ``const``.

A validator decides. For a reading of patterns that is not its own, each pattern is replaced by one that matches exactly
those strings of the value that the pattern matches. Part of the checker: of babelreg, it imports other parts only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from babelreg.breaking.containment.certificates.core_schemas import View, mentions, type_of
from babelreg.breaking.containment.certificates.pattern_tables import is_ecma, matches

__all__ = ["Validators", "with_literals"]

EMAIL = jsonschema_rs.EmailOptions(allow_display_text=False)
NAMES = tuple(f"Draft{number}Validator" for number in ("4", "6", "7", "201909", "202012"))
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
PATTERNS = ("pattern", "patternProperties")


class Validators:
    """The validators of one certificate; each schema is compiled once. It is to live as long as the schemas do."""

    def __init__(self, draft: int, *, formats: bool) -> None:
        self._draft, self._formats = draft, formats
        self._read: dict[int, tuple[Any, bool, Any]] = {}

    def permits(self, core: Any, view: View, reading: str, value: Any) -> bool | None:
        """Return whether a subschema permits the value; None where it is not made of one, or others may say otherwise.

        A part of a schema with references has not all that these lead to; in draft 4, 1 and 1.0 have two types.
        """
        if self._draft == 0 and any(type_of(item) == "number" for item in _parts(value)):
            return None
        if id(core) not in self._read:
            self._read[id(core)] = self._reading(core, view)
        schema, patterns, validator = self._read[id(core)]
        if patterns and reading != "ecma":
            validator = self._validator(with_literals(schema, self._draft, reading, value))
        try:
            return None if validator is None else bool(validator.is_valid(value))
        except ValueError:
            return None

    def _reading(self, core: Any, view: View) -> tuple[Any, bool, Any]:
        """Return the subschema in known keywords, whether it has patterns, and its validator; None for no subschema."""
        if id(core) not in view.origins:
            return None, False, None
        copy = View(view.origins[id(core)], self._draft, formats=True, rewrite=False).root
        text = json.dumps(copy)
        if core is not view.root and mentions(text, REFERENCES):
            return None, False, None
        return copy, mentions(text, PATTERNS), self._validator(copy)

    def _validator(self, schema: Any) -> Any:
        if schema is None:
            return None
        try:
            make = getattr(jsonschema_rs, NAMES[self._draft])
            return make(schema, validate_formats=self._formats, email_options=EMAIL, offline=True)
        except ValueError:
            return None


def _parts(value: Any) -> Iterator[Any]:
    """Yield the value and all values in it, names included."""
    yield value
    for item in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _parts(item)


def with_literals(schema: Any, draft: int, reading: str, value: Any) -> Any:
    """Return the schema with other patterns, which match the same of the value's strings; None where it has none.

    References may not lead through a pattern, as it is written differently then.
    """
    strings = sorted({part for part in _parts(value) if isinstance(part, str)})
    view = View(schema, draft, formats=True, rewrite=False)
    for _, subschema in view.pairs:
        references = [subschema[keyword] for keyword in REFERENCES if keyword in subschema]
        named = subschema.get("patternProperties", {})
        literals = [_literal(pattern, reading, strings, at) for at, pattern in enumerate(named)]
        if any("%" in reference or "pattern" in reference for reference in references) or None in literals:
            return None
        if named:
            subschema["patternProperties"] = dict(zip(literals, named.values(), strict=True))
        if "pattern" in subschema:
            subschema["pattern"] = _literal(subschema["pattern"], reading, strings, 0)
            literals.append(subschema["pattern"])
        if None in literals or len(subschema.get("patternProperties", ())) < len(named):
            return None
    return view.root


def _literal(pattern: str, reading: str, strings: list[str], at: int) -> str | None:
    """Return a pattern that matches those of the strings that ``pattern`` matches, another one for each ``at``."""
    if is_ecma(pattern, reading):
        return pattern
    found = {text: matches(pattern, reading, text) for text in strings}
    if None in found.values():
        return None
    other = max(strings, key=len, default="") + "x" * (1 + at)
    matched = [re.sub(r"[\\^$.*+?()\[\]{}|]", r"\\\g<0>", text) for text in [other, *strings] if found.get(text, True)]
    return f"^(?:{'|'.join(matched)})$"
