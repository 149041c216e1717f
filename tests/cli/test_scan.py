"""``babelreg scan``: a service's code against its registry, and the declarations written back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from babelreg.cli.shared.output import STYLE_NAMES

EXAMPLE = Path(__file__).resolve().parents[2] / "registry.example"
CODE = """\
@app.handler("urn:babel:orders:cancelled")
def cancelled(data, meta):
    app.publish("urn:babel:billing:invoice.isue", data)
    app.publish("urn:babel:media:thumbnail.generate", data)
@app.handler("urn:babel:customers:registered")
def registered(data, meta): ...
"""


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """A copy of the example registry beside the repository of the warehouse, which is the current folder."""
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    (tmp_path / "service/src").mkdir(parents=True)
    (tmp_path / "service/src/app.py").write_text(CODE)
    (tmp_path / "service/tests").mkdir()
    (tmp_path / "service/tests/test_app.py").write_text("app.publish('urn:babel:no:where')\n")
    monkeypatch.chdir(tmp_path / "service")
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "registry"


@pytest.fixture
def service(registry):
    Path("babelreg.service.yaml").write_text("version: 1\nservice: warehouse\nregistry: {path: ../registry}\n")


def rules(out: str) -> list[tuple[int, str]]:
    found = json.loads(out)
    return [(one["line"], one["rule"]) for one in (found["findings"] if isinstance(found, dict) else found)]


def test_the_code_of_a_service_is_held_against_its_registry(service, run):
    code, out, err = run("scan", ".", "--format", "json")
    assert code == 1
    assert rules(out) == [(3, "used-urn-unknown"), (4, "used-urn-undeclared"), (5, "used-urn-undeclared")]
    assert err == ("3 errors in 1 file (4 uses of URNs in 1 file checked)\n1 file: tests were left out (--tests)\n")
    assert (4, "used-urn-undeclared") in rules(run("scan", "src", "--format", "json")[1])
    assert len(rules(run("scan", ".", "--tests", "--format", "json")[1])) == 4


def test_without_a_service_nothing_is_undeclared(registry, run):
    assert rules(run("scan", "src", "--registry", registry, "--format", "json")[1]) == [(3, "used-urn-unknown")]
    named = run("scan", "src", "--registry", registry, "--service", "crm", "--format", "json")[1]
    assert rules(named) == [(1, "used-urn-undeclared"), (3, "used-urn-unknown"), (4, "used-urn-undeclared")]


def test_what_the_code_shows_is_written_back_once(service, registry, run):
    code, out, err = run("scan", "src", "--write")
    assert out.splitlines()[:2] == [
        "wrote ../registry/_services/warehouse.yaml",
        "wrote ../registry/media/thumbnail.generate.yaml",
    ]
    assert code == 1
    assert "declared 2 parts of warehouse" in err
    assert "consumes:" in (registry / "_services/warehouse.yaml").read_text()
    assert (registry / "_services/warehouse.yaml").read_text().endswith("  - urn: urn:babel:customers:registered\n")
    assert "warehouse]" in (registry / "media/thumbnail.generate.yaml").read_text()
    assert rules(run("scan", "src", "--format", "json")[1]) == [(3, "used-urn-unknown")]
    assert run("lint", "--registry", registry, "--fail-on", "error")[0] == 0
    before = {path: path.read_bytes() for path in registry.rglob("*.yaml")}
    assert "wrote" not in run("scan", "src", "--write")[1]
    assert {path: path.read_bytes() for path in registry.rglob("*.yaml")} == before


@pytest.mark.parametrize(
    "args, said",
    [
        pytest.param(["src", "--write"], "--service NAME", id="--write without a service"),
        pytest.param(["nowhere"], "does not exist", id="no such folder"),
        pytest.param(["src", "--service", "werehouse"], "did you mean 'warehouse'?", id="a misspelt service"),
    ],
)
def test_wrong_use_ends_in_2_and_says_a_way_out(registry, run, args, said):
    code, _, err = run("scan", *args, "--registry", registry)
    assert code == 2
    assert said in err


def test_the_fix_of_an_unknown_urn_can_be_pasted(service, registry, run):
    Path("src/app.py").write_text('app.publish("urn:babel:returns:parcel.returned", data, queue="returns")\n')
    (found,) = json.loads(run("scan", "src", "--format", "json")[1])["findings"]
    line = "babelreg new urn:babel:returns:parcel.returned --owner team-logistics --producer warehouse --queue returns"
    assert found["fix"] == line
    assert run(*line.split()[1:], "--registry", registry)[0] == 0
    text = (registry / "returns/parcel.returned.yaml").read_text()
    assert "queue: returns" in text
    assert "producers: [warehouse]" in text
    assert run("scan", "src")[0] == 0
    assert run("lint", "--registry", registry, "--fail-on", "error")[0] == 0


def test_a_service_that_the_registry_does_not_have_is_declared_too(registry, run):
    Path("src/b.go").write_text('app.Publish(ctx, "urn:babel:orders:cancelled", data)\n')
    Path("src/c.go").write_text('app.Publish(ctx, "urn:babel:orders:cancelled", data)\n')
    code, _, err = run("scan", "src", "--service", "packer", "--write", "--registry", registry)
    assert code == 2
    assert "--owner TEAM" in err
    before = {path: path.read_bytes() for path in registry.rglob("*.yaml")}
    arguments = ("scan", "src", "--service", "packer", "--write", "--owner", "team-packing", "--registry", registry)
    code, out, _ = run(*arguments, "--diff")
    assert (code, "+owner: team-packing" in out) == (1, True)
    assert {path: path.read_bytes() for path in registry.rglob("*.yaml")} == before
    code, out, _ = run(*arguments)
    assert "_services/packer.yaml" in out
    text = (registry / "_services/packer.yaml").read_text()
    assert text.startswith("owner: team-packing\nlang: go\n")
    assert "customers:registered" in text
    assert run("format", "--check", registry / "_services/packer.yaml")[0] == 0
    assert "packer" in (registry / "orders/cancelled.yaml").read_text()
    assert run("lint", "--registry", registry, "--fail-on", "error")[0] == 0
    code, out, _ = run(*arguments)
    assert (code, "_services/packer.yaml" in out) == (1, False)  # the URN that is misspelt


def test_a_fetched_registry_is_not_written_to(registry, run):
    def git(*args: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=b", *args], cwd=registry, check=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    Path("babelreg.service.yaml").write_text(
        f"version: 1\nservice: warehouse\nregistry: {{git: '{registry.as_uri()}'}}\n"
    )
    code, _, err = run("scan", "src")
    assert code == 2
    assert "run `babelreg update`" in err
    run("update")
    shutil.rmtree(registry)
    assert run("scan", "src")[0] == 1
    code, _, err = run("scan", "src", "--write")
    assert code == 2
    assert "--registry CLONE" in err


def test_messages_are_validated_against_the_registry_of_the_service(service, registry, run):
    envelope = '{"job":"urn:babel:orders:cancelled","trace_id":"7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b","data":{},'
    meta = '"meta":{"id":"f1e2d3c4-b5a6-4789-90ab-cdef01234567","queue":"q","lang":"go","schema_version":1,"created_at":1},'
    Path("m.json").write_text(f'{envelope}{meta}"attempts":0}}')
    assert "[missing_required]" in run("validate", "m.json")[1]


@pytest.mark.parametrize("style", STYLE_NAMES)
def test_every_report_style_tells_of_the_findings(service, run, style):
    code, out, _ = run("scan", "src", "--format", style)
    assert code == 1
    assert "used-urn-unknown" in out
    assert "src/app.py" in out


def test_the_settings_exclude_files(service, registry, run):
    with Path("babelreg.service.yaml").open("a") as file:
        file.write("scan: {exclude: [src/]}\n")
    assert run("scan", ".")[0] == 0


def test_a_scan_imports_nothing_heavy(service):
    heavy = "pyspark,jinja2,jsonschema,datamodel_code_generator,pydantic,xml"
    script = (
        "import sys\nfrom babelreg.cli import main\n"
        "try:\n    main(['scan', 'src'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in '{heavy}'.split(',') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_without_a_path_the_folder_here_is_scanned(registry, run):
    assert run("scan", "--format", "json") == run("scan", ".", "--format", "json")


def test_a_diff_of_what_would_be_declared_writes_nothing(registry, run):
    before = {path: path.read_bytes() for path in registry.rglob("*.yaml")}
    code, out, _ = run("scan", "src", "--write", "--diff", "--registry", registry, "--service", "warehouse")
    assert code == 1
    assert out.startswith("--- a/")
    assert "warehouse" in out
    assert {path: path.read_bytes() for path in registry.rglob("*.yaml")} == before


@pytest.mark.parametrize(
    "folder, files, message, fix",
    [
        pytest.param("void", [], "there is no source code in void", "name a folder of source code", id="an empty folder"),
        pytest.param("docs", ["docs/a.md"], "there is no source code in docs", "name a folder of source code", id="prose"),
        pytest.param("tests", [], "there are only tests in tests", "also scan tests: --tests", id="tests"),
    ],
)  # fmt: skip
def test_a_folder_without_code_is_refused(service, run, folder, files, message, fix):
    Path(folder).mkdir(exist_ok=True)
    for file in files:
        Path(file).write_text("urn:babel:no:where\n")
    code, out, err = run("scan", folder)
    assert (code, out) == (2, "")
    assert f"error: {message}\n  fix: {fix}" in err


def test_a_file_that_is_not_code_is_skipped_where_it_is_named_by_a_hook(service, run):
    Path("README.md").write_text("urn:babel:no:where\n")
    assert run("scan", "README.md") == (0, "", "no findings in 0 uses of URNs in 0 files\n")


def test_files_that_were_not_scanned_are_counted(service, run):
    Path("src/large.py").write_text("#" * (1 << 20) + "\n")
    with Path("babelreg.service.yaml").open("a") as file:
        file.write("scan: {exclude: [app.py]}\n")
    Path("src/b.py").write_text("publish('urn:babel:orders:created.v2')\n")
    _, out, err = run("scan", "src", "--format", "json", "--tests")
    summary = json.loads(out)["summary"]
    names = ("uses", "files", "tests", "excluded", "large", "unreadable")
    assert [summary[name] for name in names] == [1, 1, 0, 1, 1, 0]
    assert "; 1 file larger than 1 MiB\n1 file: excluded by `exclude`\n" in err


def test_a_file_that_cannot_be_read_makes_the_exit_code_2(service, run, monkeypatch):
    Path("src/locked.py").write_text("publish('urn:babel:orders:created.v2')\n")
    lstat = os.lstat

    def refused(path, **more):
        if str(path).endswith("locked.py"):
            raise PermissionError(13, "Permission denied")
        return lstat(path, **more)

    monkeypatch.setattr("babelreg.scan.file_selection.os.lstat", refused)
    code, _, err = run("scan", "src", "--fail-on", "never")
    assert code == 2
    assert "; 1 file cannot be read\n" in err
    assert "cannot read src/locked.py: Permission denied\n" in err
