"""The engine: places, severities, paths, order; and that nothing a registry holds can upset it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg import lint, load
from babelreg.finding import Severity
from babelreg.lint.config import Config
from babelreg.lint.manual.catalog import ENTRIES
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.load.files.tree import Memory
from babelreg.model import Registry
from babelreg.model.message import STATUSES

Load = Callable[[str], Registry]

MESSAGES = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
producers: []
# file: orders/paid.yaml
urn: urn:babel:orders:paid
producers: []
# file: billing/paid.yaml
urn: urn:babel:billing:1042
producers: []
"""


@pytest.mark.parametrize(
    "paths, found",
    [
        pytest.param(None, ["billing/paid.yaml", "orders/created.yaml", "orders/paid.yaml"], id="everything"),
        pytest.param([""], ["billing/paid.yaml", "orders/created.yaml", "orders/paid.yaml"], id="the registry itself"),
        pytest.param(["orders"], ["orders/created.yaml", "orders/paid.yaml"], id="a folder"),
        pytest.param(["orders/"], ["orders/created.yaml", "orders/paid.yaml"], id="a folder with a slash"),
        pytest.param(["orders/paid.yaml"], ["orders/paid.yaml"], id="a file"),
        pytest.param(["orders/pai"], [], id="a beginning is no folder"),
        pytest.param(
            ["orders/paid.yaml", "billing"], ["billing/paid.yaml", "orders/paid.yaml"], id="a file and a folder"
        ),
        pytest.param([], [], id="nothing"),
    ],
)
def test_paths_limit_what_is_reported(paths: list[str] | None, found: list[str], registry: Load) -> None:
    reported = [f for f in lint.run(registry(MESSAGES), paths=paths) if f.rule == "producer-missing"]
    assert [f.place.path for f in reported] == found


def test_the_other_file_of_a_pair_is_enough(registry: Load) -> None:
    block = "# file: orders/a.yaml\nurn: urn:babel:orders:a\n# file: orders/b.yaml\nurn: urn:babel:orders:a\n"
    found = lint.run(registry(block), paths=["orders/a.yaml"])
    assert [f.rule for f in found] == ["urn-duplicate"]


def test_a_file_of_examples_belongs_to_its_message(registry: Load) -> None:
    block = """\
# file: orders/a.yaml
urn: urn:babel:orders:a
producers: []
examples: {file: a.jsonl}
# file: orders/a.jsonl
{"b": 1}
[]
"""
    for path in ("orders/a.yaml", "orders/a.jsonl"):
        found = lint.run(registry(block), paths=[path])
        assert {f.rule for f in found} == {"producer-missing", "example-invalid"}


@pytest.mark.parametrize("said", ["error", "warning", "info"])
def test_settings_change_a_severity(said: str, registry: Load) -> None:
    more = f"# file: babelreg.yaml\nversion: 1\nlint: {{rules: {{producer-missing: {said}}}}}\n"
    found = lint.run(registry(MESSAGES + more), paths=["orders"])
    assert {f.severity for f in found} == {Severity(said)}


def test_settings_switch_a_rule_off_and_no_defect(registry: Load) -> None:
    more = "# file: babelreg.yaml\nversion: 1\nlint: {rules: {producer-missing: off, yaml-syntax: off}}\n"
    found = lint.run(registry(f"{MESSAGES}{more}# file: orders/x.yaml\nurn: [\n"), paths=["orders", "babelreg.yaml"])
    assert [f.rule for f in found] == ["lint-rule-unknown", "yaml-syntax"]


def test_a_config_given_wins(registry: Load) -> None:
    found = lint.run(registry(MESSAGES), paths=["orders"], config=Config({"producer-missing": None}))
    assert found == []


def test_findings_stand_in_the_order_of_the_files(registry: Load) -> None:
    found = lint.run(registry(MESSAGES))
    assert [f.sort_key for f in found] == sorted(f.sort_key for f in found)
    assert lint.run(registry(MESSAGES)) == found


def test_a_finding_says_where_and_what(registry: Load) -> None:
    found = next(f for f in lint.run(registry(MESSAGES)) if f.rule == "urn-payload")
    assert (str(found.place), found.urn, found.pointer) == ("billing/paid.yaml:1:24", "urn:babel:billing:1042", "/urn")


