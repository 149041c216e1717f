"""``babelreg list``, ``show`` and ``search`` at the prompt, without and with their cache."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "registry.example", tmp_path / "registry")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "registry"


@pytest.mark.parametrize(
    "options, urns",
    [
        pytest.param(["--context", "customers"], ["urn:babel:customers:registered"], id="a context"),
        pytest.param(["--status", "retired"], ["urn:babel:orders:placed"], id="a status"),
        pytest.param(["--owner", "team-crm", "--kind", "event"], ["urn:babel:customers:registered"], id="owner and kind"),
        pytest.param(
            ["--service", "warehouse"], ["urn:babel:orders:cancelled", "urn:babel:orders:created.v2"], id="a service"
        ),
        pytest.param(["--service", "crm", "--status", "retired"], [], id="nothing"),
    ],
)  # fmt: skip
def test_list_takes_filters(run, options, urns):
    assert [row["urn"] for row in json.loads(run("list", "--format", "json", *options)[1])] == urns


@pytest.mark.parametrize(
    "option, fix",
    [
        pytest.param(["--context", "order"], "did you mean 'orders'?", id="a context"),
        pytest.param(["--service", "ware-house"], "did you mean 'warehouse'?", id="a service"),
        pytest.param(["--owner", "team-crn"], "did you mean 'team-crm'?", id="an owner"),
        pytest.param(["--context", "zzz"], "there are: billing, customers, media, notifications, orders", id="no likely one"),
    ],
)  # fmt: skip
def test_list_refuses_a_name_that_the_registry_does_not_have(run, option, fix):
    for _ in ("without", "with the cache"):
        code, out, err = run("list", *option)
        assert (code, out) == (2, "")
        assert f"error: {option[0]}: the registry has no {option[0][2:]} '{option[1]}'\n  fix: {fix}\n" in err


def test_a_message_is_shown_and_found_by_its_aliases(run, registry):
    path = registry / "customers" / "registered.yaml"
    path.write_text(path.read_text().replace("kind: event", "aliases: [Crm.Welcomed, legacy]\nkind: event", 1))
    urn = "urn:babel:customers:registered"
    for _ in ("without", "with the cache"):
        code, out, _ = run("show", "Crm.Welcomed")
        assert (code, out.splitlines()[0]) == (0, urn)
        assert "aliases    Crm.Welcomed, legacy" in out
        assert json.loads(run("show", "legacy", "--format", "json")[1])["aliases"] == ["Crm.Welcomed", "legacy"]
        found = json.loads(run("search", "welcomed", "--format", "json")[1])
        assert (found[0]["urn"], found[0]["where"]) == (urn, ["alias Crm.Welcomed"])
        rows = {row["urn"]: row["aliases"] for row in json.loads(run("list", "--format", "json")[1])}
        assert rows[urn] == ["Crm.Welcomed", "legacy"]
    code, _, err = run("show", "Crm.Welcome")
    assert code == 2
    assert "did you mean `babelreg show Crm.Welcomed`?" in err


def test_a_context_without_messages_is_known(run, registry):
    (registry / "empty").mkdir()
    (registry / "empty" / "_context.yaml").write_text("owner: team-new\n")
    assert [run("list", *option)[0] for option in (("--context", "empty"), ("--owner", "team-new"))] == [0, 0]
    assert run("list", "--context", "empty")[2].endswith("\n0 of 11 messages\n")


def test_a_search_without_a_match_says_how_many_messages_it_searched(run):
    code, out, err = run("search", "zzzzqq")
    assert (code, out, err.splitlines()[-1]) == (1, "", "0 of 11 messages match")


def test_list_prints_a_table(run):
    code, out, err = run("list", "--service", "crm")
    assert code == 0
    assert out.splitlines() == [
        "URN                                         KIND     STATUS  OWNER     FROM  TO",
        "urn:babel:customers:registered              event    active  team-crm  1     1",
        "urn:babel:notifications:email.welcome.send  command  active  team-crm  1     1",
    ]
    assert "2 of 11 messages" in err


@pytest.mark.parametrize("command", [("list",), ("show", "orders:created"), ("search", "email")])
def test_a_second_run_prints_the_same_from_the_cache_until_a_file_changes(run, registry, command):
    first = run(*command)
    assert run(*command) == first
    file = registry / "orders" / "created.yaml"
    file.write_text(file.read_text().replace("owner: team-orders", "owner: team-other").replace("email", "e_mail"))
    assert run(*command) != first


def test_show_prints_who_and_what(run):
    code, out, _ = run("show", "orders:created.v2")
    assert code == 0
    assert "producers  orders-api\n" in out
    assert "total.currency*               string" in out
    assert max(map(len, out.partition("field  ")[0].splitlines())) <= 80


def test_show_prints_what_a_consumer_expects(run, registry):
    service = registry / "_services" / "crm.yaml"
    text = service.read_text().replace(
        "    reads: [", "    expects: {consents.newsletter: {type: boolean}}\n    reads: ["
    )
    service.write_text(text)
    for _ in range(2):  # the second time from the cache
        shown = run("show", "customers:registered")[1]
        assert 'expects {"type": "boolean"} of consents.newsletter' in " ".join(shown.split())


def test_show_suggests_a_message(run):
    code, _, err = run("show", "orders:creatd")
    assert code == 2
    assert "did you mean `babelreg show urn:babel:orders:created`?" in err


def test_search_says_where_and_which_words_it_tried(run):
    code, out, err = run("search", "curency", "refund")
    assert code == 0
    assert "urn:babel:orders:cancelled  active  field refund.currency, field refund" in out
    assert "nothing matches curency refund; these match currency refund" in err


def test_search_without_a_match_exits_with_1(run):
    assert run("search", "zzzzzz")[0] == 1


def test_a_registry_with_errors_is_listed_with_a_note(run, registry):
    (registry / "orders" / "broken.yaml").write_text("urn: [\n")
    code, out, err = run("list")
    assert code == 0
    assert "urn:babel:orders:created" in out
    assert "; the registry has 1 error, see `babelreg lint`" in err
