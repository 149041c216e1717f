"""Findings about messages are grouped by problem, which has no value of a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg import load
from babelreg.cli.shared.message_problems import Problems
from babelreg.finding import Finding, Place, Severity
from babelreg.model import Registry

URN = "urn:babel:orders:created"


def finding(
    pointer: str = "/data/id", *, rule: str = "not_an_integer", urn: str | None = URN, path: str = "a"
) -> Finding:
    return Finding(rule, Severity.ERROR, "is wrong", Place(path, 1, 1), urn, pointer, reason=rule)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    files = {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "orders/created.yaml": f"""\
urn: {URN}
kind: event
description: An order was accepted.
owner: team-orders
producers: [orders-api, orders-import]
data:
  type: object
  properties:
    id: {{type: integer}}
    items: {{type: array, items: {{type: object, properties: {{sku: {{type: string}}}}}}}}
    notes: {{type: object, additionalProperties: {{type: string}}}}
    a/b: {{type: string}}
""",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return load.registry(tmp_path)


@pytest.mark.parametrize(
    "first, second, alike",
    [
        pytest.param("/data/items/0/sku", "/data/items/7/sku", True, id="two items of an array"),
        pytest.param("/data/notes/alice", "/data/notes/bob", True, id="two keys of a map"),
        pytest.param("/data/id", "/data/items", False, id="two properties"),
        pytest.param("/data/a~1b", "/data/id", False, id="a property with a slash in its name"),
        pytest.param("/meta/id", "/meta/created_at", False, id="two members of the envelope"),
    ],
)
def test_a_problem_has_a_place_in_the_schema(registry: Registry, first: str, second: str, alike: bool) -> None:
    problems = Problems(1, registry)
    assert len(problems.shown([finding(first), finding(second)])) == (1 if alike else 2)


def test_another_urn_and_another_reason_are_other_problems(registry: Registry) -> None:
    different = [finding(), finding(rule="missing_required"), finding(urn="urn:babel:orders:paid")]
    problems = Problems(1, registry)
    assert problems.shown(different + different) == different


def test_the_closing_line_counts_and_names_files_and_producers(registry: Registry) -> None:
    problems = Problems(2, registry)
    for path in ["a", "b"] * 1200:
        problems.shown([finding(path=path)])
    problems.shown([finding(urn=None, rule="invalid_json", path="c")] * 5)
    assert problems.closing_lines() == [
        "... 2,398 more like it in 2 files, from orders-api, orders-import: is wrong [not_an_integer]",
        "... 3 more like it in c: is wrong [invalid_json]",
    ]


def test_invented_urns_do_not_fill_the_memory() -> None:
    problems = Problems(3)
    shown = [problems.shown([finding(urn=f"urn:babel:x:{number}")] * 4) for number in range(3000)]
    assert sum(map(len, shown)) == 3 * 1000 + 3
    assert len(problems.closing_lines()) == 1001


def test_names_that_the_registry_does_not_map_are_told_apart() -> None:
    one, other = (
        Finding("unmapped_name", Severity.ERROR, "is not mapped", Place("a"), pointer="/operation", fix=f"map {name}")
        for name in ("pay", "cancel")
    )
    assert Problems(1).shown([one, other, one]) == [one, other]
