from __future__ import annotations

from collections.abc import Callable

import pytest
from each import each

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
RULE = "regex-unportable"
JAVA = "# file: _services/mailer.yaml\nowner: a\nlang: java\n"
NET = "# file: _services/warehouse.yaml\nowner: a\nlang: dotnet\n"
PYTHON = "# file: _services/crm.yaml\nowner: a\nlang: python\n"


def block(pattern: str, producer: str = "crm", consumer: str = "crm") -> str:
    return (
        f"urn: urn:babel:orders:created\nproducers: [{producer}]\nconsumers: [{consumer}]\n"
        f"data: {{type: object, properties: {{a: {{type: string, pattern: '{pattern}'}}}}}}\n{PYTHON}{JAVA}{NET}"
    )


@pytest.mark.parametrize(
    "pattern, service, called",
    [
        (r"^(?!X)[A-Z]+$", "billing-worker", "Go"),
        (r"^(?=.*[0-9])", "billing-worker", "Go"),
        (r"(?<=a)b", "billing-worker", "Go"),
        (r"^(a)\1$", "billing-worker", "Go"),
        (r"^(?<x>a)\k<x>$", "billing-worker", "Go"),
        (r"^.{1,2000}$", "billing-worker", "Go"),
        (r"^\u00e4$", "billing-worker", "Go"),
        (r"^\u00e4$", "orders-api", "PHP"),
        (r"^\u{1F600}$", "mailer", "Java"),
        (r"^\u{1F600}$", "warehouse", ".NET"),
        (r"^\p{Letter}$", "mailer", "Java"),
        (r"^\p{Script=Greek}$", "warehouse", ".NET"),
        (r"^a\-b$", "storefront", "Node"),
        (r"^\@", "storefront", "Node"),
        (r"^(?i:a)", "storefront", "Node"),
        (r"^[[]x$", "mailer", "Java"),
        (r"^[a&&b]$", "mailer", "Java"),
    ],
)
def test_what_a_service_cannot_compile_is_reported(pattern: str, service: str, called: str, findings: Lint) -> None:
    for found in (findings(block(pattern, consumer=service), RULE), findings(block(pattern, producer=service), RULE)):
        assert [f.message.startswith(f"{called} cannot compile") for f in found] == [True]
    assert findings(block(pattern), RULE) == []


@pytest.mark.parametrize("pattern", ["(?i)abc", r"\A[a-z]+\z", "(?P<x>a)", "[[:alpha:]]+", "a(?>b)", "(?#note)a"])
def test_what_ecma_262_has_not_is_invalid_and_no_matter_of_languages(pattern: str, findings: Lint) -> None:
    assert findings(block(pattern, consumer="storefront"), RULE) == []
    (found,) = findings(block(pattern), "schema-invalid")
    assert "of ECMA 262, which has no" in found.message
    assert found.fix is not None
    assert found.fix.startswith("instead of")


@each(
    "pattern",
    [
        r"^[A-Z]{2}[0-9]+$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^(?:a|b)+\.(?<ext>[a-z]+)$",
        r"^[\w.+\-]+@[^@]+$",
        r"^\p{L}+$",
        r"^\/a\/\[b\]\.\*$",
        r"^.{1,1000}$",
        r"^[^]]$",
        r"^\\A$",
        r"^\x41\t\n$",
        r"(((",
    ],
)
@each("service", ["orders-api", "billing-worker", "storefront", "mailer", "warehouse"])
def test_what_all_engines_have_is_not(pattern: str, service: str, findings: Lint) -> None:
    assert findings(block(pattern, consumer=service), RULE) == []


def test_the_first_such_construct_is_shown_where_it_stands(findings: Lint) -> None:
    found = findings(block("^ab(?!X)(?!Y)", consumer="billing-worker"), RULE)
    assert [(f.place.line, f.place.column) for f in found] == [(4, 66)]


def test_a_shared_schema_is_judged_by_all_who_use_it(findings: Lint) -> None:
    shared = "# file: _common/sku.yaml\n{type: string, pattern: '^(?!X)'}\n"
    message = "urn: urn:babel:orders:created\ndata: {type: object, properties: {a: {$ref: ../_common/sku.yaml}}}\n"
    assert findings(message + shared, RULE) == []
    used = findings("consumers: [billing-worker]\n" + message + shared, RULE)
    assert [f.place.path for f in used] == ["_common/sku.yaml"]
