"""Schemas that are meant to be hard cost a bounded number of steps. The benchmark ``adversarial.py`` has their time, at
sizes for which counting lines would take too long here.
"""

from __future__ import annotations

import importlib.util
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from steps import steps

from babelreg.containment import compare
from babelreg.containment.certificates.proof import prove
from babelreg.containment.search.guided import documents_reaching
from babelreg.containment.search.node import SearchDocument
from babelreg.containment.search.values import CandidateSearch
from babelreg.schema.dialects import DEFAULT

MOST_STEPS = 2_000_000
"""Of both directions, in this process; the second process counts steps of its own and has a limit of time."""
FAMILIES = Path(__file__).parents[2] / "benchmarks" / "adversarial_families.py"


def families() -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("adversarial_families", FAMILIES)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.FAMILIES)


@pytest.mark.parametrize(
    "family, size, verdicts",
    [
        pytest.param("recursive_map", 8, ("compatible", "compatible"), id="a map of itself, with listed names"),
        pytest.param("recursive_union", 5, ("compatible", "breaking"), id="a union of objects of itself"),
        pytest.param("one_of_wide", 12, ("compatible", "breaking"), id="a long union with tags"),
        pytest.param("one_of_untagged", 6, ("breaking", "breaking"), id="a union without tags"),
        pytest.param("any_of_enums", 20, ("compatible", "compatible"), id="a union of lists, cut the other way"),
        pytest.param("if_wide", 10, ("breaking", "breaking"), id="many conditions on the same tag"),
        pytest.param("nested_unions", 4, ("compatible", "breaking"), id="unions in unions"),
        pytest.param("unevaluated_nested", 25, ("unknown", "unknown"), id="validators would take for ever"),
        pytest.param("ref_any_double", 60, ("unknown", "unknown"), id="the same definition twice, sixty times"),
        pytest.param("deep_refs", 8, ("compatible", "breaking"), id="a tree of definitions"),
        pytest.param("event_map", 2, ("compatible", "compatible"), id="a map of events"),
        pytest.param("many_properties", 100, ("compatible", "breaking"), id="many properties"),
        pytest.param("pattern_props", 40, ("compatible", "breaking"), id="more patterns of names than sets of them"),
        pytest.param("pattern_props_names", 40, ("compatible", "compatible"), id="patterns of names beside names"),
        pytest.param("many_patterns", 12, ("breaking", "compatible"), id="patterns that match the same names"),
        pytest.param("overlapping_patterns", 30, ("compatible", "breaking"), id="patterns that overlap"),
        pytest.param("enum_of_pattern", 1000, ("compatible", "breaking"), id="many values of one pattern"),
        pytest.param("huge_enum", 1000, ("breaking", "breaking"), id="many values"),
    ],
)
def test_a_hard_schema_costs_a_bounded_number_of_steps(family: str, size: int, verdicts: tuple[str, str]) -> None:
    old, new = families()[family](size)
    results: list[Any] = []
    steps(lambda: results.append(compare(old, new, formats="asserted", dialect="draft2020-12")), most=MOST_STEPS)
    found = (results[0].backward.kind, results[0].forward.kind)
    assert found == verdicts


def test_a_proof_counts_the_facts_that_dependencies_demand() -> None:
    old, new = families()["dependent_schemas"](40)
    assert not prove(old, new, DEFAULT.name, formats=False, steps=20).complete
    steps(lambda: prove(old, new, DEFAULT.name, formats=False, steps=20), most=120_000)


def test_a_search_counts_the_subschemas_that_it_asks_for_required_names() -> None:
    old, new = families()["if_wide"](60)

    def search() -> None:
        sides = [SearchDocument(schema, DEFAULT, formats=True).node for schema in (new, old)]
        assert list(CandidateSearch(steps=300).documents(*sides)) is not None

    steps(search, most=400_000)


def test_a_search_prepares_the_ways_into_a_union_once_for_all_places() -> None:
    old, new = families()["one_of_untagged"](30)

    def reach() -> None:
        inner, outer = (SearchDocument(schema, DEFAULT, formats=True).node for schema in (old, new))
        search = CandidateSearch()
        for number in range(30):
            list(islice(documents_reaching(search, (inner,), (outer,), (f"k{number}",)), 20))

    steps(reach, most=3_000_000)
