"""Attacks on the checker of certificates. Each certificate here claims a containment that a document refutes, so that no
derivation for it can be right and none may be accepted.

A damaged derivation of a true claim may well be another proof of it. So the damage is done to claims that are false:
the views of a certificate are replaced by others, for which a document is known that the inner one allows and the outer
one refuses, and the derivation is changed at random on top of that.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from corpora import CORPORA, corpora_needed
from random_claims import DOCUMENTS, edited, random_schema, with_definition

from babelreg.breaking.containment.certificates import pattern_tables
from babelreg.breaking.containment.certificates.checker import CertificateRefused, check
from babelreg.breaking.containment.certificates.content import parse
from babelreg.breaking.containment.certificates.prove import prove
from babelreg.breaking.containment.certificates.table_search import table_of
from babelreg.breaking.containment.preconditions import obstacle
from babelreg.breaking.containment.proof import arrays, conjuncts, inclusion, objects, ranges, scalars
from babelreg.breaking.containment.proof.derivation import PatternLemma
from babelreg.schema.dialects import DEFAULT, DIALECTS, Dialect


def refutation(inner: Any, outer: Any, dialect: Dialect = DEFAULT) -> Any:
    """A document that the inner schema allows and the outer one refuses, in a list; an empty one where none is known."""
    try:
        if obstacle(inner) or obstacle(outer):
            return []
        within, beyond = (dialect.validator_for(schema, formats=False) for schema in (inner, outer))
        return [d for d in DOCUMENTS if within.is_valid(d) and not beyond.is_valid(d)][:1]
    except (ValueError, TypeError, AttributeError, jsonschema_rs.ReferencingError, Exception):
        return []


def certificate(inner: Any, outer: Any) -> dict[str, Any] | None:
    """The certificate of a containment, None without one."""
    made = prove(inner, outer, DEFAULT, formats=False)["certificate"]
    return None if made is None else json.loads(json.dumps({**made, "inner": inner, "outer": outer}))


def accepted(claim: Any) -> bool:
    try:
        check(claim)
    except CertificateRefused:
        return False
    return True


def proofs(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Certificates of true claims about random schemas and their edits."""
    while True:
        inner = with_definition(random_schema(chance), chance)
        outer = edited(inner, chance, chance.randint(0, 3))
        if refutation(inner, True) is None or not isinstance(outer, (dict, bool)):
            continue
        try:
            if (
                obstacle(inner)
                or obstacle(outer)
                or not DEFAULT.validator_for(outer)
                or not DEFAULT.validator_for(inner)
            ):
                continue
            made = certificate(inner, outer)
        except Exception:
            continue
        if made is not None and len(made["steps"]) > 3:
            yield made


def attack(seed: int, times: int) -> tuple[int, list[Any]]:
    """Return how many false claims were made, and those that were accepted."""
    chance = random.Random(seed)
    made: list[Any] = []
    source = proofs(chance)
    tried = 0
    while tried < times:
        proof = next(source)
        assert accepted(proof), proof
        others: list[dict[str, Any]] = []
        for _ in range(12):
            side = chance.choice(["inner", "outer"])
            false = {**proof, side: edited(proof[side], chance, chance.randint(1, 2))}
            if refutation(false["inner"], false["outer"]):
                others.append(false)
        for false in others:
            tried += 1
            made += [false] if accepted(false) else []
            for _ in range(6):
                damaged = {**false}
                part = chance.choice(["steps", "steps", "tables", "readings"])
                damaged[part] = edited(false[part], chance, chance.randint(1, 3))
                tried += 1
                made += [damaged] if accepted(damaged) else []
    return tried, made


def test_no_false_claim_is_accepted_whatever_its_derivation() -> None:
    tried, wrong = attack(1, 1_000)
    assert tried >= 1_000
    assert wrong == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_no_false_claim_is_accepted_in_many_tries(seed: int) -> None:
    assert attack(seed, 10_000)[1] == []


