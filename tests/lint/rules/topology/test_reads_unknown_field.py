from __future__ import annotations

from collections.abc import Callable

import pytest
from steps import steps

from babelreg.finding import Finding
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.model import Registry

Lint = Callable[..., list[Finding]]

MESSAGE = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
data:
  type: object
  properties:
    order_id: {type: integer}
    note: {type: [string, "null"]}
    total: {$ref: ../_common/money.yaml}
    lines: {type: array, items: {type: object, properties: {sku: {type: string}, parts: {$ref: "#/$defs/parts"}}}}
    tags: {type: array, items: {type: string}}
    grid: {type: array, items: {type: array, items: {type: object, properties: {x: {type: integer}}}}}
    any_list: {type: array}
    point: {type: array, prefixItems: [{type: object, properties: {lat: {type: number}}}]}
    labels: {type: object, additionalProperties: {type: object, properties: {color: {type: string}}}}
    rates: {type: object, patternProperties: {"^[A-Z]{3}$": {type: number}}}
    free: {type: object}
    open: {type: object, properties: {known: {type: string}}, additionalProperties: true}
    shut: {type: object, properties: {known: {type: string}}, additionalProperties: false}
    whatever: true
    described: {description: Anything at all.}
    a.b: {type: object, properties: {"c\\\\d": {type: string}, "e[]": {type: string}}}
    method: {oneOf: [{type: object, properties: {card: {type: string}}}, {type: object, properties: {sepa: {type: string}}}]}
    merged: {allOf: [{type: object, properties: {one: {type: string}}}, {properties: {two: {type: string}}}]}
    picky: {type: object, properties: {one: {type: string}}, anyOf: [{required: [one]}, {required: [two]}]}
    node: {$ref: "#/$defs/node"}
    maybe: {anyOf: [{type: "null"}, {$ref: ../_common/money.yaml}]}
    staged: {type: object, if: {properties: {kind: {const: a}}}, then: {properties: {alpha: {type: string}}}}
  $defs:
    parts: {type: array, items: {type: object, properties: {no: {type: string}}}}
    node: {type: object, properties: {value: {type: string}, next: {$ref: "#/$defs/node"}}}
# file: _common/money.yaml
type: object
properties:
  minor: {type: integer}
  currency: {type: string}
# file: _services/crm.yaml
owner: team-crm
consumes:
  - urn: urn:babel:orders:created
    reads: ['%s']
