"""``babelreg lint`` as a user runs it: a process, its output and its exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import commands
import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "registry.example"
HEAVY = ("pyspark", "jinja2", "jsonschema", "pydantic", "datamodel_code_generator", "importlib.metadata")

FILES = {
    "babelreg.yaml": "version: 1\n",
    "_services/orders-api.yaml": "owner: team-orders\nlang: go\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "orders/created.yaml": """\
urn: urn:babel:orders:created
kind: event
producers: [orders-api]
data:
  type: object
  properties:
    paid: {enum: [0, 1]}
examples: [{paid: 1}]
description: An order was created.
""",
    "orders/paid.yaml": """\
urn: urn:babel:orders:paid
kind: event
producers: [orders-api]
data: {type: object}
description: An order was paid.
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        target = tmp_path / "registry" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return tmp_path


def run(*arguments: str, at: Path) -> subprocess.CompletedProcess[str]:
    return commands.run("lint", *arguments, at=at)


def test_findings_on_stdout_the_count_on_stderr(folder: Path) -> None:
    done = run("registry", at=folder)
    assert done.stdout == (
        "registry/orders/created.yaml:7:18: error: 'paid' is a boolean spelled 0/1 [boolean-not-json]\n"
        "  fix: type: boolean\n"
        "registry/orders/paid.yaml:1:1: warning: 'urn:babel:orders:paid' has no example [example-missing]\n"
        "  fix: examples: [{…}], with one document as it is sent in practice\n"
    )
    assert done.stderr == "1 error, 1 warning in 2 files (2 messages checked)\n"
    assert done.returncode == 1


@pytest.mark.parametrize(
    "arguments, lines, code",
    [
        pytest.param(["registry/orders/paid.yaml"], 1, 0, id="a file with a warning"),
        pytest.param(["registry/orders/paid.yaml", "--fail-on", "warning"], 1, 1, id="warnings count when asked"),
        pytest.param(["registry/orders/created.yaml"], 1, 1, id="a file with an error"),
        pytest.param(["registry/orders/created.yaml", "--fail-on", "never"], 1, 0, id="nothing counts when asked"),
        pytest.param(["registry/orders"], 2, 1, id="a folder"),
        pytest.param(["--registry", "registry"], 2, 1, id="the registry by name"),
        pytest.param(["registry/_services"], 0, 0, id="a folder without findings"),
    ],
)
def test_paths_and_exit_codes(arguments: list[str], lines: int, code: int, folder: Path) -> None:
    done = run(*arguments, "--format", "jsonl", at=folder)
    assert (len(done.stdout.splitlines()), done.returncode) == (lines, code)


def test_paths_can_be_opened_from_where_the_user_is(folder: Path) -> None:
    done = run("created.yaml", at=folder / "registry" / "orders")
    shown = done.stdout.partition(":")[0]
    assert (folder / "registry" / "orders" / shown).resolve() == (folder / "registry/orders/created.yaml").resolve()


def test_both_places_of_a_finding_can_be_opened(folder: Path) -> None:
    (folder / "registry/orders/twice.yaml").write_text(FILES["orders/paid.yaml"], "utf-8")
    done = run("registry/orders/twice.yaml", at=folder)
    assert (
        "registry/orders/twice.yaml:1:6: error: 'urn:babel:orders:paid' is declared in orders/paid.yaml" in done.stdout
    )
    assert "\n  against: registry/orders/paid.yaml:1:6\n" in done.stdout


def test_json_is_one_document(folder: Path) -> None:
    done = run("registry", "--format", "json", at=folder)
    report = json.loads(done.stdout)
    assert [f["rule"] for f in report["findings"]] == ["boolean-not-json", "example-missing"]
    assert report["findings"][0]["path"] == "registry/orders/created.yaml"
    assert report["summary"] == {"error": 1, "warning": 1, "info": 0, "messages": 2, "waived": 0}


def test_output_goes_to_a_file(folder: Path) -> None:
    done = run("registry", "--output", "report.txt", at=folder)
    assert done.stdout == ""
    assert "[boolean-not-json]" in (folder / "report.txt").read_text("utf-8")
    assert done.returncode == 1


@pytest.mark.parametrize(
    "arguments, hint",
    [
        pytest.param(["nowhere"], "nowhere does not exist", id="a path that is not there"),
        pytest.param(["--registry", "nowhere"], "nowhere", id="a registry that is not there"),
        pytest.param(["registry", "--format", "xml"], "'xml'", id="a style that is none"),
    ],
)
def test_wrong_use_is_2_and_says_what_to_do(arguments: list[str], hint: str, folder: Path) -> None:
    done = run(*arguments, at=folder)
    assert done.returncode == 2
    assert hint in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_example_registry_is_clean() -> None:
    done = run("--registry", str(EXAMPLE), "--fail-on", "warning", at=REPOSITORY)
    assert (done.stdout, done.returncode) == ("", 0)