@corpora_needed
@pytest.mark.long
def test_no_derivation_shows_what_a_document_refutes() -> None:
    """Breaking pairs of the corpora, each with the derivations of compatible pairs around it, as they are and damaged."""
    chance = random.Random(7)
    tried = 0
    for file in sorted(CORPORA.glob("*.jsonl")):
        cases = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        recent: list[dict[str, Any]] = []
        for case in cases:
            for direction, inner, outer in (("backward", "old", "new"), ("forward", "new", "old")):
                dialect, views = DIALECTS[case["draft"]], (case[inner], case[outer])
                made = prove(*views, dialect, formats=False)["certificate"]
                truth = case.get("truth", {}).get(direction)
                if made is not None:
                    recent = [*recent[-4:], json.loads(json.dumps(made))]
                    assert truth != "breaking" or file.stem == "change_kinds", case["id"]
                if truth == "breaking":
                    for graft in recent:
                        for claim in (graft, {**graft, "steps": edited(graft["steps"], chance, 2)}):
                            false = {**claim, "inner": views[0], "outer": views[1], "dialect": case["draft"]}
                            tried += 1
                            assert not accepted(false), case["id"]
    assert tried > 10_000


FALSE: list[tuple[Any, Any]] = [
    ({"type": "object", "required": ["a"]}, {"type": "object", "dependentRequired": {"a": ["b"]}}),
    ({"type": "object"}, {"type": "object", "additionalProperties": {"type": "integer"}}),
    ({"type": "object", "properties": {"a": True}}, {"type": "object", "unevaluatedProperties": False}),
    ({"type": "array"}, {"type": "array", "unevaluatedItems": False}),
    ({"type": "object"}, {"type": "object", "propertyNames": {"maxLength": 1}}),
    ({"type": "array", "minItems": 1}, {"type": "array", "contains": {"type": "string"}}),
]
"""Claims that documents refute, for rules that random schemas seldom need."""


def always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


@cache
def refuted() -> list[tuple[Any, Any]]:
    """Pairs that a document refutes, those of ``FALSE`` first."""
    chance = random.Random(3)
    return [pair for pair in [*FALSE, *(random_pair(chance) for _ in range(800))] if refutation(*pair)]


