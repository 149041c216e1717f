"""Proof rules for objects: the schema of each property, required properties, and their number.

Property names fall into classes by the schemas that apply to them: each name that either side lists is a class of its
own, all others are classified by the patterns that they match. A combination of patterns that no name matches is
skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, Facts, at_least, conjuncts, count
from babelreg.breaking.containment.proof.derivation import APART, EVIDENT, PatternLemma, Step, every, step
from babelreg.breaking.containment.proof.inclusion import KeywordSteps, Proof
from babelreg.breaking.containment.proof.pattern_automata import lemma_holds, matches
from babelreg.schema.keywords import DEPENDENT

__all__ = ["objects_imply", "objects_unsatisfiable"]

_MAX_PATTERNS = 6


def objects_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> KeywordSteps | None:
    """Derive the keywords of ``outer`` for objects."""
    schema = outer.schema
    required = _required(facts)
    if not required.issuperset(schema.get("required") or ()) or not _count_implied(facts, required, schema):
        return None
    keywords: KeywordSteps = {}
    if _max_properties(facts) == 0:
        return keywords
    for keyword, present, derive in _KEYWORD_RULES:
        if not schema.keys().isdisjoint(present):
            derived = derive(proof, facts, outer)
            if derived is None:
                return None
            keywords[keyword] = derived
    for keyword, rules in _dependents(proof, schema):
        if rules:
            derived = _dependent_implied(proof, facts, outer, rules)
            if derived is None:
                return None
            keywords[keyword] = derived
    return keywords


def _dependents(proof: Proof, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the keywords that demand something where a property is there, each named as it is in 2020-12."""
    for keyword in DEPENDENT:
        rules = schema.get(keyword) or {}
        if keyword == "dependencies" and proof.dialect.ref_alone:
            yield "dependentRequired", {name: item for name, item in rules.items() if isinstance(item, list)}
            yield "dependentSchemas", {name: item for name, item in rules.items() if not isinstance(item, list)}
        else:
            yield keyword, rules


def objects_unsatisfiable(proof: Proof, facts: Facts) -> Step | None:
    """Derive that no object satisfies ``facts``."""
    required = _required(facts)
    most = _max_properties(facts)
    if most is not None and most < max(len(required), _min_properties(facts, required)):
        return APART
    for name in sorted(required):
        contradiction = _property_absent(proof, facts, name)
        if contradiction is not None:
            return step("no-property", contradiction, of=(name,))
    return None


def _required(facts: Facts) -> frozenset[str]:
    listed = (node.schema.get("required") for node in facts)
    return frozenset(name for names in listed if isinstance(names, list) for name in names)


def _min_properties(facts: Facts, required: frozenset[str]) -> int:
    return max([len(required), *(count(node.schema.get("minProperties")) or 0 for node in facts)])


def _max_properties(facts: Facts) -> int | None:
    return min((most for node in facts if (most := count(node.schema.get("maxProperties"))) is not None), default=None)


def _count_implied(facts: Facts, required: frozenset[str], schema: dict[str, Any]) -> bool:
    if not at_least(schema, "minProperties", _min_properties(facts, required)):
        return False
    if "maxProperties" not in schema:
        return True
    wanted = count(schema["maxProperties"])
    given = [most for node in facts if (most := count(node.schema.get("maxProperties"))) is not None]
    given += [
        len(node.schema.get("properties", {}))
        for node in facts
        if node.schema.get("additionalProperties") is False and not node.schema.get("patternProperties")
    ]
    return wanted is not None and any(most <= wanted for most in given)


def _property_names_implied(proof: Proof, facts: Facts, outer: BoundSchema) -> Step | None:
    wanted = outer.at(outer.schema["propertyNames"])
    text = proof.derived.of_names(outer, {"type": "string"}, "string")
    given = [node.at(node.schema["propertyNames"]) for node in facts if "propertyNames" in node.schema]
    with proof.deeper():
        derived = proof.implies((text, *given), wanted)
        if derived is not None:
            return step("names", derived)
        for node in facts:
            if _is_closed(node):
                names = [
                    proof.derived.of_names(outer, {"enum": [name]}, "name", name)
                    for name in sorted(node.schema.get("properties") or {})
                ]
                listed = every(proof.implies((text, name), wanted) for name in names)
                if listed is not None:
                    return step("listed-names", *listed, of=(node,))
    return None


def _is_closed(node: BoundSchema) -> bool:
    return node.schema.get("additionalProperties") is False and not node.schema.get("patternProperties")


def _dependent_implied(proof: Proof, facts: Facts, outer: BoundSchema, rules: dict[str, Any]) -> Step | None:
    """Derive a keyword that demands names or a schema where a property is there; in drafts up to 7 one has both."""
    premises: list[Step] = []
    for name, demanded in sorted(rules.items()):
        if isinstance(demanded, list) and _names_demanded(proof, facts, name).issuperset(demanded):
            premises.append(step("types", APART, of=("object",)))
            continue
        # What the property demands, where it is there, are facts for the checker as well.
        present = proof.derived.of_names(outer, {"type": "object", "required": [name]}, "present", name)
        there = conjuncts((*facts, present), proof.dialect, proof.derived)
        if there is None:
            premises.append(EVIDENT)
            continue
        absent = _property_absent(proof, there, name)
        if absent is not None:
            premises.append(step("types", step("no-property", absent, of=(name,)), of=("object",)))
            continue
        implied = None if isinstance(demanded, list) else proof.implies(there, outer.at(demanded))
        if implied is None:
            return None
        premises.append(implied)
    return step("dependent", *premises)


