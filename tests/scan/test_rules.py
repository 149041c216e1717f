"""Every rule of scan: its page, and what it says of each use."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from babelreg import load
from babelreg.finding import Severity
from babelreg.lint.manual.catalog import parse_page
from babelreg.load.files.tree import Memory
from babelreg.scan import scan, source_files
from babelreg.scan.rules import PAGES, RULES, SEVERITIES
from babelreg.scan.rules.rule import ServiceDeclarations
from babelreg.scan.scanner import ScanResult, findings_of, uses_in_file

MESSAGE = "urn: urn:babel:orders:{name}\nkind: event\nproducers: [shop]\n"
DATA = "data: {type: object}\n"
FILES = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team\n",
    "_services/shop.yaml": "lang: php\n",
    "_services/mailer.yaml": "consumes: [{urn: 'urn:babel:orders:made'}, {urn: 'urn:babel:orders:old'}]\n",
    "_services/both.yaml": "consumes: [{urn: 'urn:babel:orders:old'}, {urn: 'urn:babel:orders:old.v2'}]\n",
    "orders/made.yaml": MESSAGE.format(name="made") + DATA,
    "orders/old.yaml": MESSAGE.format(name="old") + "status: deprecated\nsunset: '2099-12-31'\n" + DATA,
    "orders/old.v2.yaml": MESSAGE.format(name="old.v2") + "supersedes: urn:babel:orders:old\n" + DATA,
    "orders/gone.yaml": "urn: urn:babel:orders:gone\nkind: event\nstatus: retired\nretired_on: '2020-01-01'\n",
}
REGISTRY = load.from_tree(Memory({path: text.encode() for path, text in FILES.items()}))


def found(code: str, service: str | None, path: str = "a.py", registry=REGISTRY):
    assert not registry.defects
    return findings_of(ScanResult(tuple(uses_in_file(path, code)), 1), ServiceDeclarations(registry, service))


@pytest.mark.parametrize(
    "code, service, rules",
    [
        pytest.param("publish('urn:babel:orders:made')", "shop", [], id="a declared producer sends"),
        pytest.param("handler('urn:babel:orders:made')", "mailer", [], id="a declared consumer handles"),
        pytest.param("X = 'urn:babel:orders:made'", "mailer", [], id="a declared consumer names it"),
        pytest.param("publish('urn:babel:orders:made')", "mailer", ["used-urn-undeclared"], id="a consumer sends"),
        pytest.param("handler('urn:babel:orders:made')", "shop", ["used-urn-undeclared"], id="a producer handles"),
        pytest.param("X = 'urn:babel:orders:made'", "both", ["used-urn-undeclared"], id="a stranger names it"),
        pytest.param("X = 'urn:babel:orders:made'", None, [], id="whose code it is is not known"),
        pytest.param("X = 'urn:babel:orders:maed'", None, ["used-urn-unknown"], id="a misspelt URN"),
        pytest.param("X = 'urn:babel:orders:Made'", None, ["used-urn-unknown"], id="a capital"),
        pytest.param("X = 'urn:babel:orders:gone'", "shop", ["used-urn-retired"], id="a retired URN, and nothing else"),
        pytest.param("publish('urn:babel:orders:old')", "shop", ["used-urn-deprecated"], id="a deprecated URN is sent"),
        pytest.param(
            "handler('urn:babel:orders:old')", "mailer", ["used-urn-deprecated"], id="only the old is handled"
        ),
        pytest.param("handler('urn:babel:orders:old')", "both", [], id="both versions are handled"),
        pytest.param(
            "f('urn:babel:orders:maed')  # babelreg: allow used-urn-unknown -- a test of the unknown",
            None,
            [],
            id="allowed",
        ),
        pytest.param(
            "f('urn:babel:orders:maed')  # babelreg: allow used-urn-unknown",
            None,
            ["used-urn-unknown"],
            id="without a reason",
        ),
        pytest.param(
            "f('urn:babel:orders:maed')  # babelreg: allow used-urn-retired -- x",
            None,
            ["used-urn-unknown"],
            id="another rule",
        ),
    ],
)
def test_a_use_has_one_finding_at_most(code, service, rules):
    assert [one.rule for one in found(code, service)] == rules
    assert all(one.fix for one in found(code, service))


@pytest.mark.parametrize(
    "urn, fix",
    [
        (
            "urn:babel:orders:maed",
            "did you mean 'urn:babel:orders:made'? If not, declare it: babelreg new urn:babel:orders:maed --queue orders",
        ),
        ("urn:babel:billing:paid", "babelreg new urn:babel:billing:paid --owner TEAM --queue billing"),
        ("URN:babel:orders:MADE", "did you mean 'urn:babel:orders:made'?"),
        ("urn:babel:orders:old.v1", "did you mean 'urn:babel:orders:old.v2'?"),
        ("urn:babel:orders:gome", "babelreg new urn:babel:orders:gome --queue orders"),  # near to a retired one only
    ],
)
def test_an_unknown_urn_comes_with_what_was_probably_meant(urn, fix):
    (one,) = found(f"x = '{urn}'", None)
    assert one.fix == fix


@pytest.mark.parametrize(
    "code, path, options",
    [
        pytest.param("publish('urn:babel:orders:sent')", "a.py", "--producer shop --queue orders", id="a producer"),
        pytest.param("handler('urn:babel:orders:sent')", "a.py", "--consumer shop --queue orders", id="a consumer"),
        pytest.param("X = 'urn:babel:orders:sent'", "a.py", "--queue orders", id="no role"),
        pytest.param("publish('urn:babel:orders:sent', d, queue='out')", "a.py", "--producer shop --queue out", id="Python names a queue"),
        pytest.param('publish("urn:babel:orders:sent", d, {queue: "out"});', "a.ts", "--producer shop --queue out", id="Node names a queue"),
        pytest.param("dispatch('urn:babel:orders:sent', $d)->onQueue('out');", "a.php", "--producer shop --queue out", id="Laravel names a queue"),
        pytest.param('app.Publish(ctx, "urn:babel:orders:sent", d, WithQueue("out"))', "a.go", "--producer shop --queue out", id="Go names a queue"),
        pytest.param('publish("urn:babel:orders:sent", d);\nf({queue: "out"});', "a.ts", "--producer shop --queue orders", id="another statement names a queue"),
    ],
)  # fmt: skip
def test_the_fix_of_an_unknown_urn_is_the_command_that_declares_it(code, path, options):
    (finding,) = found(code, "shop", path)
    assert finding.fix == f"babelreg new urn:babel:orders:sent {options}"


def test_a_finding_names_file_line_and_column_in_characters():
    (one,) = found("# \U0001f600\nf('é', 'urn:babel:orders:maed')\n", None, "src/a.py")
    assert str(one.place) == "src/a.py:2:9"


def test_the_table_names_every_module_and_its_page_is_laid_out():
    folder = Path(__file__).parents[2] / "babelreg/scan/rules"
    modules = {path.stem.replace("_", "-") for path in folder.glob("used_*.py")}
    assert modules == set(RULES) == set(PAGES) == set(SEVERITIES)
    assert all(isinstance(severity, Severity) for severity in SEVERITIES.values())


@pytest.mark.parametrize("rule", RULES)
def test_the_page_of_a_rule_tells_the_truth(rule):
    page = parse_page(PAGES[rule])
    example = load.registry(Path(__file__).parents[2] / "registry.example")
    for block, expected in ((page.bad, [rule]), (page.good, [])):
        status = re.search(r"status: (\w+)", block)
        messages = [
            replace(m, status=status[1]) if status and m.urn.endswith("orders:cancelled") else m
            for m in example.messages
        ]
        service = "crm" if "crm" in block else "orders-api"
        assert [
            one.rule for one in found(block, service, registry=replace(example, messages=tuple(messages)))
        ] == expected
    assert f"babelreg: allow {rule} -- WHY" in " ".join(page.fix)


ALIASES = {"urn:babel:Orders.Made": "urn:babel:orders:made", "com.shop.made": "urn:babel:orders:made", "made": "x"}


@pytest.mark.parametrize(
    "code, uses",
    [
        pytest.param(
            "publish('urn:babel:Orders.Made')", [("urn:babel:orders:made", "produces")], id="sent as an alias"
        ),
        pytest.param("handler('com.shop.made')", [("urn:babel:orders:made", "consumes")], id="a name with dots"),
        pytest.param(
            "X = 'com.shop.made'\nY = 'urn:babel:orders:made'", 2 * [("urn:babel:orders:made", None)], id="both"
        ),
        pytest.param("import com.shop.made\nX = 'com.shop.made.more'", [], id="a part of more, or no text"),
        pytest.param("publish('made')", [], id="a plain word"),
        pytest.param("publish('Com.Shop.Made')", [], id="another spelling is another name"),
    ],
)
def test_an_alias_in_code_is_a_use_of_the_message(code, uses, tmp_path):
    (tmp_path / "a.py").write_text(code)
    scanned = scan(source_files([str(tmp_path)]), ALIASES)
    assert [(use.urn, use.role) for use in scanned.uses] == uses
