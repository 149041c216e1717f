from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "name, column",
    [
        pytest.param("1042", 18, id="the number of an order"),
        pytest.param("1042.shipped", 18, id="a number first"),
        pytest.param("order.1042.shipped", 24, id="a number between"),
        pytest.param("order-10423.shipped", 24, id="a long number in a word"),
        pytest.param("f1e2d3c4-b5a6-4789-90ab-cdef01234567", 18, id="a UUID"),
        pytest.param("order.f1e2d3c4-b5a6-4789-90ab-cdef01234567.paid", 24, id="a UUID between"),
        pytest.param("01arz3ndektsv4rrffq69g5fav", 18, id="a ULID"),
        pytest.param("507f1f77bcf86cd799439011", 18, id="a MongoDB id"),
        pytest.param("report.2026-11-20.ready", 25, id="a date"),
        pytest.param("created", None, id="a word"),
        pytest.param("created.v2", None, id="a version"),
        pytest.param("created.v20261", None, id="a large version"),
        pytest.param("sha-256.computed", None, id="a number in a word"),
        pytest.param("s3.uploaded", None, id="a digit in a word"),
        pytest.param("form-1099.sent", None, id="the number of a form"),
        pytest.param("2fa.enabled", None, id="a digit first"),
        pytest.param("http-404.seen", None, id="a status code"),
        pytest.param("facade.defaced", None, id="words of hexadecimal letters"),
        pytest.param("effaced-deadbeef.fed", None, id="long words of hexadecimal letters"),
        pytest.param("mp3.converted", None, id="a format"),
        pytest.param("top-100.changed", None, id="a list"),
        pytest.param("order-1042-created", 24, id="a number behind what it numbers"),
        pytest.param("order-2026-planned", None, id="a year"),
        pytest.param("iso-20022.imported", None, id="the number of a standard"),
        pytest.param("pain.001.received", None, id="the number of a message of ISO 20022"),
        pytest.param("created.2", None, id="a version, which another rule reports"),
    ],
)
def test_urn_payload(name: str, column: int | None, findings: Lint) -> None:
    found = findings(f"urn: urn:babel:orders:{name}\n", "urn-payload")
    assert [f.place.column for f in found] == ([] if column is None else [column + 5])
    assert all(f.fix for f in found)


def test_a_number_as_context(findings: Lint) -> None:
    assert len(findings("urn: urn:babel:42:created\n", "urn-payload")) == 1
