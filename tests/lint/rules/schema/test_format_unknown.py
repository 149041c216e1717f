from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
RULE = "format-unknown"


def fixes(findings: Lint, schema: str) -> list[str | None]:
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{a: {schema}}}}}\n"
    return [f.fix for f in findings(block, RULE)]


@pytest.mark.parametrize(
    "form, meant",
    [
        ("datetime", "date-time"),
        ("date_time", "date-time"),
        ("dateTime", "date-time"),
        ("Date-Time", "date-time"),
        ("timestamp", "date-time"),
        ("ISO8601", "date-time"),
        ("guid", "uuid"),
        ("UUID", "uuid"),
        ("url", "uri"),
        ("e-mail", "email"),
        ("Email", "email"),
        ("ip-address", "ipv4"),
        ("uri_reference", "uri-reference"),
    ],
)
def test_the_format_that_was_meant_is_named(form: str, meant: str, findings: Lint) -> None:
    assert fixes(findings, f"{{type: string, format: {form}}}") == [f"format: {meant}"]
    assert fixes(findings, f"{{format: {form}}}") == [f"format: {meant}"]


@pytest.mark.parametrize(
    "schema",
    [
        "{type: string, format: date-time}",
        "{type: string, format: uuid}",
        "{type: string, format: iban}",
        "{type: string, format: phone}",
        "{type: string, format: ulid}",
        "{type: string, format: byte}",
        "{type: string, format: password}",
        "{type: string, format: decimal}",
        "{type: integer, format: int64}",
        "{type: integer, format: timestamp}",
        "{type: object, properties: {format: {type: string, enum: [datetime]}}}",
    ],
)
def test_formats_of_the_standard_and_of_ones_own_are_not_reported(schema: str, findings: Lint) -> None:
    assert fixes(findings, schema) == []
