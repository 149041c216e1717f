"""Proof rules for null, booleans, numbers and strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, Facts, count
from babelreg.breaking.containment.proof.inclusion import Proof
from babelreg.breaking.containment.proof.pattern_automata import no_string_left
from babelreg.breaking.containment.proof.ranges import is_readable, range_of, range_of_all

__all__ = [
    "always",
    "enumerates_strings",
    "never",
    "numbers_imply",
    "numbers_unsatisfiable",
    "strings_imply",
    "strings_unsatisfiable",
]

_MAX_ENUMERATED = 24
_AUTOMATON_STEPS = 20


def always(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """Return True: null and booleans have no keywords of their own."""
    return True


def never(proof: Proof, facts: Facts) -> bool:
    """Return False: null and booleans are enumerated, so no keyword of theirs can contradict another."""
    return False


def numbers_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """Decide ``Proof.implies`` for numbers, by their ranges."""
    given, wanted = range_of_all(facts), range_of(outer.schema)
    if given.empty:
        return True
    if wanted.step is not None and (given.step is None or given.step % wanted.step):
        return False
    return is_readable(outer.schema) and given.is_within(wanted)


def numbers_unsatisfiable(proof: Proof, facts: Facts) -> bool:
    """Decide ``Proof.unsatisfiable`` for numbers, by their range."""
    return range_of_all(facts).empty


_CONTENT = ("contentEncoding", "contentMediaType")
"""Asserted in drafts 6 and 7 by some validators, together: of ``application/json`` in base64 the text is not JSON."""


def _same_values(facts: Facts, schema: dict[str, Any], keywords: Sequence[str]) -> bool:
    """Return True if ``schema`` has none of ``keywords``, or one of the facts has the same values of all of them."""
    wanted = [schema.get(keyword) for keyword in keywords]
    return not any(value is not None for value in wanted) or any(
        [node.schema.get(keyword) for keyword in keywords] == wanted for node in facts
    )


def strings_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """Decide ``Proof.implies`` for strings, by their lengths and patterns."""
    schema = outer.schema
    asserted = (("format",) if proof.formats else (), _CONTENT)
    if not all(_same_values(facts, schema, keywords) for keywords in asserted):
        return False
    least, most = _lengths(facts)
    patterns = _patterns(facts)
    wanted_least, wanted_most = count(schema.get("minLength", 0)), count(schema.get("maxLength"))
    if wanted_least is None:
        return False
    shorter = wanted_least - 1 if most is None else min(wanted_least - 1, most)
    if wanted_least > least and not _no_string(proof, patterns, (), least, shorter):
        return False
    too_long = wanted_most is not None and (most is None or most > wanted_most)
    if too_long and not (patterns and _no_string(proof, patterns, (), (wanted_most or 0) + 1, most)):
        return False
    pattern = schema.get("pattern")
    return pattern is None or pattern in patterns or _no_string(proof, patterns, (pattern,), least, most)


def _no_string(
    proof: Proof,
    matching: list[str],
    none_of: Sequence[str],
    least: int = 0,
    most: int | None = None,
    but: Sequence[str] = (),
) -> bool:
    proof.spend(_AUTOMATON_STEPS)
    return no_string_left(matching, none_of, least, most, but=but)


def enumerates_strings(proof: Proof, facts: Facts, schema: dict[str, Any]) -> bool:
    """Return True if patterns leave no string but those that ``schema`` lists: ``^[ab]$`` within ``enum: [a, b]``."""
    least, most = _lengths(facts)
    patterns = _patterns(facts)
    lists = [schema["enum"]] if "enum" in schema else []
    lists += [[schema["const"]]] if "const" in schema else []
    enumerations = [[value for value in values if isinstance(value, str)] for values in lists]
    return bool(patterns) and all(
        len(strings) <= _MAX_ENUMERATED and _no_string(proof, patterns, (), least, most, but=strings)
        for strings in enumerations
    )


def strings_unsatisfiable(proof: Proof, facts: Facts) -> bool:
    """Decide ``Proof.unsatisfiable`` for strings, by their lengths and patterns."""
    least, most = _lengths(facts)
    if most is not None and least > most:
        return True
    patterns = _patterns(facts)
    return len(patterns) > 1 and _no_string(proof, patterns, (), least, most)


def _lengths(facts: Facts) -> tuple[int, int | None]:
    lows = [count(node.schema.get("minLength")) or 0 for node in facts]
    highs = [most for node in facts if (most := count(node.schema.get("maxLength"))) is not None]
    return max(lows, default=0), min(highs, default=None)


def _patterns(facts: Facts) -> list[str]:
    return sorted({pattern for node in facts if isinstance(pattern := node.schema.get("pattern"), str)})
