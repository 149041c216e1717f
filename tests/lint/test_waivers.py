"""Waivers: each hides one rule at one place, nothing else, and what hides nothing is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg import lint, load
from babelreg.finding import Finding, Severity
from babelreg.lint.config import Config
from babelreg.lint.rule import Problem
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.lint.waivers import UNWAIVABLE
from babelreg.load.files.defect import DEFECTS
from babelreg.load.files.tree import Memory
from babelreg.model import Edit, Registry
from babelreg.report import render

Load = Callable[[str], Registry]
TODAY = date(2027, 1, 1)

PRICES = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
data:
  type: object
  properties:
    total: {type: number}
    price: {type: number}
# file: orders/paid.yaml
urn: urn:babel:orders:paid
data:
  type: object
  properties:
    total: {type: number}
"""
ALL = ["orders/created.yaml:5", "orders/created.yaml:6", "orders/paid.yaml:5"]


def entry(**said: str) -> str:
    spelled = ", ".join(f"{key}: {value}" for key, value in {"rule": "money-as-float", "reason": "ok", **said}.items())
    return f"# file: babelreg.yaml\nversion: 1\nlint: {{waivers: [{{{spelled}}}]}}\n"


@pytest.mark.parametrize(
    "said, left",
    [
        pytest.param({"urn": "urn:babel:orders:created"}, ALL[2:], id="a message"),
        pytest.param({"path": "orders/created.yaml"}, ALL[2:], id="a file"),
        pytest.param(
            {"urn": "urn:babel:orders:created", "pointer": "/data/properties/total/type"}, ALL[1:], id="a value of it"
        ),
        pytest.param({"path": "orders/paid.yaml", "pointer": "/data/properties/total/type"}, ALL[:2], id="of another"),
        pytest.param({"path": "orders/"}, ALL, id="no folder"),
        pytest.param({"path": "'*'"}, ALL, id="no wildcard"),
        pytest.param({"path": "orders/created.yaml", "pointer": "/data"}, ALL, id="not what stands below a pointer"),
        pytest.param({"path": "orders/created.yaml", "rule": "example-missing"}, ALL, id="no other rule"),
        pytest.param({"path": "orders/created.yaml", "reason": "TODO"}, ALL, id="nothing without a reason"),
        pytest.param({"path": "orders/created.yaml", "expires": "2026-12-31"}, ALL, id="nothing when it is past"),
        pytest.param({"path": "orders/created.yaml", "expires": "2027-01-01"}, ALL[2:], id="on its last day"),
    ],
)
def test_a_waiver_in_the_settings(said: dict[str, str], left: list[str], registry: Load) -> None:
    outcome = lint.examine(registry(PRICES + entry(**said)), today=TODAY)
    shown = [f"{f.place.path}:{f.place.line}" for f in outcome.findings if f.rule == "money-as-float"]
    assert shown == left
    assert len(outcome.waived) == len(ALL) - len(left)


def test_only_what_is_looked_at_counts_as_waived(registry: Load) -> None:
    outcome = lint.examine(
        registry(PRICES + entry(path="orders/paid.yaml")), paths=["orders/created.yaml"], today=TODAY
    )
    assert ([f.place.line for f in outcome.findings], outcome.waived) == ([5, 6], ())


def test_a_waiver_of_what_another_file_shows_is_not_called_unused(registry: Load) -> None:
    """With PATH the fragment alone is looked at, and nothing that refers to it."""
    block = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
data:
  type: object
  properties: {id: {$ref: ../_common/id.yaml}}
