from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
BLOCK = "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n    a: {type: string, %s}\n"


@pytest.mark.parametrize(
    "mark, fix",
    [
        pytest.param("x-gdpr-sensitive: yes", "x-gdpr-sensitive: true", id="yes is text in a registry"),
        pytest.param("x-gdpr-sensitive: 'true'", "x-gdpr-sensitive: true", id="true in quotes"),
        pytest.param("x-gdpr-sensitive: No", "x-gdpr-sensitive: false", id="no is text too"),
        pytest.param("x-gdpr-sensitive: ''", "x-gdpr-sensitive: false", id="an empty text"),
        pytest.param("x-gdpr-sensitive: 1", "x-gdpr-sensitive: true, or one category as a string", id="a number"),
        pytest.param("x-gdpr-sensitive: null", "x-gdpr-sensitive: true, or one category as a string", id="nothing"),
        pytest.param("x-gdpr-sensitive: [email]", "x-gdpr-sensitive: true, or one category as a string", id="a list"),
        pytest.param("x-gdpr-sensitve: email", "x-gdpr-sensitive: email", id="a letter is missing"),
        pytest.param("x-gpdr-sensitive: email", "x-gdpr-sensitive: email", id="two letters swapped"),
        pytest.param("x-gdpr_sensitive: true", "x-gdpr-sensitive: true", id="an underscore"),
        pytest.param("xGdprSensitive: yes", "x-gdpr-sensitive: true", id="in camel case"),
        pytest.param("x-gdpr-sensitivity: email", "x-gdpr-sensitive: email", id="a noun"),
        pytest.param("x-gdrp-sensitive: false", "x-gdpr-sensitive: false", id="said to be none, and misspelt"),
    ],
)
def test_a_mark_that_says_nothing_is_reported(mark: str, fix: str, findings: Lint) -> None:
    (found,) = findings(BLOCK % mark, "sensitivity-invalid")
    assert found.fix == fix
    assert found.place.line == 5


@pytest.mark.parametrize(
    "mark",
    [
        pytest.param("x-gdpr-sensitive: email", id="a category"),
        pytest.param("x-gdpr-sensitive: birth_date", id="a category of two words"),
        pytest.param("x-gdpr-sensitive: true", id="true"),
        pytest.param("x-gdpr-sensitive: false", id="false"),
        pytest.param("x-gdpr-retention: P30D", id="another key about the same"),
        pytest.param("x-sensitive: true", id="another key of one's own"),
        pytest.param("x-sensor: gdp", id="another word"),
        pytest.param("description: See x-gdpr-sensitve.", id="in prose"),
    ],
)
def test_a_mark_that_says_something_is_not(mark: str, findings: Lint) -> None:
    assert findings(BLOCK % mark, "sensitivity-invalid") == []


def test_a_property_of_that_name_is_no_mark(findings: Lint) -> None:
    block = (
        "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n    x-gdpr-sensitive: {type: string}\n"
    )
    assert findings(block, "sensitivity-invalid") == []