def test_one_misspelt_urn_is_one_finding(registry: Load) -> None:
    block = """\
# file: orders/created.yaml
urn: urn:babel:orders:Created
# file: orders/created.v2.yaml
urn: urn:babel:orders:created.v2
supersedes: urn:babel:orders:created
# file: _services/zoo.yaml
owner: me
consumes: [{urn: urn:babel:orders:created}]
"""
    assert [f.rule for f in lint.run(registry(block))] == ["urn-uppercase"]


def test_what_no_person_reads_is_shortened(registry: Load) -> None:
    (found,) = [
        f for f in lint.run(registry(f"# file: orders/a.yaml\nurn: {'-' * 500_000}\n")) if f.rule == "urn-syntax"
    ]
    assert len(found.message) <= 1001


class Tells:
    """A rule that says what day it is."""

    severity = Severity.INFO
    family = "registry"
    profile = "minimal"

    def check(self, scope: Scope) -> Iterator[Problem]:
        yield Problem(scope.today.isoformat(), scope.registry.messages[0].source)


def test_a_rule_is_told_the_day(registry: Load) -> None:
    (found,) = lint.run(registry(MESSAGES), rules={"tells": Tells()}, today=date(2027, 3, 31))
    assert found.message == "2027-03-31"


def test_without_a_day_it_is_the_day_in_utc(registry: Load) -> None:
    before = datetime.now(UTC).date()
    (found,) = lint.run(registry(MESSAGES), rules={"tells": Tells()})
    assert before.isoformat() <= found.message <= datetime.now(UTC).date().isoformat()


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYWORDS = [
    "$ref",
    "$defs",
    "$schema",
    "$id",
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "additionalProperties",
    "patternProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "enum",
    "const",
    "default",
    "examples",
    "minimum",
    "maximum",
    "format",
    "pattern",
    "description",
    "contentEncoding",
    "x-open-enum",
    "dependentSchemas",
    "definitions",
    "price",
    "is_paid",
    "created_at",
    "data_base64",
    "email",
    "ip",
    "x-gdpr-sensitive",
    "x-gdpr-sensitve",
]
VALUES = st.sampled_from(
    [
        "object",
        "number",
        "integer",
        "string",
        "#",
        "#/$defs/a",
        "#/properties/price",
        "../_common/a.yaml",
        "int64",
        "byte",
        "(",
    ]
)
schemas = st.recursive(
    json | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
    max_leaves=12,
)
KEYS = "urn kind status owner queue supersedes producers consumers delivery sunset retired_on examples counterexamples upcast"
messages = st.fixed_dictionaries(
    {"urn": st.sampled_from(["urn:babel:orders:created", "urn:babel:Orders:1", "a\\b", ""]) | st.text(max_size=30)},
    optional=dict.fromkeys(KEYS.split()[1:], json)
    | {
        "data": schemas,
        "status": st.sampled_from(STATUSES) | json,
        "sunset": st.sampled_from(["2020-01-01", "2099-02-31"]) | json,
        "supersedes": st.sampled_from(["urn:babel:orders:created", "urn:babel:orders:paid"]) | json,
        "examples": st.lists(schemas, max_size=2) | json,
    },
)
PATHS = ["email", "price.email", "x[].y", "a\\", "[]", ".", "items[0].*"]
services = st.fixed_dictionaries(
    {"consumes": st.lists(st.fixed_dictionaries({"urn": st.just("urn:babel:orders:paid"), "reads": st.just(PATHS)}))}
)


@settings(max_examples=fewer(80, 150), deadline=None)
@given(message=messages | json, shared=schemas, context=json, service=services | json, rules=json)
def test_nothing_in_a_registry_raises(
    message: object, shared: object, context: object, service: object, rules: object
) -> None:
    import json as codec

    files = {
        "babelreg.yaml": {"version": 1, "lint": {"rules": rules}},
        "_common/a.yaml": shared,
        "_services/orders-api.yaml": service,
        "orders/_context.yaml": context,
        "orders/created.yaml": message,
        "orders/paid.yaml": {"urn": "urn:babel:orders:paid", "kind": "event", "data": shared, "examples": [message]},
    }
    tree = Memory({path: codec.dumps(value).encode() for path, value in files.items()})
    found = lint.run(load.from_tree(tree), config=Config(profile="strict"))
    assert all(f.rule in ENTRIES and f.message for f in found)
