from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg.finding import Finding, Place, Severity
from babelreg.report import render
from babelreg.report.fingerprint import fingerprints, with_id

FINDING = Finding(
    "property-required",
    Severity.ERROR,
    "größer\ud800",
    Place("orders/created.yaml", 14, 9),
    urn="urn:babel:orders:created",
    pointer="/data/required",
    fix="undo it",
    against=Place("old.yaml", 1, 2),
    direction="backward",
    breaks=("orders-api",),
    witness=None,
)


def test_the_whole_document() -> None:
    assert json.loads(render([FINDING], "json")) == {
        "findings": [
            {
                "id": fingerprints([FINDING])[0],
                "rule": "property-required",
                "severity": "error",
                "path": "orders/created.yaml",
                "line": 14,
                "column": 9,
                "urn": "urn:babel:orders:created",
                "pointer": "/data/required",
                "message": "größer\ud800",
                "fix": "undo it",
                "against": {"path": "old.yaml", "line": 1, "column": 2},
                "direction": "backward",
                "breaks": ["orders-api"],
                "witness": None,
            }
        ],
        "summary": {"error": 1, "warning": 0, "info": 0},
    }


def test_no_witness_is_not_the_witness_null() -> None:
    found = json.loads(render([Finding("r", Severity.INFO, "m", Place("a"))], "json"))["findings"][0]
    del found["id"]
    assert found == {"rule": "r", "severity": "info", "path": "a", "line": 0, "column": 0, "message": "m"}


def test_nothing_found_is_a_document_too() -> None:
    assert json.loads(render([], "json")) == {"findings": [], "summary": {"error": 0, "warning": 0, "info": 0}}


@pytest.mark.parametrize(
    "witness",
    [
        pytest.param("größer \x7f \u2028 \U0001f600", id="letters beyond ASCII"),
        pytest.param("half a pair \udc00", id="an unpaired surrogate"),
        pytest.param(2**70, id="an integer that does not fit into 64 bits"),
        pytest.param([1.5, 1e-7, -0.0, None, True, {}, []], id="every kind of value"),
        pytest.param({"\x00": '\n\t"\\'}, id="controls"),
        pytest.param(json.loads("[" * 300 + "]" * 300), id="300 levels"),
    ],
)
def test_it_is_what_the_standard_encoder_writes(witness: Any) -> None:
    finding = Finding("r", Severity.INFO, "m", Place("a"), witness=witness)
    summary = {"error": 0, "warning": 0, "info": 1}
    expected = json.dumps({"findings": with_id([finding]), "summary": summary}, indent=2) + "\n"
    if witness == [1.5, 1e-7, -0.0, None, True, {}, []]:
        expected = expected.replace("1e-07", "1e-7")
    assert render([finding], "json") == expected


def test_broken_text_cannot_spoil_the_output() -> None:
    assert render([FINDING], "json").isascii()
