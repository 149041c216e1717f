"""Commands of ``babelreg lake`` and ``babelreg spark`` over a registry of which some schemas cannot be used: nothing is read, all are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

UNUSABLE = {
    "bound": ('data: {type: object, properties: {a: {type: integer, minimum: "x"}}}\n', "4:63"),
    "pattern": ('data: {type: object, properties: {a: {type: string, pattern: "("}}}\n', "4:62"),
    "type": ("data: {type: object, properties: {a: {type: objct}}}\n", "4:45"),
}
COMMANDS = [
    pytest.param(["ingest", "--input", "in", "--lake", "lake"], id="ingest"),
    pytest.param(["ingest", "--input", "in", "--lake", "lake", "--dry-run"], id="ingest, to see"),
    pytest.param(["ingest", "--input", "in", "--lake", "lake", "--watch"], id="ingest, again and again"),
    pytest.param(["redrive", "--lake", "written"], id="redrive"),
    pytest.param(["redrive", "--lake", "written", "--dry-run"], id="redrive, to see"),
    pytest.param(["pack", "--out", "packed.tar.gz"], id="pack"),
    pytest.param(["pack", "--out", "packed.tar.gz", "--dry-run"], id="pack, to see"),
]


@pytest.fixture(autouse=True)
def no_java(monkeypatch):
    """A session that is not to be started."""

    def start(*_, **__):
        raise AssertionError("Java was started")

    for place in ("babelreg.cli.lake.session.start",):
        monkeypatch.setattr(place, start)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """One message that is fine and three that are not, a file to read, and a lake of an earlier run."""
    from babelreg.lake.storage.log import manifest, replay
    from babelreg.lake.storage.log.manifest import Batch, TableRows

    monkeypatch.chdir(tmp_path)
    Path("registry/shop").mkdir(parents=True)
    Path("registry/babelreg.yaml").write_text("version: 1\n")
    Path("registry/shop/_context.yaml").write_text("owner: t\n")
    put("fine", "data: {type: object}\n")
    for name, (data, _) in UNUSABLE.items():
        put(name, data)
    Path("in").mkdir()
    Path("in/a.jsonl").write_text("{}\n")
    Path("written").mkdir()
    for name in ("manifest", "quarantine", "tables"):
        Path("written", name).mkdir()
    replay.checkpoint(Path("written"), replay.read(Path("written")))
    manifest.write(Path("written"), Batch(1, "ingest", 0, 0, 0, 0, False, (), {}, TableRows(0, ()), {}, {}, ()))


def put(name: str, data: str) -> None:
    Path(f"registry/shop/{name}.yaml").write_text(f"urn: urn:babel:shop:{name}\nkind: event\nowner: t\n{data}")


@pytest.mark.parametrize("words", COMMANDS)
def test_every_message_that_cannot_be_validated_is_named_before_anything_is_done(run, words):
    before = {path for path in Path().rglob("*") if "_lock" not in path.name and ".lock" not in path.name}
    code, out, err = run("spark" if words[0] == "pack" else "lake", *words, "--registry", "registry")
    assert (code, out) == (2, "")
    found = [line for line in err.splitlines() if line.startswith("registry/")]
    assert [line.partition(": error: ")[0] for line in found] == [
        f"registry/shop/{name}.yaml:{place}" for name, (_, place) in UNUSABLE.items()
    ]
    assert [line.partition(": error: ")[2].partition(": ")[0] for line in found] == [
        f"urn:babel:shop:{name} cannot be validated" for name in UNUSABLE
    ]
    assert all(line.endswith(" [schema-invalid]") for line in found)
    assert err.count("  fix: ") == len(UNUSABLE) + 1
    assert "babelreg: error: the schemas of 3 messages cannot be used; nothing was done\n" in err
    after = {path for path in Path().rglob("*") if "_lock" not in path.name and ".lock" not in path.name}
    assert after == before


@pytest.mark.parametrize("words", [["--data", "urn:babel:shop:type"], ["--data", "urn:babel:shop:type", "--spark"]])
def test_validate_names_them_all_where_it_meets_a_message_of_one(run, words):
    code, _, err = run("validate", *words, "in/a.jsonl", "--registry", "registry")
    assert code == 2
    assert [line.partition(": error: ")[0] for line in err.splitlines() if line.startswith("registry/")] == [
        f"registry/shop/{name}.yaml:{place}" for name, (_, place) in UNUSABLE.items()
    ]
    assert "babelreg: error: the schemas of 3 messages cannot be used; a message of one was found\n" in err


def test_validate_goes_on_where_it_meets_messages_of_others_alone(run):
    assert run("validate", "--data", "urn:babel:shop:fine", "in/a.jsonl", "--registry", "registry")[0] == 0


def test_a_single_one_is_counted_as_one(run):
    for name in ("bound", "type"):
        Path(f"registry/shop/{name}.yaml").unlink()
    code, _, err = run("spark", "pack", "--out", "packed.tar.gz", "--registry", "registry")
    assert code == 2
    assert "babelreg: error: the schema of 1 message cannot be used; nothing was done\n" in err


def test_a_registry_without_messages_is_packed(run):
    for path in Path("registry/shop").iterdir():
        path.unlink()
    Path("registry/shop").rmdir()
    assert run("spark", "pack", "--out", "packed.tar.gz", "--registry", "registry", "--dry-run")[0] == 0


@pytest.mark.parametrize("from_package", [False, True], ids=["from its folder", "as it was packed"])
def test_the_functions_raise_what_the_commands_print(from_package):
    from babelreg import load
    from babelreg.load.registry.json_bundle import pack, unpack
    from babelreg.load.registry_error import RegistryError
    from babelreg.spark import ingest

    registry = load.registry("registry")
    if from_package:
        registry = unpack(pack(registry), "registry.json")
    with pytest.raises(RegistryError) as raised:
        ingest(pytest.fail, registry, "in", "lake")
    assert [finding.urn for finding in raised.value.findings] == [f"urn:babel:shop:{name}" for name in UNUSABLE]
    assert json.dumps([finding.as_json() for finding in raised.value.findings])
    assert not Path("lake/manifest").exists()
