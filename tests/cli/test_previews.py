"""``--diff`` and ``--dry-run`` show what a command would write, and write nothing; ``--output`` of validate."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from babelreg.load.service.starter import example_folder

URN = "urn:babel:orders:created.v2"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the example registry, which is the work folder."""
    shutil.copytree(example_folder(), tmp_path / "registry")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def break_created(folder: Path) -> None:
    file = folder / "orders/created.v2.yaml"
    text = file.read_text("utf-8")
    file.write_text(text.replace("required: [order_id, total]", "required: [order_id, total, email]"), "utf-8")


@pytest.mark.parametrize(
    "words, code, shown",
    [
        pytest.param(["init", "new", "--dry-run"], 0, "would write new/babelreg.yaml", id="init"),
        pytest.param(["gen", "docs", "--out", "docs", "--dry-run"], 0, "would write docs/README.md", id="gen"),
        pytest.param(["mint", URN, "--against", "registry", "--dry-run"], 0, "registry/orders/created.v3.yaml", id="mint"),
        pytest.param(["mint", URN, "--against", "registry", "--diff"], 0, "--- /dev/null\n+++ b/registry/orders/created.v3.yaml", id="mint as a diff"),
        pytest.param(["spark", "pack", "--dry-run"], 0, "MB for Python", id="spark pack"),
    ],
)  # fmt: skip
def test_nothing_is_written(words, code, shown, here, run):
    before = files(here)
    more = [] if words[0] == "init" else ["--registry", "registry"]
    ended, out, _ = run(*words, *more)
    assert (ended, files(here)) == (code, before)
    assert shown in out


@pytest.mark.parametrize(
    "how, shown",
    [
        pytest.param("--diff", "--- a/changed/orders/created.v2.yaml", id="as a diff"),
        pytest.param("--dry-run", "changed/orders/created.v3.yaml\n", id="as names"),
    ],
)
def test_the_fix_of_a_breaking_change_is_shown_first(how, shown, here, run):
    shutil.copytree("registry", "changed")
    break_created(here / "changed")
    before = files(here)
    code, out, _ = run("breaking", "--registry", "changed", "--against", "registry", "--fix", how)
    assert (code, files(here)) == (1, before)
    assert shown in out


def test_the_diff_of_a_mint_is_what_git_applies(here, run):
    shutil.copytree("registry", "minted")
    (here / "registry").rename("here")
    shutil.copytree("here", "registry")
    diff = run("mint", URN, "--registry", "registry", "--against", "here", "--sunset", "2030-06-30", "--diff")[1]
    run("mint", URN, "--registry", "registry", "--against", "here", "--sunset", "2030-06-30")
    shutil.rmtree("old", ignore_errors=True)
    (here / "registry").rename("new")
    (here / "minted").rename("registry")
    subprocess.run(["git", "apply", "-"], input=diff, text=True, check=True)
    assert files(here / "registry") == files(here / "new")


def test_validate_writes_reports(here, run):
    Path("messages.jsonl").write_text("{}\n[]\n")
    words = ["validate", "messages.jsonl", "--registry", "registry"]
    streamed = run(*words)
    code, out, err = run(*words, "--output", "junit:report.xml", "--output", "text.txt")
    assert (code, out, err) == (1, "", streamed[2])
    assert Path("text.txt").read_text().splitlines()[0] == streamed[1].splitlines()[0]
    assert "<testsuites" in Path("report.xml").read_text()


@pytest.mark.parametrize(
    "words, rules",
    [
        pytest.param(["--select", "queue-name"], None, id="no such rule"),
        pytest.param(["--select", "field-undescribed"], {"field-undescribed"}, id="a rule of a stricter profile"),
        pytest.param(["--select", "documentation"], {"field-undescribed", "description-missing"}, id="a family"),
        pytest.param(["--select", "documentation", "--ignore", "field-undescribed"], {"description-missing"}, id="but one"),
        pytest.param(["--select", "field-undescribed,description-missing"], {"field-undescribed", "description-missing"}, id="two in a word"),
        pytest.param(["--ignore", "documentation"], set(), id="all but a family"),
        pytest.param(["--ignore", "yaml-syntax"], None, id="a defect is not ignored"),
    ],
)  # fmt: skip
def test_rules_are_selected_for_a_run(words, rules, tmp_path, run):
    (tmp_path / "orders").mkdir()
    (tmp_path / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "orders/_context.yaml").write_text("owner: team-orders\ndescription: Orders.\n")
    data = "{type: object, properties: {id: {type: integer}}}"
    (tmp_path / "orders/created.yaml").write_text(f"urn: urn:babel:orders:created\nkind: event\ndata: {data}\n")
    code, out, err = run("lint", "--registry", tmp_path, "--format", "json", *words)
    if rules is None:
        assert code == 2
        assert "fix: " in err
        return
    found = {finding["rule"] for finding in json.loads(out)["findings"]}
    assert found & {"field-undescribed", "description-missing"} == rules
    assert found <= rules or "--ignore" in words


@pytest.mark.parametrize("style", ["text", "json"])
def test_statistics_count_the_findings_of_each_rule(style, here, run):
    words = ["lint", "--registry", "registry", "--profile", "strict"]
    findings = json.loads(run(*words, "--format", "json")[1])["findings"]
    out = run(*words, "--statistics", "--format", style)[1]
    rules = {finding["rule"] for finding in findings}
    if style == "json":
        assert {row["rule"]: row["count"] for row in json.loads(out)} == {
            rule: sum(finding["rule"] == rule for finding in findings) for rule in rules
        }
    else:
        assert {line.split()[-1] for line in out.splitlines()} == rules


@pytest.mark.parametrize("words", [["--output", "x"], ["--format", "sarif"]], ids=["a file", "a style of findings"])
def test_statistics_are_no_report(words, here, run):
    code, _, err = run("lint", "--registry", "registry", "--statistics", *words)
    assert code == 2
    assert "--statistics" in err


@pytest.mark.parametrize("fail_on, code", [("error", 0), ("warning", 1), ("info", 1), ("never", 0)])
def test_findings_of_a_severity_fail_a_run(fail_on, code, here, run):
    assert run("lint", "--registry", "registry", "--profile", "strict", "--fail-on", fail_on)[0] == code


def test_infos_alone_fail_a_run_on_request(here, run):
    (here / "registry/babelreg.yaml").write_text("version: 1\nlint: {rules: {sdk-unenforced: info}}\n")
    words = ["lint", "--registry", "registry", "--select", "sdk-unenforced", "--fail-on"]
    assert [run(*words, severity)[0] for severity in ("warning", "info")] == [0, 1]
