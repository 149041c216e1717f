"""Suggestions that lead on: nothing proposed that cannot work, and every path in a fix can be pasted."""

from __future__ import annotations

import ast
import errno
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from babelreg.atomic_write import UNFINISHED
from babelreg.cli import COMMANDS
from babelreg.load.service.starter import example_folder

PACKAGE = Path(__file__).parents[2] / "babelreg"
URN = "urn:babel:orders:created.v2"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the example registry in a folder with a space, which is the work folder."""
    shutil.copytree(example_folder(), tmp_path / "my registry")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words, named",
    [
        pytest.param(["lake", "ingest", "--input", "s3://b/x", "--lake", "lake"], "--input s3://b/x", id="an input"),
        pytest.param(["lake", "ingest", "--input", "in", "--lake", "abfss://c@a/x"], "--lake abfss://c@a/x", id="a lake"),
        pytest.param(["lake", "report", "--lake", "gs://b/x"], "--lake gs://b/x", id="the lake of a report"),
        pytest.param(["validate", "https://example.com/a.jsonl"], "https://example.com/a.jsonl", id="messages"),
        pytest.param(["gen", "docs", "--out", "s3://b/x"], "--out s3://b/x", id="a place to write"),
        pytest.param(["lint", "--registry", "https://example.com/r.git"], "--registry https://example.com/r.git", id="a registry"),
    ],
)  # fmt: skip
def test_an_address_is_refused_as_it_was_typed(words, named, here, run):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith(
        f"babelreg: error: {named} is an address, but babelreg reads and writes local files and folders"
    )
    assert "object stores" in err
    assert not any(here.glob("*:*"))


def test_a_file_address_is_met_with_its_path(here, run):
    assert (
        "fix: name the path: '/data/my inbox'"
        in run("lake", "ingest", "--input", "file:///data/my inbox", "--lake", "l")[2]
    )


def test_generated_files_that_never_were_are_one_finding(here, run):
    code, out, err = run("gen", "python", "--out", "my code", "--check")
    lines = out.splitlines()
    assert code == 1
    assert re.match(
        r"my code: error: nothing has been generated here yet: \d+ files are missing \[generated-file-missing\]",
        lines[0],
    )
    assert lines[1:] == ["  fix: run `babelreg gen python --out 'my code'`"]
    assert re.search(r"\d\d outdated files", err)


def test_a_generated_file_that_went_missing_is_named(here, run):
    run("gen", "docs", "--out", "docs")
    for name in ("README.md", "services.md"):
        Path("docs", name).unlink(missing_ok=True)
    out = run("gen", "docs", "--out", "docs", "--check")[1]
    assert "docs/README.md: error: the file is missing" in out


@pytest.mark.parametrize(
    "words, message, fix",
    [
        pytest.param(["--service", "shop", "--registry", "nowhere"], "the registry nowhere does not exist", "babelreg init nowhere", id="no registry"),
        pytest.param(["--service", "shop", "--registry", "."], "is not a registry", "--registry DIR", id="a folder that is none"),
        pytest.param(["--service", "billing-workr", "--registry", "my registry"], "does not declare service 'billing-workr'", "did you mean --service billing-worker?", id="a misspelt service"),
        pytest.param(["--service", "zzz", "--registry", "my registry"], "does not declare service 'zzz'", "create my registry/_services/zzz.yaml first", id="a service that is not there"),
    ],
)  # fmt: skip
def test_a_service_needs_a_registry_that_knows_it(words, message, fix, here, run):
    code, out, err = run("init", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert fix in err
    assert not Path("babelreg.service.yaml").exists()


def test_a_service_of_the_registry_is_written(here, run):
    assert run("init", "--service", "billing-worker", "--registry", "my registry")[0] == 0


def fill_up(monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    """Let the disk have room for so many new files."""
    left = [files]
    opened = os.open

    def open_or_fail(path, flags: int, *args, **kwargs):
        if flags & os.O_EXCL and str(path).endswith(UNFINISHED):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return opened(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", open_or_fail)


@pytest.mark.parametrize("written", range(2))
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["mint", URN, "--against", "my registry", "--sunset", "2030-06-30"], id="mint"),
        pytest.param(["format"], id="format"),
    ],
)
def test_a_disk_that_fills_up_changes_no_file(words, written, here, monkeypatch, run):
    for name in ("created", "cancelled"):
        file = Path("my registry/orders", f"{name}.yaml")
        file.write_text(f"# untidy\n\n\n\n{file.read_text()}\n\n\n")
    before = {path: path.read_bytes() for path in here.rglob("*.yaml")}
    fill_up(monkeypatch, written)
    code, out, err = run(*words)
    monkeypatch.undo()
    assert (code, out) == (2, ""), err
    assert "nothing was written" in err
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file() and path in before} == before
    assert not list(here.rglob("*.part"))
    monkeypatch.chdir(here)
    assert run(*words)[0] == 0


@pytest.mark.parametrize("written", range(0, 12, 3))
def test_a_disk_that_fills_up_during_init_leaves_nothing(written, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    fill_up(monkeypatch, written)
    code, out, err = run("init", "registry")
    assert (code, out) == (2, "")
    assert "nothing was written" in err
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert run("init", "registry")[0] == 0


def test_after_init_the_next_command_finds_the_registry(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    assert run("init", "registry")[2].endswith("Next: babelreg lint\n")
    assert run("init", "other place/registry")[2].endswith("Next: babelreg lint --registry 'other place/registry'\n")
    assert run("init", "second")[2].endswith("Next: babelreg lint --registry second\n")


# Words of a command that a value follows; the value has to be quoted for a shell.
_COMMAND = rf"babelreg (?:{'|'.join(COMMANDS)}) (?:\S+ )*"
_BEFORE = re.compile(rf"(?:{_COMMAND}|git (?:mv|rm) |\brm (?:-r )?|--[a-z]+[ =])$")
# Values that never hold anything but letters: names of targets, rules, styles, packages.
_PLAIN = re.compile(
    r"near|target|name\b|newest|packed|verb|', '|STYLES|sunset|ref|options|code|what|int\(|again|file\b|registry\.root"
)


# Locals that hold a text which is quoted already, or that a message quotes as the user wrote it.
_QUOTED_BEFORE = {
    ("misplaced.py", "old"),
    ("misplaced.py", "new"),
    ("package_name.py", "default"),
    ("pack.py", "archive_option"),
    ("output.py", "text"),
}


def unquoted() -> list[str]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.JoinedStr):
                continue
            before = ""
            for part in node.values:
                if isinstance(part, ast.Constant):
                    before = str(part.value)
                elif isinstance(part, ast.FormattedValue):
                    text = ast.unparse(part.value)
                    quoted = text.startswith(("shlex.", "_shell(")) or (path.name, text) in _QUOTED_BEFORE
                    if _BEFORE.search(before) and not quoted and not _PLAIN.search(text):
                        found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {before}{{{text}}}")
                    before = ""
    return found


def test_every_value_in_a_command_to_paste_is_quoted():
    assert unquoted() == []


def test_a_path_with_a_space_can_be_pasted(here, run):
    created = Path("my registry/orders/created.v2.yaml")
    created.rename("my registry/orders/misplaced.yaml")
    fixes = [line.removeprefix("  fix: ") for line in run("lint")[1].splitlines() if "git mv" in line]
    assert [shlex.split(fix.partition(",")[0])[:4] for fix in fixes] == [
        ["git", "mv", "my registry/orders/misplaced.yaml", "my registry/orders/created.v2.yaml"]
    ]


@pytest.mark.parametrize(
    "words, fix",
    [
        pytest.param(["check"], "did you mean `babelreg lint`?", id="check"),
        pytest.param(["fix"], "did you mean `babelreg lint --fix`?", id="fix"),
        pytest.param(["fmt"], "did you mean `babelreg format`?", id="fmt"),
        pytest.param(["generate", "python"], "did you mean `babelreg gen`?", id="generate"),
        pytest.param(["ingest"], "did you mean `babelreg lake ingest`?", id="a verb of a lake"),
        pytest.param(["breaking", "--base", "HEAD"], "did you mean --against?", id="the base of a comparison"),
        pytest.param(["lint", "--config", "a.yaml"], "did you mean --registry?", id="a settings file"),
        pytest.param(
            ["lake", "ingest", "inbox"], "such as `babelreg lake ingest --input inbox --lake lake`", id="an example"
        ),
    ],
)
def test_a_guessed_name_is_answered_with_ours(words, fix, here, run):
    code, _, err = run(*words)
    assert (code, fix in err) == (2, True), err


def test_every_other_name_of_a_command_leads_to_a_command(run):
    from babelreg.cli.shared.wrong_use import _OTHER_COMMANDS

    assert not _OTHER_COMMANDS.keys() & COMMANDS.keys()
    for words in _OTHER_COMMANDS.values():
        code, out, err = run(*words, "--help")
        assert (code, f"babelreg {words[0]}" in out) == (0, True), err