def _names_demanded(proof: Proof, facts: Facts, name: str) -> set[str]:
    """Return names that an object surely has where it has ``name``."""
    demanded = set(_required(facts))
    for node in facts:
        demanded |= set((node.schema.get("dependentRequired") or {}).get(name, ()))
        if proof.dialect.ref_alone:  # later dialects leave it to the validator whether ``dependencies`` applies
            names = (node.schema.get("dependencies") or {}).get(name)
            demanded |= set(names) if isinstance(names, list) else set()
    return demanded


def _property_absent(proof: Proof, facts: Facts, name: str) -> Step | None:
    """Derive that no value of the property ``name`` satisfies ``facts``."""
    applied = _property_facts(facts, name)
    proof.reads_patterns |= any("patternProperties" in node.schema for node in facts)
    with proof.deeper():
        return None if applied is None else proof.unsatisfiable(applied)


def _properties_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> Step | None:
    """Derive the schemas of each listed property, then those of each combination of patterns."""
    premises: list[Step] = []
    names = {name for node in (*facts, outer) for name in node.schema.get("properties") or {}}
    tags = {name for name, schema in (outer.schema.get("properties") or {}).items() if _lists_values(schema)}
    with proof.deeper():
        # Comparing these first soon tells the members of a union apart.
        if not all(_listed_implied(proof, facts, outer, name, []) for name in sorted(tags)):
            return None
        if not all(_listed_implied(proof, facts, outer, name, premises) for name in sorted(names)):
            return None
        patterns = sorted(
            {(text, node.reading) for node in (*facts, outer) for text in node.schema.get("patternProperties") or {}}
        )
        if len(patterns) > _MAX_PATTERNS:
            return None
        proof.reads_patterns |= bool(patterns)
        skipped: list[PatternLemma | None] = []
        for matched, lemma in _pattern_combinations(patterns, names):
            skipped.append(lemma)
            if lemma is None:
                inner, wanted = (_facts_by_patterns(nodes, matched) for nodes in (facts, (outer,)))
                if not _all_implied(proof, inner, wanted, premises):
                    return None
    return step("properties", *premises, of=tuple(skipped) if any(skipped) else ())


def _lists_values(schema: Any) -> bool:
    return isinstance(schema, dict) and not schema.keys().isdisjoint(("const", "enum"))


def _listed_implied(proof: Proof, facts: Facts, outer: BoundSchema, name: str, premises: list[Step]) -> bool:
    """Add to ``premises`` a derivation of each schema that ``outer`` has for the property ``name``."""
    proof.spend(1 + len(facts) // 4)
    inner, wanted = _property_facts(facts, name), _property_facts((outer,), name)
    return inner is not None and wanted is not None and _all_implied(proof, inner, wanted, premises)


def _all_implied(proof: Proof, inner: Facts, wanted: Facts, premises: list[Step]) -> bool:
    """Add to ``premises`` a derivation of each schema in ``wanted`` that refuses anything; False without one."""
    for schema in wanted:
        if schema.schema is True or schema.schema == {}:
            continue
        derived = proof.implies(inner, schema)
        if derived is None:
            contradiction = proof.unsatisfiable(inner)
            if contradiction is None:
                return False
            derived = contradiction
        premises.append(derived)
    return True


def _property_facts(facts: Facts, name: str) -> Facts | None:
    """Return the schemas that apply to the property ``name``; None where a pattern cannot be read."""
    applied: list[BoundSchema] = []
    for node in facts:
        listed, patterns = node.schema.get("properties") or {}, node.schema.get("patternProperties") or {}
        schemas = [listed[name]] if name in listed else []
        for pattern, schema in patterns.items():
            matched = matches(pattern, name, node.reading)
            if matched is None:
                return None
            schemas += [schema] if matched else []
        applied += map(node.at, schemas or [node.schema.get("additionalProperties", True)])
    return tuple(applied)


def _facts_by_patterns(facts: Facts, matched: frozenset[tuple[str, str]]) -> Facts:
    """Return the schemas that apply to a property that is not listed and matches exactly the patterns ``matched``."""
    applied: list[BoundSchema] = []
    for node in facts:
        patterns = node.schema.get("patternProperties") or {}
        schemas = [schema for pattern, schema in patterns.items() if (pattern, node.reading) in matched]
        applied += map(node.at, schemas or [node.schema.get("additionalProperties", True)])
    return tuple(applied)


def _pattern_combinations(
    patterns: list[tuple[str, str]], names: set[str]
) -> Iterator[tuple[frozenset[tuple[str, str]], PatternLemma | None]]:
    """Yield every subset of ``patterns``; with the proof, where no name outside ``names`` matches just these."""
    listed = tuple(sorted(names))
    for chosen in product((True, False), repeat=len(patterns)):
        matched = tuple(pattern for pattern, yes in zip(patterns, chosen, strict=True) if yes)
        others = tuple(pattern for pattern, yes in zip(patterns, chosen, strict=True) if not yes)
        lemma = PatternLemma(matched, others, 0, None, listed)
        yield frozenset(matched), lemma if len(patterns) > 1 and lemma_holds(lemma) else None


_KEYWORD_RULES = (
    ("propertyNames", {"propertyNames"}, _property_names_implied),
    ("properties", {"properties", "patternProperties", "additionalProperties"}, _properties_imply),
)
"""Rules with the name of their step and the keywords that they derive."""
