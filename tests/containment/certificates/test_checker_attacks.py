"""Attacks on the checker of certificates. Each certificate here claims a containment that a document refutes, so that no
derivation for it can be right and none may be accepted.

A damaged derivation of a true claim may well be another proof of it. So the damage is done to claims that are false:
the views of a certificate are replaced by others, for which a document is known that the inner one allows and the outer
one refuses, and the derivation is changed at random on top of that.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from corpora import CORPORA, corpora_needed
from each import each
from proofs import certificate
from random_claims import DOCUMENTS, edited, random_schema, with_definition

from babelreg.containment.certificates import pattern_tables
from babelreg.containment.certificates.checker import CertificateRefused, check
from babelreg.containment.certificates.content import VERSION, parse
from babelreg.containment.certificates.table_search import table_of
from babelreg.containment.preconditions import obstacle
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
    tried, wrong = attack(1, 400)
    assert tried >= 400
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
                made = certificate(*views, dialect)
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


HUGE = 2**53
NOTHING_MATCHES = {"all": [["^[0-9]{5}$", "ecma"]], "none": [], "least": 0, "most": None, "rows": ["1 0"]}
FORGED = {"version": VERSION, "dialect": "draft2020-12", "formats": False, "readings": {"ecma": 0}, "tables": []}


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
    steps = [["no-string", [0], []], ["types", [], [0]]]
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


@each(
    "fields",
    [
        *(pytest.param({"version": value}, id=f"version {value!r}") for value in (3.0, "3", 2, True, None)),
        *(pytest.param({"dialect": value}, id=f"dialect {value!r}") for value in (4, None, ["draft4"])),
        *(pytest.param({"formats": value}, id=f"formats {value!r}") for value in (0, 1, None, "no")),
        *(pytest.param({"inner": value}, id=f"inner {value!r}") for value in ("type", 1, None, [])),
        *(pytest.param({"readings": value}, id=f"readings {value!r}")
          for value in ({"ecma": -1}, {"ecma": True}, {"ecma": 1.0}, {"ecma": "1"}, {"ecma": 1, "x": 1}, {}, ["ecma"], None)),
        *(pytest.param({"steps": [value]}, id=f"step {value!r}")
          for value in (None, "apart", ["apart"], ["apart", []], ["apart", [], [], []], ["apart", {}, []], ["apart", [], [-1]],
                        ["apart", [], [True]], ["apart", [], [1]], ["apart", [0], []], ["nothing", [], []], [["apart"], [], []],
                        ["types", ["string"], [0]], ["same", [0], []], ["same", [0, -1], []], ["no-string", [None], []],
                        ["cases", [0, 0], []], ["keywords", [0, 0], []], ["no-property", [0], []], ["no-item", [0.0], []],
                        ["only", [0, 1, 2], []], ["properties", [0, "0"], []], ["branches", [0, "0"], []], ["hypothesis", [], []],
                        ["all", [], []], ["dependent", [0], []], ["branches", [], []])),
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
        table, _ = table_of((("^(ab|c)$", inner),), (("^c$", outer),), ("ab",))
        tables.append(table)
        first = len(steps)
        readings[name] = first + 2
        steps += [["no-string", [number], []], ["branches", [1, 0, 1], [first]], ["types", [], [first + 1]]]
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
