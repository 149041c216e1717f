from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg import lint
from babelreg.finding import Finding
from babelreg.lint.config import Config
from babelreg.model import Registry

Lint = Callable[..., list[Finding]]
Load = Callable[[str], Registry]

FILE = "# file: orders/created.yaml\nurn: urn:babel:orders:created\n"
TOTAL = f"{FILE}data: {{type: object, properties: {{total: {{type: number}}}}}}\n"


def settings(entry: str, more: str = "") -> str:
    return f"# file: babelreg.yaml\nversion: 1\nlint:\n{more}  waivers:\n  - {{rule: money-as-float, reason: as it came, {entry}}}\n"


@pytest.mark.parametrize(
    "block, said",
    [
        pytest.param(TOTAL + settings("urn: urn:babel:orders:created"), None, id="by URN"),
        pytest.param(TOTAL + settings("path: orders/created.yaml"), None, id="by path"),
        pytest.param(TOTAL + settings("path: ./orders/created.yaml"), None, id="by path with a dot"),
        pytest.param(
            TOTAL + settings("urn: urn:babel:orders:created, pointer: /data/properties/total/type"),
            None,
            id="by pointer",
        ),
        pytest.param(
            TOTAL + settings("urn: urn:babel:orders:created, pointer: /data/properties"),
            "this waiver hides nothing: 'money-as-float' reports nothing at '/data/properties'",
            id="a pointer to what is above",
        ),
        pytest.param(
            FILE + settings("urn: urn:babel:orders:created"),
            "this waiver hides nothing: 'money-as-float' reports nothing in this file",
            id="mended",
        ),
        pytest.param(
            TOTAL + settings("urn: urn:babel:orders:creatd"),
            "the message 'urn:babel:orders:creatd' of this waiver does not exist",
            id="a URN misspelt",
        ),
        pytest.param(
            TOTAL + settings("path: orders/creatd.yaml"),
            "the file 'orders/creatd.yaml' of this waiver does not exist",
            id="a path misspelt",
        ),
        pytest.param(
            TOTAL + settings("path: orders/"),
            "the file 'orders/' of this waiver does not exist",
            id="a folder is no file",
        ),
        pytest.param(
            TOTAL + settings("urn: urn:babel:orders:created", "  rules: {money-as-float: off}\n"),
            "this waiver hides nothing: 'money-as-float' is off here",
            id="the rule is off",
        ),
        pytest.param(
            f"{FILE}data: [\n" + settings("path: orders/created.yaml"),
            None,
            id="a file that cannot be read, nobody knows",
        ),
    ],
)
def test_an_entry_of_the_settings(block: str, said: str | None, findings: Lint) -> None:
    found = findings(block, "waiver-unused")
    assert [(f.place.path, f.message) for f in found] == ([("babelreg.yaml", said)] if said else [])


REMARK = "# babelreg: allow money-as-float -- as it came"


@pytest.mark.parametrize(
    "lines, unused",
    [
        pytest.param(f"    total: {{type: number}} {REMARK}\n", [], id="on the line"),
        pytest.param(f"    {REMARK}\n    total: {{type: number}}\n", [], id="on the line above"),
        pytest.param(f"    {REMARK}\n    # why\n    total: {{type: number}}\n", [], id="with a comment between"),
        pytest.param(f"    {REMARK}\n\n    total: {{type: number}}\n", [5], id="with a blank line between"),
        pytest.param(f"    total: {{type: number}}\n    {REMARK}\n", [6], id="below"),
        pytest.param(f"    total: {{type: number}}\n    vat: {{type: integer}} {REMARK}\n", [6], id="on another line"),
        pytest.param(f"    {REMARK}\n    total: {{type: number}} {REMARK}\n", [5, 6], id="one of two is enough"),
    ],
)
def test_a_comment(lines: str, unused: list[int], findings: Lint) -> None:
    block = f"urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n{lines}"
    found = [f for f in findings(block) if f.rule == "waiver-unused"]
    assert [f.place.line for f in found] in ([unused] if len(unused) < 2 else [[line] for line in unused])


def test_a_profile_for_one_run_makes_no_waiver_unused(registry: Load) -> None:
    opened = registry(
        f"{TOTAL}# file: orders/paid.yaml\nurn: urn:babel:orders:paid\n{settings('path: orders/created.yaml')}"
    )
    found = lint.run(opened, config=Config.of(opened.settings, "minimal"))
    assert [f.rule for f in found] == []


@pytest.mark.parametrize(
    "paths, found",
    [
        pytest.param(None, ["babelreg.yaml"], id="everything"),
        pytest.param(["orders/created.yaml"], ["babelreg.yaml"], id="the file that it is for"),
        pytest.param(["orders/paid.yaml"], [], id="another file"),
        pytest.param(["billing"], [], id="another folder"),
    ],
)
@pytest.mark.parametrize("where", ["urn: urn:babel:orders:created", "path: orders/created.yaml"])
def test_only_what_was_looked_at_is_judged(
    paths: list[str] | None, found: list[str], where: str, registry: Load
) -> None:
    more = (
        "# file: orders/paid.yaml\nurn: urn:babel:orders:paid\n# file: billing/paid.yaml\nurn: urn:babel:billing:paid\n"
    )
    outcome = lint.run(registry(FILE + more + settings(where)), paths=paths)
    assert [f.place.path for f in outcome if f.rule == "waiver-unused"] == found


@pytest.mark.parametrize(
    "where, edits",
    [
        pytest.param("path: orders/created.yaml", [("lint", "waivers", 0)], id="mended"),
        pytest.param("path: orders/creatd.yaml", [], id="misspelt: the reason is still worth something"),
    ],
)
def test_what_is_surely_unused_can_be_removed(where: str, edits: list[tuple[str, ...]], registry: Load) -> None:
    proposed = lint.examine(registry(FILE + settings(where))).edits
    assert [edit.pointer for made in proposed.values() for edit in made] == edits


def test_nothing_is_mended_in_a_pyproject(registry: Load) -> None:
    table = "# file: pyproject.toml\n[[tool.babelreg.lint.waivers]]\nrule = 'money-as-float'\npath = 'orders/created.yaml'\nreason = 'as it came'\n"
    outcome = lint.examine(registry(FILE + table))
    assert [str(f.place) for f in outcome.findings if f.rule == "waiver-unused"] == ["pyproject.toml:1:1"]
    assert outcome.edits == {}


def test_examples_in_a_file_of_their_own_are_waived_by_path(registry: Load) -> None:
    block = f"{FILE}data: {{type: object, required: [a]}}\nexamples: {{file: a.jsonl}}\n# file: orders/a.jsonl\n{{}}\n"
    entry = "rule: example-invalid, reason: as it came, path: orders/a.jsonl, pointer: /0"
    waived = lint.examine(registry(f"{block}# file: babelreg.yaml\nversion: 1\nlint: {{waivers: [{{{entry}}}]}}\n"))
    assert [f.rule for f in waived.waived] == ["example-invalid"]
    assert "waiver-unused" not in {f.rule for f in waived.findings}