@pytest.mark.parametrize(
    "module, name, careless",
    [
        pytest.param(ranges.NumberRange, "is_within", always(True), id="bounds are not compared"),
        pytest.param(ranges.NumberRange, "empty", property(always(True)), id="every range is empty"),
        pytest.param(objects, "_count_implied", always(True), id="properties are not counted"),
        pytest.param(objects, "_required", lambda facts: frozenset("ab"), id="every property is required"),
        pytest.param(objects, "_max_properties", always(0), id="every object is empty"),
        pytest.param(objects, "_names_demanded", lambda *_: set("abc"), id="all properties depend on each other"),
        pytest.param(objects, "_property_absent", always(("types", (), ())), id="no property is ever there"),
        pytest.param(objects, "_KEYWORD_RULES", objects._KEYWORD_RULES[1:], id="names are left out"),
        pytest.param(objects, "_facts_by_patterns", lambda facts, matched: (), id="other properties are left out"),
        pytest.param(arrays, "_item_counts", always((9, 0)), id="no array has an item"),
        pytest.param(arrays, "_item_facts", lambda facts, position: facts, id="items are taken for arrays"),
        pytest.param(arrays, "_contains_implied", always(("contains-at", (), ())), id="contains is left out"),
        pytest.param(scalars, "_lengths", always((3, 1)), id="no string has a length"),
        pytest.param(scalars, "_same_pattern", always(True), id="all patterns are alike"),
        pytest.param(inclusion, "identical", always(True), id="all schemas are the same"),
        pytest.param(inclusion, "possible_types", lambda facts: ("string",), id="all values are strings"),
        pytest.param(
            inclusion, "_UNSUPPORTED", {t: set() for t in conjuncts.VALUE_TYPES}, id="every keyword has a rule"
        ),
        pytest.param(inclusion.Proof, "_type_implied", always(True), id="types are not compared"),
        pytest.param(inclusion.Proof, "_enum_implied", always(True), id="lists are not compared"),
        pytest.param(inclusion.Proof, "_permits", always(True), id="every value is permitted"),
        pytest.param(inclusion.Proof, "_values", always([]), id="no value is left"),
        pytest.param(inclusion.Proof, "deeper", None, id="an induction need not go into the value"),
    ],
)
def test_what_a_careless_prover_derives_is_refused_where_it_is_false(
    module: Any, name: str, careless: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if careless is None:
        monkeypatch.setattr(inclusion.Proof, "_opened", opened_by_a_reckless_prover(inclusion.Proof._opened))
    else:
        monkeypatch.setattr(module, name, careless)
    false = 0
    for inner, outer in refuted():
        try:
            claim = certificate(inner, outer)
        except Exception:
            continue
        false += claim is not None
        assert claim is None or not accepted(claim), (inner, outer)
    assert false > 0 or careless is None


HUGE = 2**53
NOTHING_MATCHES = {"all": [["^[0-9]{5}$", "ecma"]], "none": [], "least": 0, "most": None, "rows": ["1 0"]}
FORGED = {"version": 2, "dialect": "draft2020-12", "formats": False, "readings": {"ecma": 0}, "tables": []}


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param({"const": HUGE, "enum": [float(HUGE)]}, id="a number and its double"),
        pytest.param({"const": float(HUGE), "enum": [1, HUGE]}, id="a double and its number"),
        pytest.param({"const": [1e16], "enum": [[10**16]]}, id="in a list"),
        pytest.param({"const": {"a": [1e16]}, "enum": [{"a": [10**16]}]}, id="in an object"),
    ],
)
def test_equal_numbers_beyond_a_double_are_not_apart(inner: Any) -> None:
    value = inner["const"]
    assert DEFAULT.validator_for(inner).is_valid(value)
    for steps in (["values", [], []], ["apart", [], []]):
        assert not accepted({**FORGED, "inner": inner, "outer": False, "steps": [steps]})


def forged(**fields: Any) -> dict[str, Any]:
    """A certificate that strings of five digits are "ab", whose table leaves out what ``but`` has."""
    patterns = {"readings": {"ecma": 1, "python": 1}}
    steps = [["no-string", [0], []], ["types", ["string"], [0]]]
    views = {"inner": {"enum": ["ab", ["a", "b"]]}, "outer": {"enum": [["a", "b"]]}}
    return {**FORGED, **views, "steps": steps, "tables": [NOTHING_MATCHES], **patterns, **fields}


def of_table(**fields: Any) -> dict[str, Any]:
    table = {
        "all": [["^(ab|c)$", "ecma"]],
        "none": [["^c$", "ecma"]],
        "but": ["ab"],
        "least": 0,
        "most": None,
        "rows": ["1 1 0"],
    }
    return {"tables": [{**table, **fields}]}


