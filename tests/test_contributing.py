"""docs/extending, followed to the letter in a copy of the checkout: the tests that every addition must pass, pass there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("rule", "target", "language", "wire", "style", "command")
NEW_FILE = re.compile(r"`([\w./]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDED_LINE = re.compile(
    r"In\s+`([\w./]+)`,\s+(import the module and )?add\s+below\s+`([^`]+)`:\n\n```text\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_COPIED = (
    ".venv",
    ".git",
    "__pycache__",
    "site",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    "dist",
    "build",
)
# Tests that walk the table of a family or of its codes, besides those of the additions.
FAMILY_TESTS = (
    "tests/lint/test_pages.py",
    "tests/lint/manual",
    "tests/lint/test_rule_ids.py",
    "tests/gen/test_render.py",
    "tests/gen/test_target.py",
    "tests/gen/test_registry_hostile.py",
    "tests/gen/test_never_stale.py",
    "tests/model/test_wires.py",
    "tests/wire/test_codes.py",
    "tests/wire/test_docs.py",
    "tests/wire/test_vectors.py",
    "tests/report/test_style_table.py",
    "tests/cli/shared/test_common_options.py",
    "tests/cli/shared/test_message_urn.py",
    "tests/cli/shared/test_output.py::test_the_names_on_the_command_line_are_those_of_the_styles",
    "tests/cli/test_codes.py",
    "tests/cli/test_completion.py",
    "tests/cli/test_rules.py",
    "tests/cli/test_suggestions.py",
)
# Of these, which take each member by itself or data of the others, only what is about the additions.
OF_ADDITIONS = "urns or base64 or not (test_never_stale or test_registry_hostile or test_vectors)"
# The generated tables, and the README without its console blocks, which start Spark.
QUICK_DOCS = "tables or readme_is_short or keys or architecture"
TOUCHED_FOLDERS = (
    "tests/lint",
    "tests/gen",
    "tests/wire",
    "tests/report",
    "tests/model",
    "tests/cli",
    "tests/test_docs.py",
)


class Checkout:
    """A copy of the checkout, and the paths of the files added to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.added: list[str] = []

    def follow(self, text: str) -> None:
        """Write the files, add the lines and run the commands of ``text``, in its order."""
        actions = ((NEW_FILE, self._write), (ADDED_LINE, self._add_line), (COMMANDS, self._execute))
        steps = [(match.start(), action, match) for pattern, action in actions for match in pattern.finditer(text)]
        assert len(steps) * 2 == len(re.findall("^```", text, re.MULTILINE)), "a block that is not a step"
        for _, action, match in sorted(steps, key=lambda step: step[0]):
            action(match)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def _write(self, match: re.Match[str]) -> None:
        path = self.folder / match[1]
        assert not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(match[2], "utf-8")
        self.added.append(match[1])

    def _add_line(self, match: re.Match[str]) -> None:
        path, anchor, line = self.folder / match[1], match[3], match[4].rstrip()
        table = path.read_text("utf-8")
        assert f"{anchor}\n" in table, f"{match[1]} has no line {anchor!r} any more"
        table = table.replace(f"{anchor}\n", f"{anchor}\n{line}\n", 1)
        if match[2]:
            module = line.split(":")[-1].strip(" ,")
            new = next(path for path in self.added if path.startswith("babelreg/") and path.endswith(f"/{module}.py"))
            package = new.rpartition("/")[0].replace("/", ".")
            imports = re.search(r"^from babelreg", table, re.MULTILINE)
            assert imports, f"{match[1]} imports nothing of babelreg any more"
            table = f"{table[: imports.start()]}from {package} import {module}\n{table[imports.start() :]}"
        path.write_text(table, "utf-8")

    def _execute(self, match: re.Match[str]) -> None:
        for line in match[1].splitlines():
            words = shlex.split(line, comments=True)
            environment = dict(word.split("=") for word in words if re.match(r"[A-Z_]+=", word))
            program, *arguments = words[len(environment) :]
            name = program.removeprefix(".venv/bin/")
            done = self.run(*(arguments if name == "python" else ["-m", name, *arguments]), **environment)
            assert done.returncode == 0, line + done.stdout + done.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Checkout:
    """A copy of the checkout with everything that the pages add."""
    folder = tmp_path_factory.mktemp("contributing") / "checkout"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED))
    shutil.rmtree(folder / "demo", ignore_errors=True)  # the output of `make demo`; templates/demo is copied
    copy = Checkout(folder)
    for page in (*PAGES, "index"):  # which says what to run at the end
        copy.follow((ROOT / "docs/extending" / f"{page}.md").read_text("utf-8"))
    return copy


def test_every_page_is_followed():
    assert {path.stem for path in (ROOT / "docs/extending").glob("*.md")} == {*PAGES, "index"}


def test_the_layout_and_the_layers_are_those_of_the_code():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    layout, layers = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[:2]
    folders = {path.parent.name for path in (ROOT / "babelreg").glob("*/__init__.py")}
    assert set(re.findall(r"^  (\w+)/ ", layout, re.MULTILINE)) == folders
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if each["type"] == "layers" and each["containers"] == ["babelreg"])
    assert " ".join(layers.split()) == " > ".join(contract["layers"])


def test_it_has_an_example_for_every_family(checkout):
    tests = [path.split("/")[1] for path in checkout.added if path.startswith("tests/")]
    assert sorted(tests) == ["cli", "gen", "lint", "report", "wire"]


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["babelreg", "explain", "queue-missing"], id="the page is printed"),
        pytest.param(
            ["babelreg", "gen", "urns", "--registry", "registry.example", "--out", "urns"], id="the target writes"
        ),
        pytest.param(
            ["babelreg", "lint", "--registry", "registry.example", "--format", "csv"], id="the style is printed"
        ),
        pytest.param(["babelreg", "owners", "--registry", "registry.example"], id="the command runs"),
    ],
)
def test_the_additions_work(checkout, command):
    done = checkout.run("-m", *command)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tests_of_the_additions_pass(checkout):
    done = checkout.run("-m", "pytest", "-q", *(path for path in checkout.added if path.startswith("tests/")))
    assert done.returncode == 0, done.stdout + done.stderr


# As long as the tests with servers: each runs again, on the additions, tests that the suite runs without them.
@pytest.mark.servers
@pytest.mark.parametrize(
    "tests",
    [
        pytest.param(["-p", "no:cacheprovider", *FAMILY_TESTS, "-k", OF_ADDITIONS], id="the tests that walk a table"),
        pytest.param(["tests/test_house.py"], id="linters, types and imports are in order"),
        pytest.param(["tests/test_docs.py", "-k", QUICK_DOCS], id="the documentation is up to date"),
        pytest.param(["tests/test_packaging.py", "-k", "test_the_wheel_holds"], id="the wheel holds everything"),
    ],
)
def test_the_tests_of_families_pass_with_the_additions(checkout, tests):
    done = checkout.run("-m", "pytest", "-q", *tests)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_the_whole_suite_of_the_touched_folders_passes(checkout):
    done = checkout.run("-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", *TOUCHED_FOLDERS)
    assert done.returncode == 0, done.stdout + done.stderr
