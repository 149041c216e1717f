"""How findings leave a command: styles, files, colours, and what GitHub Actions gets to see."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import commands
import pytest

from babelreg.cli.shared.output import STYLE_NAMES
from babelreg.report import STYLES

REPOSITORY = Path(__file__).parents[3]
FILES = {
    # One rule beside the smallest profile, so that new rules add nothing here.
    "babelreg.yaml": "version: 1\nlint: {profile: minimal, rules: {boolean-not-json: error}}\n",
    "_services/orders-api.yaml": "owner: team-orders\nlang: go\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "orders/paid.yaml": "urn: urn:babel:orders:paid\nkind: event\nproducers: [orders-api]\n"
    "data: {type: object, properties: {is_new: {enum: [0, 1]}}}\nexamples: [{is_new: 1}]\n",
}
SAID = "registry/orders/paid.yaml:4:50: error: 'is_new' is a boolean spelled 0/1 [boolean-not-json]\n  fix: type: boolean\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        target = tmp_path / "registry" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return tmp_path


def lint(*arguments: str, at: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return commands.run("lint", "--registry", "registry", *arguments, at=at, env={**os.environ, **environment})


def test_the_names_on_the_command_line_are_those_of_the_styles() -> None:
    # Waivers are lint's alone.
    assert list(STYLE_NAMES) == [style for style in STYLES if not style.startswith("waivers")]


@pytest.mark.parametrize("style", STYLE_NAMES)
def test_every_style_says_where_and_fails(style: str, folder: Path) -> None:
    done = lint("--format", style, at=folder)
    assert done.returncode == 1
    assert "registry/orders/paid.yaml" in done.stdout


def test_files_beside_stdout(folder: Path) -> None:
    done = lint("--output", "sarif:a.sarif", "--output", "junit:b.xml", at=folder)
    assert (done.stdout, done.returncode) == (SAID, 1)
    run = json.loads((folder / "a.sarif").read_text("utf-8"))["runs"][0]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == "boolean-not-json"
    assert "Good:" in rule["help"]["markdown"]
    assert run["automationDetails"]["id"] == "babelreg-lint/"
    assert 'failures="1"' in (folder / "b.xml").read_text("utf-8")
    assert sorted(path.name for path in folder.iterdir()) == ["a.sarif", "b.xml", "registry"]


def test_a_file_without_a_style_takes_the_place_of_stdout(folder: Path) -> None:
    done = lint("--format", "jsonl", "--output", "a.jsonl", "--output", "text:b.txt", at=folder)
    assert done.stdout == ""
    assert json.loads((folder / "a.jsonl").read_text("utf-8"))["rule"] == "boolean-not-json"
    assert (folder / "b.txt").read_text("utf-8") == SAID


def test_a_style_of_one_command_alone_goes_to_files_too(folder: Path) -> None:
    assert lint("--output", "waivers:w.yaml", at=folder).stdout == SAID
    assert (folder / "w.yaml").read_text("utf-8").startswith("lint:\n  waivers:\n")


def test_the_sarif_of_every_rule_is_valid() -> None:
    """As the command writes it, with the page of every rule in it."""
    import jsonschema

    from babelreg.cli.manual.rule_catalog import entries, texts
    from babelreg.finding import Finding, Place, Severity
    from babelreg.report import RunInfo, render

    schema = json.loads((REPOSITORY / "tests/report/styles/data/sarif-2.1.0-rtm.5.json").read_text("utf-8"))
    found = [Finding(rule, Severity.ERROR, "m", Place("a.yaml", 1, 1)) for rule in entries()]
    report = json.loads(render(found, "sarif", run_info=RunInfo("babelreg lint", "0.1.0", rules=texts(entries()))))
    jsonschema.Draft4Validator(schema).validate(report)
    rules = report["runs"][0]["tool"]["driver"]["rules"]
    languages = {
        "used-urn-": "```python",
        "generated-file-": "```console",
        "locked-message-": "```console",
        "owner-unmapped": "```console",
    }
    code = {
        rule["id"]: next((text for start, text in languages.items() if rule["id"].startswith(start)), "```yaml")
        for rule in rules
    }
    assert all(code[rule["id"]] in rule["help"]["markdown"] for rule in rules)


@pytest.mark.parametrize(
    "arguments, said, fix",
    [
        pytest.param(
            ["sarf:x"], "there is no report style 'sarf'", "for a file of that name, write ./sarf:x", id="no style"
        ),
        pytest.param(["sarif"], "this is a style", "--output sarif:FILE", id="a style alone"),
        pytest.param(["sarif:"], "the name of the file is missing", "--output sarif:report.txt", id="no file"),
        pytest.param(["a", "b"], "only one file can take", "--output json:FILE", id="two in the place of stdout"),
        pytest.param(["json:a", "sarif:./a"], "would go to the same file", "a separate file", id="one file twice"),
        pytest.param(["registry"], "this is a folder", "--output registry/report.txt", id="a folder"),
        pytest.param(
            ["text:no/a"], "cannot write no/a: No such file", "in an existing, writable folder", id="no such folder"
        ),
    ],
)
def test_what_cannot_be_written_is_2_with_a_way_out(arguments: list[str], said: str, fix: str, folder: Path) -> None:
    done = lint(*(word for file in arguments for word in ("--output", file)), at=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert f"fix: {fix}" in done.stderr or fix in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_looks_like_a_style_can_be_written(folder: Path) -> None:
    assert lint("--output", "./sarf:x", at=folder).returncode == 1
    assert (folder / "sarf:x").read_text("utf-8") == SAID


def test_a_link_is_followed_and_a_mode_kept(folder: Path) -> None:
    (folder / "real.txt").write_text("old")
    (folder / "real.txt").chmod(0o640)
    (folder / "link.txt").symlink_to("real.txt")
    lint("--output", "link.txt", at=folder)
    assert (folder / "link.txt").is_symlink()
    assert (folder / "real.txt").read_text("utf-8") == SAID
    assert stat.S_IMODE((folder / "real.txt").stat().st_mode) == 0o640


def test_a_report_that_cannot_be_finished_leaves_the_old_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from babelreg.cli.shared import output
    from babelreg.errors import UsageError

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    (folder / "a.txt").write_text("old")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UsageError, match="No space left"):
        output.write_report(folder / "a.txt", "new")
    assert (folder / "a.txt").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "registry"]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no /dev/stdout")
def test_what_is_no_file_is_written_to_as_it_is(folder: Path) -> None:
    assert lint("--output", "/dev/stdout", at=folder).stdout == SAID


@pytest.mark.parametrize(
    "arguments, environment, coloured",
    [
        pytest.param([], {}, False, id="a pipe"),
        pytest.param(["--color", "always"], {}, True, id="asked for"),
        pytest.param([], {"FORCE_COLOR": "1"}, True, id="forced"),
        pytest.param(["--color", "never"], {"FORCE_COLOR": "1"}, False, id="refused though forced"),
        pytest.param(["--color", "always"], {"NO_COLOR": "1"}, False, id="NO_COLOR wins"),
        pytest.param(["--color", "auto"], {"FORCE_COLOR": "1"}, True, id="auto says nothing"),
        pytest.param(["--color", "always", "--format", "jsonl"], {}, False, id="machines get no colours"),
    ],
)
def test_colours(arguments: list[str], environment: dict[str, str], coloured: bool, folder: Path) -> None:
    done = lint(*arguments, at=folder, **environment)
    assert ("\x1b[" in done.stdout) is coloured


def test_a_file_gets_no_colours(folder: Path) -> None:
    lint("--color", "always", "--output", "a.txt", at=folder)
    assert (folder / "a.txt").read_text("utf-8") == SAID


def test_a_narrow_terminal_neither_wraps_nor_cuts(folder: Path) -> None:
    assert lint(at=folder, COLUMNS="20").stdout == SAID


ACTIONS = {"GITHUB_ACTIONS": "true"}


def test_in_github_actions_findings_become_annotations_and_a_summary(folder: Path) -> None:
    page = folder / "summary.md"
    page.write_text("# Before\n")
    done = lint(at=folder, GITHUB_STEP_SUMMARY=str(page), **ACTIONS)
    assert done.stdout.startswith("::error file=registry/orders/paid.yaml,line=4,col=50,title=boolean-not-json::")
    assert page.read_text().startswith("# Before\n### babelreg lint: 1 error in 1 file (1 message checked)\n")
    assert "annotations" not in done.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        pytest.param(["--format", "text"], SAID, id="a style that was asked for stays"),
        pytest.param(["--output", "a.txt"], "", id="so does a file"),
    ],
)
def test_in_github_actions_what_was_asked_for_is_done(arguments: list[str], said: str, folder: Path) -> None:
    assert lint(*arguments, at=folder, **ACTIONS).stdout == said
    assert "::error" not in "".join(path.read_text() for path in folder.glob("a.txt"))


def test_more_than_github_shows_is_told(folder: Path) -> None:
    for number in range(12):
        (folder / f"registry/orders/paid{number}.yaml").write_text(
            FILES["orders/paid.yaml"].replace("orders:paid", f"orders:paid{number}")
        )
    done = lint(at=folder, **ACTIONS)
    assert "GitHub shows 10 annotations of each severity per step; the log has all " in done.stderr
    assert done.stdout.count("::error ") >= 13


def test_a_summary_that_cannot_be_written_fails_nothing(folder: Path) -> None:
    done = lint(at=folder, GITHUB_STEP_SUMMARY="no/where.md", **ACTIONS)
    assert done.returncode == 1
    assert "the summary of the job was not written: No such file or directory" in done.stderr


@pytest.mark.parametrize("style", ["github", "sarif", "gitlab"])
def test_paths_for_other_systems_are_those_of_the_repository(style: str, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / "registry/deep").mkdir()
    done = lint("--registry", "..", "--format", style, at=folder / "registry/deep")
    assert "registry/orders/paid.yaml" in done.stdout
    assert lint("--registry", "..", "--format", "text", at=folder / "registry/deep").stdout.startswith("../orders/")


ODD = [
    b"a\nb",
    b"\xff\xfe",
    b"\x1b[31mred",
    "\u202egro".encode(),
    b"::error::x",
    b"]]><!--",
    b"a|b`c",
    b"@team#1",
    b"%0A,:",
    b"x y",
]


@pytest.mark.skipif(sys.platform != "linux", reason="such names are allowed where names are bytes")
@pytest.mark.parametrize("style", STYLE_NAMES)
def test_hostile_files_break_no_report(style: str, folder: Path) -> None:
    from xml.etree import ElementTree

    for name in ODD:
        for at in ("orders", "_common"):
            (folder / "registry" / at).mkdir(exist_ok=True)
            path = os.fsencode(folder / "registry" / at) + b"/" + name + b".yaml"
            Path(os.fsdecode(path)).write_bytes(b"urn: urn:babel:orders:odd\n" + name.replace(b"\xff", b"") + b": 1\n")
    done = lint("--format", style, "--output", "copy", "--output", "text:text.txt", at=folder)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    body = (folder / "copy").read_bytes()
    assert not set(body) & {0x1B, 0x0B, 0x00}
    report = body.decode("utf-8")
    assert "\u202e" not in report
    lines = report.splitlines()
    if style in ("json", "sarif", "gitlab"):
        assert json.loads(report)
    elif style == "junit":
        assert len(ElementTree.fromstring(report)) > len(ODD)
    elif style == "github":
        assert len(lines) > len(ODD)
        assert all(line.startswith(("::error file=", "::warning file=")) for line in lines)
    elif style == "markdown":
        assert all(line.startswith("| ") and line.count(" | ") == 1 for line in lines[4:])
    else:
        assert not any(line.startswith("::") for line in lines)