@pytest.mark.parametrize(
    "fields",
    [
        *(pytest.param({"version": value}, id=f"version {value!r}") for value in (2.0, "2", True, None)),
        *(pytest.param({"dialect": value}, id=f"dialect {value!r}") for value in (4, None, ["draft4"])),
        *(pytest.param({"formats": value}, id=f"formats {value!r}") for value in (0, 1, None, "no")),
        *(pytest.param({"inner": value}, id=f"inner {value!r}") for value in ("type", 1, None, [])),
        *(pytest.param({"readings": value}, id=f"readings {value!r}")
          for value in ({"ecma": -1}, {"ecma": True}, {"ecma": 1.0}, {"ecma": "1"}, {"ecma": 1, "x": 1}, {}, ["ecma"], None)),
        *(pytest.param({"steps": [value]}, id=f"step {value!r}")
          for value in (None, "apart", ["apart"], ["apart", []], ["apart", [], [], []], ["apart", {}, []], ["apart", [], [-1]],
                        ["apart", [], [True]], ["apart", [], [1]], ["apart", [0], []], ["nothing", [], []], [["apart"], [], []],
                        ["types", ["integer"], [0]], ["same", [0], []], ["same", [0, -1], []], ["no-string", [None], []],
                        ["cases", [0, 0], []], ["keywords", [0, 0], []], ["no-property", [0], []], ["no-item", [0.0], []],
                        ["only", [0, 1], []], ["properties", ["0"], []], ["branches", ["0"], []])),
        *(pytest.param(of_table(**{name: value}), id=f"{name} {value!r}")
          for name, value in (
              ("but", [["a", "b"]]), ("but", "ab"), ("but", ["ab", None]), ("but", {"ab": 1}), ("all", ["^a"]), ("all", [["^a"]]),
              ("all", [["^a", "perl"]]), ("all", [[["^", "a"], "ecma"]]), ("none", [["^c$", "ecma", "ecma"]]), ("none", None),
              ("least", -1), ("least", True), ("least", "0"), ("least", None), ("most", -1), ("most", 1.5), ("rows", "1 1 0"),
              ("rows", [[1, 1, 0]]), ("rows", ["1 -1 0"]), ("rows", ["1 1_0 0"]), ("rows", ["0x1 1 0"]), ("rows", [""]),
              ("rows", [" 1 1 0"]))),
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_refused_before_the_replay(fields: dict[str, Any]) -> None:
    with pytest.raises(CertificateRefused) as refused:
        parse(forged(**fields))
    assert refused.value.step is None
    assert not accepted(forged(**fields))


def tabled() -> dict[str, Any]:
    """A certificate that each text of ``^(ab|c)$`` is "ab" or matches ``^c$``, by a table in which "ab" is left out."""
    tables, steps, readings = [], [], {}
    for number, (name, inner, outer) in enumerate([("ecma",) * 3, ("python-reader", "python-sender", "python")]):
        table = table_of(PatternLemma((("^(ab|c)$", inner),), (("^c$", outer),), 0, None, ("ab",)))
        tables.append(table)
        first = len(steps)
        readings[name] = first + 3
        steps += [["no-string", [number], []], ["branches", [0, 1], [first]], ["keywords", [1, "anyOf"], [first + 1]]]
        steps.append(["types", ["string"], [first + 2]])
    views = {
        "inner": {"type": "string", "pattern": "^(ab|c)$"},
        "outer": {"anyOf": [{"enum": ["ab"]}, {"pattern": "^c$"}]},
    }
    return {**FORGED, **views, "steps": steps, "tables": tables, "readings": readings}


def test_a_list_of_characters_is_not_a_string() -> None:
    assert accepted(tabled())
    text = json.dumps(tabled())
    for part in ('"but": ["ab"]', '"enum": ["ab"]'):
        assert part in text
    false = json.loads(text.replace('["ab"]', '[["a", "b"]]'))
    assert not DEFAULT.validator_for(false["outer"]).is_valid("ab")
    assert not accepted(false)


def test_a_table_of_too_many_transitions_is_refused() -> None:
    rows = [f"{number:x} 1 0" for number in range(pattern_tables.MOST_TRANSITIONS // 2)]
    with pytest.raises(pattern_tables.TableRefused, match="transitions"):
        pattern_tables.verify({**tabled()["tables"][0], "rows": rows})


def random_pair(chance: random.Random) -> tuple[Any, Any]:
    inner = with_definition(random_schema(chance), chance)
    return inner, with_definition(random_schema(chance), chance) if chance.random() < 0.3 else edited(inner, chance, 2)


def opened_by_a_reckless_prover(opened: Any) -> Any:
    """Return the search with every open goal taken for one about a larger value."""

    def reckless(self: Any, question: Any, facts: Any, outer: Any) -> Any:
        self._depth += 1
        return opened(self, question, facts, outer)

    return reckless
