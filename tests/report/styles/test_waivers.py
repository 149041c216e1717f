from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import jsonschema
import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from babelreg.finding import Finding, Place, Severity
from babelreg.lint.rules import RULES
from babelreg.lint.waivers import UNWAIVABLE
from babelreg.load.registry.file_validation import schema_text
from babelreg.load.yaml import parser
from babelreg.report import render

Read = Callable[[list[Finding]], Any]
URN = "urn:babel:orders:created"


def found(rule: str, path: str, pointer: str | None = None, urn: str | None = None, line: int = 1) -> Finding:
    return Finding(rule, Severity.ERROR, "m", Place(path, line, 1), urn, pointer)


GOLDEN = """\
lint:
  waivers:
    - rule: money-as-float
      urn: urn:babel:orders:created
      pointer: "/data/properties/total/type"
      reason: "TODO: say why"
    - rule: example-missing
      urn: urn:babel:orders:created
      pointer: ""
      reason: "TODO: say why"
    - rule: money-as-float
      path: _common/money.yaml
      pointer: "/properties/a~1b/type"
      reason: "TODO: say why"
"""
FINDINGS = [
    found("money-as-float", "orders/created.yaml", "/data/properties/total/type", URN),
    found("example-missing", "orders/created.yaml", "", URN),
    found("money-as-float", "_common/money.yaml", "/properties/a~1b/type"),
]


def test_the_text() -> None:
    assert render(FINDINGS, "waivers") == GOLDEN


TOML = """\
[[tool.babelreg.lint.waivers]]
rule = "money-as-float"
urn = "urn:babel:orders:created"
pointer = "/data/properties/total/type"
reason = "TODO: say why"

[[tool.babelreg.lint.waivers]]
rule = "example-missing"
urn = "urn:babel:orders:created"
pointer = ""
reason = "TODO: say why"

[[tool.babelreg.lint.waivers]]
rule = "money-as-float"
path = "_common/money.yaml"
pointer = "/properties/a~1b/type"
reason = "TODO: say why"
"""


def test_the_text_for_a_pyproject() -> None:
    assert render(FINDINGS, "waivers-toml") == TOML


def in_yaml(findings: list[Finding]) -> Any:
    return (parser.read(render(findings, "waivers")) or {"lint": {"waivers": []}})["lint"]


def in_toml(findings: list[Finding]) -> Any:
    said = tomllib.loads(render(findings, "waivers-toml"))
    return said["tool"]["babelreg"]["lint"] if said else {"waivers": []}


@pytest.mark.parametrize("read", [in_yaml, in_toml])
def test_the_settings_take_it(read: Read) -> None:
    lint = read(FINDINGS)
    jsonschema.validate({"version": 1, "lint": lint}, orjson.loads(schema_text("settings")))
    assert len(lint["waivers"]) == 3


@pytest.mark.parametrize(
    "findings, where",
    [
        pytest.param([found("r", "orders/created.yaml", "", URN)], ["urn"], id="a message at its own path"),
        pytest.param([found("r", "orders/creatd.yaml", "", URN)], ["path"], id="a message elsewhere"),
        pytest.param([found("r", "_services/a.yaml", "", URN)], ["path"], id="another file that speaks of the message"),
        pytest.param([found("r", "orders/created.yaml", "", "Orders Created")], ["path"], id="no URN"),
        pytest.param([found("r", "babelreg.yaml", "")], ["path"], id="the settings"),
        pytest.param([found("r", "a.yaml", "/a"), found("r", "a.yaml", "/a")], ["path"], id="one place twice"),
        pytest.param([found("yaml-syntax", "a.yaml")], [], id="a defect"),
        pytest.param([found("waiver-expired", "a.yaml")], [], id="a waiver"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_how_a_file_is_named(findings: list[Finding], where: list[str]) -> None:
    assert [key for entry in in_yaml(findings)["waivers"] for key in ("urn", "path") if key in entry] == where


@pytest.mark.parametrize("read", [in_yaml, in_toml])
@given(path=st.text(st.characters(exclude_categories=["Cs"])))
@example(path='a: "b"\n- {c}\u2028#\x7f\x1b\\.yaml')
def test_a_hostile_name_stays_one_value(read: Read, path: str) -> None:
    said = read([found("r", path, f"/{path}")])["waivers"]
    assert said == [{"rule": "r", "path": path, "pointer": f"/{path}", "reason": "TODO: say why"}]


def test_the_rules_about_waivers_are_those_that_are_left_out() -> None:
    assert {rule for rule in RULES if rule.startswith("waiver-")} == UNWAIVABLE
