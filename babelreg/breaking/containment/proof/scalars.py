"""Proof rules for null, booleans, numbers and strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, Facts, count
from babelreg.breaking.containment.proof.derivation import APART, PatternLemma, Step, step
from babelreg.breaking.containment.proof.inclusion import KeywordSteps, Proof
from babelreg.breaking.containment.proof.pattern_automata import lemma_holds
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


def always(proof: Proof, facts: Facts, outer: BoundSchema) -> KeywordSteps | None:
    """Derive everything: null and booleans have no keywords of their own."""
    return {}


def never(proof: Proof, facts: Facts) -> Step | None:
    """Derive nothing: null and booleans are enumerated, so no keyword of theirs can contradict another."""
    return None


def numbers_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> KeywordSteps | None:
    """Derive the keywords of ``outer`` for numbers, from their ranges."""
    given, wanted = range_of_all(facts), range_of(outer.schema)
    if given.empty:
        return {}
    if wanted.step is not None and (given.step is None or given.step % wanted.step):
        return None
    return {} if is_readable(outer.schema) and given.is_within(wanted) else None


def numbers_unsatisfiable(proof: Proof, facts: Facts) -> Step | None:
    """Derive that no number satisfies ``facts``, from their range."""
    return APART if range_of_all(facts).empty else None


_CONTENT = ("contentEncoding", "contentMediaType")
"""Asserted in drafts 6 and 7 by some validators, together: of ``application/json`` in base64 the text is not JSON."""


def _same_values(facts: Facts, schema: dict[str, Any], keywords: Sequence[str]) -> bool:
    """Return True if ``schema`` has none of ``keywords``, or one of the facts has the same values of all of them."""
    wanted = [schema.get(keyword) for keyword in keywords]
    return not any(value is not None for value in wanted) or any(
        [node.schema.get(keyword) for keyword in keywords] == wanted for node in facts
    )


def strings_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> KeywordSteps | None:
    """Derive the keywords of ``outer`` for strings, from their lengths and patterns."""
    schema = outer.schema
    asserted = (("format",) if proof.formats else (), _CONTENT)
    if not all(_same_values(facts, schema, keywords) for keywords in asserted):
        return None
    least, most = _lengths(facts)
    patterns = _patterns(facts)
    wanted_least, wanted_most = count(schema.get("minLength", 0)), count(schema.get("maxLength"))
    if wanted_least is None or (wanted_most is None and "maxLength" in schema):
        return None
    keywords: KeywordSteps = {}
    if wanted_least > least:
        shorter = wanted_least - 1 if most is None else min(wanted_least - 1, most)
        too_short = _no_string(proof, patterns, (), least, shorter)
        if too_short is None:
            return None
        keywords["minLength"] = too_short
    if wanted_most is not None and (most is None or most > wanted_most):
        too_long = _no_string(proof, patterns, (), wanted_most + 1, most) if patterns else None
        if too_long is None:
            return None
        keywords["maxLength"] = too_long
    pattern = schema.get("pattern")
    if pattern is not None and not any(_same_pattern((pattern, outer.reading), given) for given in patterns):
        unmatched = _no_string(proof, patterns, [(pattern, outer.reading)], least, most)
        if unmatched is None:
            return None
        keywords["pattern"] = unmatched
    return keywords


def _same_pattern(left: tuple[str, str], right: tuple[str, str]) -> bool:
    """Return True if both are matched by the same strings, as they are written alike."""
    return left == right or (left[0] == right[0] and "$" not in left[0] and {left[1], right[1]} <= _PYTHON_READINGS)


_PYTHON_READINGS = {"python", "python-sender"}


def _no_string(
    proof: Proof,
    matching: Sequence[tuple[str, str]],
    none_of: Sequence[tuple[str, str]],
    least: int = 0,
    most: int | None = None,
    but: Sequence[str] = (),
) -> Step | None:
    proof.spend(_AUTOMATON_STEPS)
    proof.reads_patterns = True
    lemma = PatternLemma(tuple(matching), tuple(none_of), least, most, tuple(but))
    return step("no-string", of=(lemma,)) if lemma_holds(lemma) else None


def enumerates_strings(proof: Proof, facts: Facts, schema: dict[str, Any]) -> Step | None:
    """Derive that patterns leave no string but those that ``schema`` lists: ``^[ab]$`` within ``enum: [a, b]``."""
    least, most = _lengths(facts)
    patterns = _patterns(facts)
    listed = schema.get("enum", [schema.get("const")])
    if "const" in schema:
        listed = [value for value in listed if value == schema["const"]]
    strings = [value for value in listed if isinstance(value, str)]
    if not patterns or len(strings) > _MAX_ENUMERATED:
        return None
    return _no_string(proof, patterns, (), least, most, but=strings)


def strings_unsatisfiable(proof: Proof, facts: Facts) -> Step | None:
    """Derive that no string satisfies ``facts``, from their lengths and patterns."""
    least, most = _lengths(facts)
    if most is not None and least > most:
        return APART
    patterns = _patterns(facts)
    return _no_string(proof, patterns, (), least, most) if len(patterns) > 1 else None


def _lengths(facts: Facts) -> tuple[int, int | None]:
    lows = [count(node.schema.get("minLength")) or 0 for node in facts]
    highs = [most for node in facts if (most := count(node.schema.get("maxLength"))) is not None]
    return max(lows, default=0), min(highs, default=None)


def _patterns(facts: Facts) -> list[tuple[str, str]]:
    texts = {(node.schema.get("pattern"), node.reading) for node in facts}
    return sorted((text, reading) for text, reading in texts if isinstance(text, str))