def test_nothing_heavy_is_imported(folder: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n"
        "from babelreg.cli import main\n"
        "try: main(['lint', 'registry'])\n"
        f"finally: print('heavy:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert done.stdout.splitlines()[-1] == "heavy: []"


@pytest.mark.parametrize("said", ["tomorrow", "20270331", "2027-W13-3", "2027-02-30", "31.03.2027", ""])
def test_what_is_no_day_is_refused(said: str, folder: Path) -> None:
    done = run("registry", "--today", said, at=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{said}' is not a date like 2027-03-31" in done.stderr


def test_what_is_waived_is_counted_and_passes(folder: Path) -> None:
    ready = run("registry", "--format", "waivers", at=folder)
    assert (ready.returncode, ready.stdout[:17]) == (1, "lint:\n  waivers:\n")
    settings = folder / "registry" / "babelreg.yaml"
    settings.write_text(f"version: 1\n{ready.stdout}", "utf-8")
    refused = run("registry", "--format", "jsonl", at=folder)
    assert refused.returncode == 1
    settings.write_text(settings.read_text("utf-8").replace("TODO: say why", "as it came"), "utf-8")
    done = run("registry", at=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"no findings in 2 messages ({ready.stdout.count('rule:')} waived)\n"
    assert run("registry", at=folder).stderr == done.stderr, "the cache keeps the count"


def test_waivers_name_files_as_the_registry_does(folder: Path) -> None:
    made = run("--registry", "registry", "--format", "waivers", "--output", "waivers.yaml", at=folder)
    assert made.stdout == ""
    assert "registry/" not in (folder / "waivers.yaml").read_text("utf-8")


def test_a_waiver_holds_until_its_day(folder: Path) -> None:
    created = folder / "registry" / "orders" / "created.yaml"
    waived = "{enum: [0, 1]} # babelreg: allow boolean-not-json until 2027-03-31 -- the till counts"
    created.write_text(created.read_text("utf-8").replace("{enum: [0, 1]}", waived), "utf-8")
    rules = [
        [
            json.loads(line)["rule"]
            for line in run("registry/orders/created.yaml", *options, at=folder).stdout.splitlines()
        ]
        for options in (["--format", "jsonl", "--today", "2027-03-31"], ["--format", "jsonl", "--today", "2027-04-01"])
    ]
    assert "boolean-not-json" not in rules[0]
    assert {"boolean-not-json", "waiver-expired"} <= set(rules[1])


def test_a_profile_for_one_run(folder: Path) -> None:
    from babelreg.cli.lint import PROFILE_NAMES
    from babelreg.lint.rule import PROFILES

    assert PROFILE_NAMES == PROFILES
    found = [
        len(run("registry", "--format", "jsonl", "--profile", name, at=folder).stdout.splitlines()) for name in PROFILES
    ]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_settings_in_a_pyproject_above_the_registry(folder: Path) -> None:
    (folder / ".git").mkdir()
    project = folder / "pyproject.toml"
    project.write_text('[tool.babelreg.lint]\nrules = {boolean-not-json = "off", zzz = "off"}\n', "utf-8")
    done = run("registry", at=folder)
    assert done.stdout.splitlines()[0] == "pyproject.toml:2:36: error: there is no rule 'zzz' [lint-rule-unknown]"
    assert "boolean-not-json" not in done.stdout
    project.write_text("[tool.babelreg.lint]\n", "utf-8")
    assert "boolean-not-json" in run("registry", at=folder).stdout, "the cache knows that it changed"


def test_waivers_for_settings_in_a_pyproject(folder: Path) -> None:
    project = folder / "registry" / "pyproject.toml"
    project.write_text('[tool.babelreg.lint]\nprofile = "strict"\n', "utf-8")
    ready = run("registry", "--format", "waivers", at=folder).stdout
    assert ready.startswith("[[tool.babelreg.lint.waivers]]\nrule = ")
    with project.open("a") as file:
        file.write("\n" + ready.replace("TODO: say why", "as it came"))
    done = run("registry", at=folder)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "option",
    [
        pytest.param(["--select", ""], id="select nothing"),
        pytest.param(["--select", " , "], id="select a comma"),
        pytest.param(["--ignore", ","], id="ignore a comma"),
    ],
)
def test_an_option_that_names_no_rule_is_refused(folder: Path, option: list[str]) -> None:
    done = run("registry", *option, at=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error: {option[0]}: '{option[1]}' does not name a rule\n  fix: `babelreg rules` lists" in done.stderr


def test_only_the_messages_that_are_reported_on_are_counted(folder: Path) -> None:
    assert run("registry", at=folder).stderr.endswith("(2 messages checked)\n")
    assert run("registry/orders/paid.yaml", at=folder).stderr.endswith("(1 message checked)\n")
    done = run("registry/orders/paid.yaml", "--format", "json", at=folder)
    assert json.loads(done.stdout)["summary"]["messages"] == 1
    assert "no findings in 0 messages\n" in run("registry/_services", at=folder).stderr
