"""``babelreg init`` writes a registry that is sound, once."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import commands
import pytest

from babelreg import load
from babelreg.load.service import service_repo


def babelreg(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return commands.run(*args)


def test_a_new_registry_lints_clean(tmp_path):
    made = babelreg("init", tmp_path / "registry")
    assert made.returncode == 0, made.stderr
    linted = babelreg("lint", "--registry", tmp_path / "registry", "--profile", "strict", "--fail-on", "info")
    assert (linted.returncode, linted.stdout) == (0, "")


def test_an_empty_registry_has_no_message_and_lints_clean(tmp_path, run):
    code, out, err = run("init", tmp_path / "registry", "--empty")
    assert code == 0
    assert "wrote" in out
    assert "Next: babelreg new CONTEXT:NAME" in err
    assert {path.name for path in (tmp_path / "registry").iterdir()} == {"babelreg.yaml", "_schemas"}
    assert run("lint", "--registry", tmp_path / "registry", "--profile", "strict", "--fail-on", "info")[:2] == (0, "")
    assert load.registry(tmp_path / "registry").messages == ()


def test_an_empty_registry_takes_its_first_message(tmp_path, run):
    run("init", tmp_path / "registry", "--empty")
    words = ("new", "billing:captured", "--owner", "team-money", "--registry", tmp_path / "registry")
    assert run(*words)[0] == 0
    assert run("lint", "--registry", tmp_path / "registry")[0] == 0


@pytest.mark.parametrize(
    "other", [("--context", "billing"), ("--owner", "a"), ("--schemas",), ("--service", "x"), ("--registry", "../r")]
)
def test_empty_goes_alone(tmp_path, run, other):
    code, _, err = run("init", tmp_path / "registry", "--empty", *other)
    assert code == 2
    assert f"--empty does not allow {other[0]}" in err
    assert not (tmp_path / "registry").exists()


def test_a_second_time_nothing_is_written(tmp_path):
    babelreg("init", tmp_path)
    (tmp_path / "babelreg.yaml").write_text("version: 1 # mine\n")
    again = babelreg("init", tmp_path)
    assert again.returncode == 2
    assert "already exists" in again.stderr
    assert (tmp_path / "babelreg.yaml").read_text() == "version: 1 # mine\n"


def test_the_context_and_owner_can_be_named(tmp_path):
    assert babelreg("init", tmp_path, "--context", "billing", "--owner", "Team: Money").returncode == 0
    registry = load.registry(tmp_path)
    assert registry.defects == ()
    assert [(m.urn, m.owner) for m in registry.messages] == [("urn:babel:billing:created", "Team: Money")]


def test_an_impossible_context_is_refused(tmp_path):
    assert babelreg("init", tmp_path, "--context", "../evil").returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_every_file_names_a_schema_that_is_there(tmp_path):
    babelreg("init", tmp_path)
    found = 0
    for file in tmp_path.rglob("*.yaml"):
        if match := re.match(r"# yaml-language-server: \$schema=(\S+)", file.read_text()):
            found += 1
            assert json.loads((file.parent / match[1]).read_text())["type"] == "object"
    assert found == 5


def test_the_schemas_are_refreshed_only_where_they_changed(tmp_path):
    babelreg("init", tmp_path)
    (tmp_path / "_schemas/message.schema.json").write_text("{}")
    again = babelreg("init", tmp_path, "--schemas")
    assert again.stdout.split() == ["wrote", str(tmp_path / "_schemas/message.schema.json")]


@pytest.mark.parametrize(
    "args, hint",
    [
        pytest.param(["lnt"], "did you mean `babelreg lint`?", id="a misspelt command"),
        pytest.param(["frobnicate"], "`babelreg --help` lists", id="an unknown command"),
        pytest.param(["lint", "nowhere.yaml"], "nowhere.yaml does not exist", id="a path that is not there"),
        pytest.param(["lint", "--registry", "nowhere"], "babelreg init nowhere", id="a registry that is not there"),
    ],
)
def test_wrong_use_exits_2_with_a_way_out(args, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = babelreg(*args)
    assert done.returncode == 2
    assert hint in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "written, gen",
    [
        pytest.param("owner: t\nlang: python\n", {"python": {"out": "."}}, id="Python"),
        pytest.param("owner: t\nlang: node\n", {"typescript": {"out": "src/messages"}}, id="Node"),
        pytest.param("owner: t\nlang: go\n", {"go": {"out": "."}}, id="Go"),
        pytest.param("owner: t\nlang: php\n", {"php": {"out": "src/Messages"}}, id="PHP"),
        pytest.param("owner: t\nlang: java\n", {"jsonschema": {"out": "schemas"}}, id="a language without a target"),
        pytest.param("owner: t\n", {"python": {"out": "."}}, id="no language"),
        pytest.param("owner: [\n", {"python": {"out": "."}}, id="a file with a mistake"),
    ],
)
def test_the_language_of_a_service_chooses_its_target(written, gen, tmp_path):
    babelreg("init", tmp_path / "registry")
    (tmp_path / "registry/_services/shop.yaml").write_text(written)
    made = babelreg("init", tmp_path / "service", "--service", "shop", "--registry", "../registry")
    assert made.returncode == 0, made.stderr
    assert service_repo.read(tmp_path / "service").gen == gen
    assert f"babelreg gen {next(iter(gen))}" in made.stderr


@pytest.mark.parametrize(
    "registry, said",
    [
        ("../registry", {"path": "../registry"}),
        ("https://git.example.com/shop/registry.git", {"git": "https://git.example.com/shop/registry.git"}),
        ("git@git.example.com:shop/registry.git", {"git": "git@git.example.com:shop/registry.git"}),
        ("file:///srv/registry", {"git": "file:///srv/registry"}),
    ],
)
def test_a_service_gets_settings_that_can_be_read(tmp_path, registry, said):
    babelreg("init", tmp_path / "registry")
    (tmp_path / "registry/_services/Orders: API.yaml").write_text("owner: team-orders\nlang: go\n")
    made = babelreg("init", tmp_path / "service", "--service", "Orders: API", "--registry", registry)
    assert made.returncode == 0, made.stderr
    repo = service_repo.read(tmp_path / "service")
    assert (repo.service, repo.registry.as_json()) == ("Orders: API", said)
    head = (tmp_path / "service" / service_repo.NAME).read_text().partition("\n")[0]
    assert head.endswith("../registry/_schemas/service-repo.schema.json") is ("path" in said)
    again = babelreg("init", tmp_path / "service", "--service", "other")
    assert again.returncode == 2
    assert "already exists" in again.stderr


CLICKS = "".join(
    json.dumps({"type": name, "event_id": f"e{n}", "ts": 1794650400 + n, "payload": {"n": n}}) + "\n"
    for n in range(20)
    for name in ("Web.Clicked", "urn:babel:shop:order.placed")
)
EVENTS = "".join(
    json.dumps(
        {"specversion": "1.0", "id": f"{n}", "source": "/shop", "type": "com.shop.order.placed", "data": {"n": n}}
    )
    + "\n"
    for n in range(20)
)
LAYOUT = ("urn.field=type", "id=event_id", "time=ts", "data=payload")


def _settings(*settings):
    return [word for setting in settings for word in ("--setting", setting)]


@pytest.mark.parametrize(
    "wire, messages, settings, line",
    [
        pytest.param("json", CLICKS, LAYOUT, "wires: {json: {urn: {field: type}, id: event_id, time: ts, data: payload}}", id="plain JSON"),
        pytest.param("cloudevents", EVENTS, ["time=received"], "wires: {cloudevents: {time: received}}", id="CloudEvents"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("piped", [False, True], ids=["a file", "standard input"])
def test_a_registry_from_messages_of_another_format_reads_them_all(
    wire, messages, settings, line, piped, tmp_path, monkeypatch, run
):
    monkeypatch.chdir(tmp_path)
    Path("events.jsonl").write_text(messages)
    with Path("events.jsonl").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        source = "-" if piped else "events.jsonl"
        code, _, err = run("init", "--from", source, "--owner", "t", "--wire", wire, *_settings(*settings))
    count = messages.count("\n")
    assert (code, f"{count} messages: {count} readable" in err) == (0, True)
    assert line in Path("registry/babelreg.yaml").read_text().splitlines()
    assert run("lint", "-q")[0] == 0
    assert (
        run("validate", "--wire", wire, "events.jsonl")[2].splitlines()[-1]
        == f"{count} messages: {count} good, 0 refused"
    )


def test_an_event_format_without_settings_has_an_empty_block(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    Path("events.jsonl").write_text(EVENTS.replace('"data"', '"time": "2026-11-14T10:00:00Z", "data"'))
    command = ("init", "--from", "events.jsonl", "--owner", "t", "--wire", "cloudevents")
    assert "com.shop.order.placed" in run(*command, "--dry-run")[2]
    assert not Path("registry").exists()
    run(*command)
    assert "wires: {cloudevents: {}}" in Path("registry/babelreg.yaml").read_text().splitlines()


@pytest.mark.parametrize(
    "args, hint",
    [
        pytest.param(["--wire", "json"], "--setting urn.field=FIELD", id="a setting that is needed"),
        pytest.param(["--wire", "json", "--setting", "urn.fild=a"], "--setting urn.field=FIELD", id="an unknown one"),
        pytest.param(["--wire", "json", "--setting", "urn"], "is not KEY=VALUE", id="no value"),
        pytest.param(["--wire", "json", *_settings("id=a", "id=b")], "id is given twice", id="one twice"),
        pytest.param(["--wire", "json", *_settings("id=a", "id.b=b")], "id is both a value and a mapping", id="a value with keys"),
        pytest.param(["--wire", "cloudevents", "--setting", "time=never"], "--setting time=required", id="another value"),
        pytest.param(["--wire", "strata", "--setting", "a=b"], "strata has no settings", id="a format without settings"),
        pytest.param(["--wire", "jsn"], "did you mean", id="an unknown format"),
    ],
)  # fmt: skip
def test_wrong_settings_of_a_format_write_nothing(args, hint, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    Path("events.jsonl").write_text(CLICKS)
    code, _, err = run("init", "--from", "events.jsonl", "--owner", "t", *args)
    assert (code, hint in err) == (2, True)
    assert not Path("registry").exists()


@pytest.mark.parametrize("option", [("--wire", "json"), ("--setting", "a=b")], ids=["--wire", "--setting"])
def test_settings_of_a_format_need_recordings(option, run, tmp_path):
    code, _, err = run("init", tmp_path / "r", *option)
    assert (code, f"{option[0]} belongs to --from" in err) == (2, True)


@pytest.mark.parametrize(
    "words, fix",
    [
        pytest.param((), "--wire json with --setting urn.field=FIELD", id="without --wire, the formats are named"),
        pytest.param(
            ("--wire", "json", "--setting", "urn.field=name"), "babelreg explain missing_name", id="in another format"
        ),
    ],
)
def test_recordings_of_which_nothing_is_readable_leave_no_registry(words, fix, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    Path("clicks.jsonl").write_text('{"type": "clicked", "page": "/"}\n' * 3, "utf-8")
    code, out, err = run("init", "--from", "clicks.jsonl", "--owner", "team-web", *words)
    assert (code, out) == (2, "")
    assert "no message of the recordings is readable (3 missing_" in err
    assert fix in err
    assert not Path("registry").exists()