# file: _services/storefront.yaml
owner: team-web
lang: node
# file: _common/id.yaml
# babelreg: allow integer-unsafe-for-node -- read as text
type: integer
maximum: 9223372036854775807
"""
    block = block.replace("data:\n", "consumers: [storefront]\ndata:\n")
    whole = lint.examine(registry(block), today=TODAY)
    assert len(whole.waived) + len(whole.findings) > 0
    part = lint.examine(registry(block), paths=["_common/id.yaml"], today=TODAY)
    assert ("waiver-unused" in {f.rule for f in part.findings}) == ("waiver-unused" in {f.rule for f in whole.findings})


class Mends:
    """A rule that knows how to mend what it reports."""

    severity = Severity.WARNING
    family = "registry"
    profile = "minimal"

    def check(self, scope: Scope) -> Iterator[Problem]:
        for message in scope.messages:
            path = message.source.path
            yield Problem("here", message.source, edits=(Edit(path, "replace", ("kind",), "command"),))


@pytest.mark.parametrize("waived, edits", [(False, 1), (True, 0)])
def test_what_is_waived_is_not_mended(waived: bool, edits: int, registry: Load) -> None:
    more = entry(rule="mends", path="orders/created.yaml") if waived else ""
    opened = registry(f"# file: orders/created.yaml\nurn: urn:babel:orders:created\n{more}")
    outcome = lint.examine(opened, rules={"mends": Mends()}, today=TODAY)
    assert (len(outcome.edits), len(outcome.waived)) == (edits, 1 - edits)


# Registries with much to report: names, numbers, services and settings drawn so that rules meet what they look for.
names = st.sampled_from(["total", "price", "is_paid", "created_at", "email", "id"])
types = st.sampled_from(
    ["{type: number}", "{type: string}", "{type: integer, maximum: 9223372036854775807}", "{enum: [0, 1]}", "{}"]
)
properties = st.dictionaries(names, types, max_size=4)
urns = st.sampled_from(
    [
        "orders:created",
        "orders:creates",
        "orders:created.v3",
        "orders:Paid",
        "billing:1042",
        "orders:pay",
        "billing:paid",
    ]
)
messages = st.fixed_dictionaries(
    {"urn": urns, "kind": st.sampled_from(["event", "command"]), "properties": properties},
    optional={
        "producers": st.sampled_from(["[]", "[orders-api]", "[nobody]"]),
        "consumers": st.sampled_from(["[]", "[storefront]", "[nobody]"]),
        "supersedes": urns.map("urn:babel:{}".format),
        "status": st.sampled_from(["draft", "active", "deprecated"]),
    },
)
paths = st.sampled_from(["orders/created.yaml", "orders/paid.yaml", "billing/paid.yaml", "orders/Created.yaml"])


def written(drawn: dict[str, object]) -> str:
    drawn = dict(drawn)
    members = ", ".join(f"{name}: {schema}" for name, schema in drawn.pop("properties").items())  # type: ignore[attr-defined]
    urn = drawn.pop("urn")
    lines = [f"urn: urn:babel:{urn}", *(f"{key}: {value}" for key, value in drawn.items())]
    return "\n".join([*lines, f"data: {{type: object, properties: {{{members}}}}}", "examples: [{}]", ""])


registries = st.dictionaries(paths, messages.map(written), min_size=1, max_size=3)
SERVICES = {
    "_services/orders-api.yaml": "owner: a\nlang: php\n",
    "_services/storefront.yaml": "owner: b\nlang: node\nconsumes: [{urn: 'urn:babel:orders:created'}]\n",
}


def examined(files: dict[str, str], more: str = "") -> lint.LintResult:
    whole = {**SERVICES, **files, "babelreg.yaml": f"version: 1\n{more}"}
    opened = load.from_tree(Memory({path: text.encode() for path, text in whole.items()}))
    assert not [defect for defect in opened.defects if defect.place.path == "babelreg.yaml"]
    return lint.examine(opened, config=Config.of(opened.settings, "strict"), today=TODAY)


def waivable(findings: tuple[Finding, ...]) -> dict[tuple[object, ...], Finding]:
    """What is no defect, by what tells one finding from another."""
    return {finding.sort_key: finding for finding in findings if finding.rule not in DEFECTS}


@settings(max_examples=fewer(35, 60), deadline=None)
@given(files=registries)
def test_waiving_everything_leaves_nothing_and_no_waiver_idle(files: dict[str, str]) -> None:
    before = examined(files).findings
    after = examined(files, render(before, "waivers").replace("TODO: say why", "as it is"))
    assert waivable(after.findings) == {}
    assert waivable(after.waived) == waivable(before)


@settings(max_examples=fewer(35, 60), deadline=None)
@given(files=registries, data=st.data())
def test_a_waiver_hides_nothing_of_another_rule_or_place(files: dict[str, str], data: st.DataObject) -> None:
    before = waivable(examined(files).findings)
    if not before:
        return
    chosen = before[data.draw(st.sampled_from(sorted(before)))]
    after = examined(files, render([chosen], "waivers").replace("TODO: say why", "as it is"))
    place = (chosen.rule, chosen.place.path, chosen.pointer)
    same = {key for key, f in before.items() if (f.rule, f.place.path, f.pointer) == place}
    assert waivable(after.findings).keys() == before.keys() - same
    assert waivable(after.waived).keys() == same


@settings(max_examples=fewer(35, 60), deadline=None)
@given(files=registries, data=st.data())
def test_a_comment_hides_nothing_of_another_rule_or_line(files: dict[str, str], data: st.DataObject) -> None:
    before = {key: f for key, f in waivable(examined(files).findings).items() if f.place.path in files}
    if not before:
        return
    chosen = before[data.draw(st.sampled_from(sorted(before)))]
    path, at = chosen.place.path, chosen.place.line - 1
    lines = files[path].splitlines()
    lines[at] += f" # babelreg: allow {chosen.rule} -- as it is"
    after = examined({**files, path: "\n".join(lines) + "\n"})
    same = {key for key, f in before.items() if (f.rule, f.place.path, f.place.line) == (chosen.rule, path, at + 1)}
    assert {key for key, f in waivable(after.findings).items() if f.place.path in files} == before.keys() - same
    assert waivable(after.waived).keys() == same


@settings(max_examples=40, deadline=None)
@given(said=st.text(max_size=40), rule=st.sampled_from([*RULES, *DEFECTS, "", "*"]), until=st.text(max_size=12))
def test_no_comment_upsets_anything(said: str, rule: str, until: str) -> None:
    words = " ".join(f"allow {rule} until {until} -- {said}".split())
    text = f"urn: urn:babel:orders:created\n# babelreg: {words}\nkind: event\ndata: {{type: object}}\n"
    assert all(finding.message for finding in examined({"orders/created.yaml": text}).findings)


def test_the_rules_about_waivers_cannot_be_waived() -> None:
    assert set(RULES) >= UNWAIVABLE
    assert list(RULES)[-1] == "waiver-unused"


words = st.text(max_size=12) | st.sampled_from(
    [
        "orders/",
        "*",
        "**/a*",
        "urn:babel:orders:created",
        "orders/created.yaml",
        "",
        "/data",
        "money-as-float",
        "2027-02-30",
    ]
)
severities = st.sampled_from(["off", "error", "warning", "info"])
rule_ids = st.sampled_from([*RULES, "yaml-syntax", "zzz"]) | words
entries = st.fixed_dictionaries(
    {"rule": rule_ids, "reason": words},
    optional={"urn": words, "path": words, "pointer": words, "expires": words | st.dates().map(str)},
)
overrides = st.fixed_dictionaries(
    {"path": words},
    optional={
        "profile": st.sampled_from(["minimal", "strict"]),
        "rules": st.dictionaries(rule_ids, severities, max_size=2),
    },
)
lint_settings = st.fixed_dictionaries(
    {},
    optional={
        "profile": st.sampled_from(["minimal", "standard", "strict"]),
        "rules": st.dictionaries(rule_ids, severities, max_size=3),
        "paths": st.lists(overrides, max_size=3),
        "waivers": st.lists(entries, max_size=4),
    },
)


@settings(max_examples=fewer(45, 80), deadline=None)
@given(said=lint_settings, files=registries, part=st.sampled_from([None, ["orders"], ["orders/created.yaml"], []]))
def test_no_settings_upset_anything(said: dict[str, object], files: dict[str, str], part: list[str] | None) -> None:
    whole = {**SERVICES, **files, "babelreg.yaml": json.dumps({"version": 1, "lint": said})}
    opened = load.from_tree(Memory({path: text.encode() for path, text in whole.items()}))
    outcome = lint.examine(opened, paths=part, today=TODAY)
    assert all(finding.message and finding.severity for finding in (*outcome.findings, *outcome.waived))
    again = lint.examine(load.from_tree(Memory({p: t.encode() for p, t in whole.items()})), paths=part, today=TODAY)
    assert (again.findings, again.waived) == (outcome.findings, outcome.waived)