"""

THERE = [
    "order_id",
    "note",
    "total",
    "total.minor",
    "lines",
    "lines[]",
    "lines[].sku",
    "lines[0].sku",
    "lines[*].sku",
    "lines[].parts[].no",
    "tags[]",
    "grid[][].x",
    "any_list[].anything.at[].all",
    "point[0].lat",
    "labels.*",
    "labels.cost_center.color",
    "rates.EUR",
    "free.as.a[].bird",
    "open.known",
    "open.unknown.too",
    "whatever.x[].y",
    "described.x",
    "a\\.b",
    "a\\.b.c\\\\d",
    "a\\.b.e\\[]",
    "method.card",
    "method.sepa",
    "merged.one",
    "merged.two",
    "picky.one",
    "node.next.next.next.value",
    "maybe.currency",
    "staged.alpha",
    "staged.kind",
]
MISSING = [
    ("order_nr", "did you mean 'order_id'?"),
    ("orderId", "did you mean 'order_id'?"),
    ("data.order_id", "did you mean 'order_id'?"),
    ("$.total.minor", "did you mean 'total.minor'?"),
    ("total.minr", "did you mean 'total.minor'?"),
    ("total[].minor", "did you mean 'total.minor'?"),
    ("lines.sku", "did you mean 'lines[].sku'?"),
    ("lines[].parts.no", "did you mean 'lines[].parts[].no'?"),
    ("lines[].sk", "did you mean 'lines[].sku'?"),
    ("grid[].x", "did you mean 'grid[][].x'?"),
    ("total.amount", "the fields are: currency, minor; or add it to the schema"),
    ("note.text", "'note' has no fields: read it as a whole, or describe them in the schema"),
    ("tags[].name", "'tags[]' has no fields: read it as a whole, or describe them in the schema"),
    ("shut.unknown", "did you mean 'shut.known'?"),
    ("labels.x.colour", "did you mean 'labels.x.color'?"),
    ("method.cash", "the fields are: card, sepa; or add it to the schema"),
    ("merged.three", "the fields are: one, two; or add it to the schema"),
    ("picky.two", "the fields are: one; or add it to the schema"),
    ("node.next.valeu", "did you mean 'node.next.value'?"),
    ("maybe.minr", "did you mean 'maybe.minor'?"),
    ("a.b", "did you mean 'a\\.b'?"),
]


@pytest.mark.parametrize("path", THERE)
def test_a_field_that_is_there_is_not_reported(path: str, findings: Lint) -> None:
    assert findings(MESSAGE % path, "reads-unknown-field") == []


@pytest.mark.parametrize("path, fix", MISSING)
def test_a_field_that_is_not_is_reported_with_what_was_meant(path: str, fix: str, findings: Lint) -> None:
    (found,) = findings(MESSAGE % path, "reads-unknown-field")
    assert found.fix == fix
    assert str(found.place) == "_services/crm.yaml:4:13"
    assert found.urn == "urn:babel:orders:created"


@pytest.mark.parametrize("path, fix", MISSING)
def test_so_is_a_field_of_which_something_is_expected(path: str, fix: str, findings: Lint) -> None:
    written = (MESSAGE % path).replace(f"reads: ['{path}']", f"expects: {{'{path}': {{type: string}}}}")
    (found,) = findings(written, "reads-unknown-field")
    assert found.fix == fix
    assert found.message.startswith(f"'crm' has an expectation on '{path}', which ")
    assert str(found.place) == "_services/crm.yaml:4:15"


def test_a_missing_field_of_many(findings: Lint) -> None:
    (found,) = findings(MESSAGE % "zzz", "reads-unknown-field")
    assert found.fix == "the fields are: a.b, any_list, described, free, grid, labels, ...; or add it to the schema"


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("# file: orders/created.yaml\nurn: urn:babel:orders:created\n", id="no fields described"),
        pytest.param(
            "# file: orders/created.yaml\nurn: urn:babel:orders:created\ndata: {$ref: ../_common/gone.yaml}\n",
            id="a schema that cannot be read",
        ),
        pytest.param(
            "# file: orders/created.yaml\nurn: urn:babel:orders:created\nstatus: retired\nretired_on: 2026-01-31\n",
            id="a tombstone",
        ),
        pytest.param("# file: orders/other.yaml\nurn: urn:babel:orders:other\n", id="no such message"),
    ],
)
def test_what_cannot_be_asked_is_not(block: str, findings: Lint) -> None:
    service = MESSAGE[MESSAGE.index("# file: _services") :] % "order_nr"
    assert findings(block + service, "reads-unknown-field") == []


def test_draft_07_has_tuples_of_its_own(findings: Lint) -> None:
    block = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
data:
  $schema: http://json-schema.org/draft-07/schema#
  type: object
  properties:
    point: {type: array, items: [{type: object, properties: {lat: {type: number}}}]}
# file: _services/crm.yaml
owner: a
consumes: [{urn: 'urn:babel:orders:created', reads: ['point[].lat', 'point[].lon']}]
"""
    assert [f.pointer for f in findings(block, "reads-unknown-field")] == ["/consumes/0/reads/1"]


def test_many_paths_through_a_wide_and_endless_schema_take_linear_steps(registry: Callable[[str], Registry]) -> None:
    def checked(count: int) -> int:
        scope = Scope(registry(wide_and_endless(count)))
        return steps(lambda: list(RULES["reads-unknown-field"].check(scope)), most=count * 20_000)

    assert checked(800) < 1.5 * 4 * checked(200)


def wide_and_endless(count: int) -> str:
    names = [f"n{number}" for number in range(count)]
    branches = ", ".join(f"{{properties: {{{name}: {{$ref: '#/$defs/node'}}}}}}" for name in names)
    paths = ", ".join([*(f"{name}.gone.{name}" for name in names), ".".join(["n1"] * 5000)])
    return f"""\
# file: orders/created.yaml
urn: urn:babel:orders:created
data:
  type: object
  $ref: "#/$defs/node"
  $defs:
    node: {{type: object, anyOf: [{branches}]}}
# file: _services/crm.yaml
owner: a
consumes: [{{urn: 'urn:babel:orders:created', reads: [{paths}]}}]
"""
