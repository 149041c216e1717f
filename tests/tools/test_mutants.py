"""The script that changes functions makes single changes, each by its name, and draws the same ones in every run."""

from __future__ import annotations

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = '''
class A:
    def first(self, x):
        """Text."""
        if x < 3:
            return x
        x += 1
        return x
'''


@pytest.fixture(scope="module")
def mutants() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(ROOT / "tools")
        spec = importlib.util.spec_from_file_location("changes_of_functions", ROOT / "tools" / "mutants.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


def test_each_change_is_another_program(mutants: ModuleType) -> None:
    texts = {}
    for name, _ in mutants.changes(ast.parse(SOURCE)):
        tree = ast.parse(SOURCE)
        dict(mutants.changes(tree))[name]()
        texts[name] = ast.unparse(tree)
    assert len({ast.unparse(ast.parse(SOURCE)), *texts.values()}) == len(texts) + 1
    shown = "\n".join(texts.values())
    assert all(part in shown for part in ("x <= 3", "if not x < 3", "x < 4", "x < 2", "x += 2", "x += 0"))
    assert [name.partition(" ")[0] for name in texts] == ["A.first:"] * len(texts)
    assert sum(name.startswith("A.first: without") for name in texts) == 3


def test_fewer_changes_are_the_first_of_more(mutants: ModuleType) -> None:
    few, many = mutants.drawn(ROOT, 20), mutants.drawn(ROOT, 100)
    assert len(few) == 20
    assert set(few) < set(many)


def test_every_module_and_its_test_are_there(mutants: ModuleType) -> None:
    paths = [path for module in mutants.MODULES for path in (f"babelreg/{module}", mutants.mirrored_test(module))]
    assert [path for path in paths if not (ROOT / path).exists()] == []


ONE = """
def one(more=0):
    if more:
        return more
    return 1

def other():
    return 5
"""
TEST = "from babelreg.{}one import one, other\n\n\ndef test_one():\n    assert {}\n"


def test_changes_that_an_earlier_test_noticed_and_todays_does_not_are_listed(
    mutants: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _commit(tmp_path, {"babelreg/old/one.py": ONE, "tests/old/test_one.py": TEST.format("old.", "one() == 1")})
    _commit(tmp_path, {"babelreg/one.py": ONE.replace("5", "6"), "tests/test_one.py": TEST.format("", "one(2) == 2")})
    monkeypatch.setattr(mutants, "MODULES", ("one.py",))
    report, asked = tmp_path / "report", ["--count", "1", "--checkout", str(tmp_path), "--before", "HEAD~"]
    monkeypatch.setattr(sys, "argv", ["mutants", *asked, "--report", str(report)])
    assert mutants.main() == 1
    (row,) = map(json.loads, report.read_text().splitlines())
    assert row == {"module": "one.py", "change": "one: without statement 1 of 0", "noticed": False, "before": True}
    printed = capsys.readouterr().out
    assert "one.py: 0 of 1 now, 1 before" in printed
    assert "no longer noticed: one.py:one: without statement 1 of 0" in printed


def test_functions_of_one_name_are_not_changed(mutants: ModuleType) -> None:
    twice = ast.parse("def _(x):\n    return 1\n\ndef _(y):\n    return 2\n\ndef one():\n    return 3\n")
    assert {name.partition(":")[0] for name, _ in mutants.changes(twice)} == {"one"}


def test_functions_that_differ_are_not_compared(mutants: ModuleType, tmp_path: Path) -> None:
    for tree, text in (("now", ONE), ("then", ONE.replace("5", "6"))):
        (tmp_path / tree / "babelreg").mkdir(parents=True)
        (tmp_path / tree / "babelreg" / "one.py").write_text(text, "utf-8")
    drawn = mutants.drawn(tmp_path / "now", 20, tmp_path / "then", ["one.py"])
    assert {name.partition(":")[0] for _, name in drawn} == {"one"}
    assert {name.partition(":")[0] for _, name in mutants.drawn(tmp_path / "now", 20, None, ["one.py"])} == {
        "one",
        "other",
    }


def _commit(repository: Path, files: dict[str, str]) -> None:
    for old in ("babelreg", "tests"):
        shutil.rmtree(repository / old, ignore_errors=True)
    for name, text in {"babelreg/__init__.py": "", **files}.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        subprocess.run(["git", *who, *words], cwd=repository, check=True, capture_output=True)
