"""Proof rules for the keywords of the outer schema that apply subschemas to the value itself."""

from __future__ import annotations

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, Facts, conjuncts, possible_types
from babelreg.breaking.containment.proof.derivation import EVIDENT, Step, every, step
from babelreg.breaking.containment.proof.inclusion import Proof
from babelreg.breaking.containment.proof.tags import Tags

__all__ = ["all_of_implied", "any_of_implied", "conditional_implied", "not_implied", "one_of_implied"]


def all_of_implied(proof: Proof, facts: Facts, type_name: str, outer: BoundSchema) -> Step | None:
    """Derive every member of the outer ``allOf``."""
    members = every(proof.implies_for(facts, type_name, outer.at(member)) for member in outer.schema["allOf"])
    return None if members is None else step("all", *members)


def any_of_implied(proof: Proof, facts: Facts, type_name: str, outer: BoundSchema) -> Step | None:
    """Derive one branch of the outer ``anyOf``, or what its negated branch leaves."""
    branches = [outer.at(branch) for branch in outer.schema["anyOf"]]
    for at in Tags(facts, type_name, proof.dialect).likeliest_first(branches):
        derived = proof.implies_for(facts, type_name, branches[at])
        if derived is not None:
            return step("branches", derived, of=(at,))
    for at, branch in enumerate(branches):
        if isinstance(branch.schema, dict) and branch.schema.keys() - {"$defs", "definitions"} == {"not"}:
            # Only values that satisfy the negated schema are left for the other branches.
            more = conjuncts((*facts, branch.at(branch.schema["not"])), proof.dialect, proof.derived)
            if more is None or type_name not in possible_types(more):
                return step("branches", EVIDENT, of=(at,))
            for other_at, other in enumerate(branches):
                derived = None if other_at == at else proof.implies_for(more, type_name, other)
                if derived is not None:
                    return step("branches", derived, of=(at, other_at))
    return None


def one_of_implied(proof: Proof, facts: Facts, type_name: str, outer: BoundSchema) -> Step | None:
    """Derive exactly one branch of the outer ``oneOf``."""
    branches = [outer.at(branch) for branch in outer.schema["oneOf"]]
    tags = Tags(facts, type_name, proof.dialect)

    def contradicted(other: BoundSchema) -> Step | None:
        proof.spend(1)
        return tags.contradiction(other) or proof.unsatisfiable_for((*facts, other), type_name)

    for at in tags.likeliest_first(branches):
        derived = proof.implies_for(facts, type_name, branches[at])
        if derived is not None:
            apart = every(map(contradicted, branches[:at] + branches[at + 1 :]))
            if apart is not None:
                return step("only", derived, *apart, of=(at,))
    return None


def not_implied(proof: Proof, facts: Facts, type_name: str, outer: BoundSchema) -> Step | None:
    """Derive that nothing satisfies what the outer schema negates."""
    return proof.unsatisfiable_for((*facts, outer.at(outer.schema["not"])), type_name)


def conditional_implied(proof: Proof, facts: Facts, type_name: str, outer: BoundSchema) -> Step | None:
    """Derive what the outer ``if`` demands of values that meet it, and of the others."""
    schema = outer.schema
    condition, then, other = (outer.at(schema.get(keyword, True)) for keyword in ("if", "then", "else"))
    met = conjuncts((*facts, condition), proof.dialect, proof.derived)
    possible = met is not None and type_name in possible_types(met)
    consequence = proof.implies_for(met, type_name, then) if met is not None and possible else EVIDENT
    if consequence is None:
        return None
    unmet = conjuncts((*facts, proof.derived.negation(condition)), proof.dialect, proof.derived)
    if unmet is None or type_name not in possible_types(unmet):
        return step("if", consequence, EVIDENT)
    alternative = proof.implies_for(unmet, type_name, other)
    if alternative is not None:
        return step("if", consequence, alternative)
    always = proof.implies_for(facts, type_name, condition)
    return None if always is None else step("if", consequence, always)
