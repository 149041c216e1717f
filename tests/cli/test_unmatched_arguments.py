"""An argument that matches nothing is an error with a way out, and never proposes a name that is unlike it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from babelreg.load.service.starter import example_folder
from babelreg.spark import ingest

ZEBRA = "urn:babel:zebra:quux"
MESSAGE = b"not JSON\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a registry, a copy of it, recorded messages, their lake, and an empty folder."""
    from babelreg import load

    folder = tmp_path_factory.mktemp("home")
    for name in ("registry", "published"):
        shutil.copytree(example_folder(), folder / name)
    (folder / "in").mkdir()
    (folder / "empty").mkdir()
    (folder / "in" / "a.jsonl").write_bytes(MESSAGE)
    ingest("local", load.registry(folder / "registry"), folder / "in", folder / "lake")
    return folder


@pytest.mark.parametrize(
    "command, fix",
    [
        ("list --context zebra", "there are: billing, customers, "),
        ("list --owner zebra", "there are: team-billing, "),
        ("list --service zebra", "there are: billing-worker, "),
        ("show zebra", "`babelreg list` lists the messages"),
        (f"show {ZEBRA}", "`babelreg list` lists the messages"),
        ("show urn:babel:orders:zebra", "`babelreg list` lists the messages"),
        ("show urn:babel:zebra:created", "`babelreg list` lists the messages"),
        ("show urn:babel:oders:canceled", "did you mean `babelreg show urn:babel:orders:cancelled`?"),
        ("diff zebra --against published", "`babelreg list` lists the messages"),
        (f"diff {ZEBRA} --against published", "`babelreg list` lists the messages"),
        ("diff published --against registry", "babelreg diff --against published"),
        (f"mint {ZEBRA} --against published", "check the URN"),
        ("mint --fragment zebra --against published", "fragments are files in _common/"),
        ("lint zebra", "name a file or folder of the registry"),
        ("lint empty", "name its registry with --registry"),
        ("lint --select zebra", "`babelreg rules` lists rules and families"),
        ("format zebra", "name a file or folder of the registry"),
        ("breaking zebra --against published", "name a file or folder of the registry"),
        ("breaking --against zebra", "name a folder"),
        ("scan empty", "name a folder of source code"),
        ("scan empty --service zebra", "name a folder of source code"),
        ("validate zebra", "name a file of messages"),
        (f"validate in/a.jsonl --data {ZEBRA}", "declare it in the registry"),
        ("explain zebra", "`babelreg rules` lists rules"),
        ("rules --family zebra", "one of urn, registry, "),
        ("fanout redis://127.0.0.1:1 --only zebra", "`babelreg topology` lists the queues"),
        ("import jsonschema empty", "name the files one by one"),
        ("import asyncapi empty", "name AsyncAPI documents"),
        (f"lake files {ZEBRA} --lake lake", "name one that it has"),
        ("lake report --lake lake --batch 77", "--batch 1 is the newest"),
        (f"lake quarantine --lake lake --urn {ZEBRA}", "remove --urn"),
        ("lake quarantine --lake lake --reason zebra", "remove --reason"),
        ("lake quarantine --lake lake --reason invalid_json --reason zebra", "remove --reason"),
        ("lake quarantine --lake lake --batch 77", "--batch 1 is the newest"),
        (f"lake redrive --engine local --lake lake --urn {ZEBRA}", "without --urn the whole quarantine"),
        ("lake redrive --engine local --lake lake --reason invalid_json --reason zebra", "without --reason"),
        ("lake redrive --engine local --lake lake --dry-run --reason zebra", "without --reason"),
        (f"lake ingest --engine local --input in --lake new --fail-above {ZEBRA}=1%", "use a URN of the registry"),
        ("lake ingest --engine local --input empty --lake new", "put files of JSON lines there"),
    ],
)
def test_an_argument_that_matches_nothing_is_refused(command, fix, home, run, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("BABELREG_REGISTRY", "registry")
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    assert f"fix: {fix}" in err
    assert "did you mean" not in err or "did you mean" in fix


def test_a_reason_that_messages_may_have_is_no_mistake(home, run, monkeypatch):
    monkeypatch.chdir(home)
    code, out, _ = run("lake", "quarantine", "--lake", "lake", "--reason", "missing_required", "--registry", "registry")
    assert (code, out.splitlines()[0]) == (0, "none of 1 messages in lake/quarantine")


def test_traffic_without_a_count_is_said(home, run, monkeypatch):
    monkeypatch.chdir(home)
    (home / "traffic.json").write_text("{}")
    _, _, err = run("breaking", "--registry", "registry", "--against", "published", "--traffic", "traffic.json")
    assert "--traffic: traffic.json contains no counts" in err
