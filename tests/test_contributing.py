"""CONTRIBUTING.md, followed to the letter in a copy of the checkout: what it adds passes its own tests and the linters."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEW_FILE = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE_LINE = re.compile(
    r"^In `([\w./]+)`, import the module and add below `([^`]+)`:\n\n```(?:python|text)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@pytest.fixture(scope="module")
def followed(tmp_path_factory) -> tuple[Path, list[str]]:
    """A copy of the checkout with everything that CONTRIBUTING.md adds, and the paths of the new files."""
    folder = tmp_path_factory.mktemp("contributing") / "checkout"
    shutil.copytree(
        ROOT,
        folder,
        ignore=shutil.ignore_patterns(
            ".venv", ".git", "__pycache__", "demo", "site", ".*_cache", ".hypothesis", "dist", "build"
        ),
    )
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    added = []
    for path, body in NEW_FILE.findall(text):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(body, "utf-8")
        added.append(path)
    for path, anchor, line in TABLE_LINE.findall(text):
        table = (folder / path).read_text("utf-8")
        assert anchor in table, f"{path} has no line {anchor!r} any more"
        module = line.split(":")[-1].strip(" ,\n")
        new = next(one for one in added if one.startswith("babelreg/") and one.endswith(f"/{module}.py"))
        package = new.rpartition("/")[0].replace("/", ".")
        table = table.replace(anchor, f"{anchor}\n{line.rstrip()}", 1)
        imports = re.search(r"^from babelreg", table, re.MULTILINE)
        assert imports, f"{path} imports nothing of babelreg any more"
        (folder / path).write_text(
            f"{table[: imports.start()]}from {package} import {module}\n{table[imports.start() :]}", "utf-8"
        )
    return folder, added


def test_it_adds_a_rule_a_target_and_a_wire_format(followed):
    _, added = followed
    assert len([path for path in added if path.startswith("tests/")]) == 3


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(
            [
                "pytest",
                "-q",
                "tests/lint/rules/topology/test_queue_missing.py",
                "tests/lint/test_pages.py",
                "tests/gen/test_urns.py",
                "tests/wire/test_base64_lines.py",
            ],
            id="the tests pass",
        ),
        pytest.param(["mypy"], id="mypy passes"),
        pytest.param(["ruff", "check", "--ignore", "I001", "babelreg"], id="ruff passes"),
        pytest.param(["babelreg", "explain", "queue-missing"], id="the page is printed"),
        pytest.param(
            ["babelreg", "gen", "urns", "--registry", "registry.example", "--out", "urns"], id="the target writes"
        ),
    ],
)
def test_what_it_adds_works(followed, command):
    folder, _ = followed
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={"PATH": "", "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
