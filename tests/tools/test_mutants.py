"""The script that changes functions makes single changes, each by its name, and draws the same ones in every run."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
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
def mutants() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def test_every_module_and_its_tests_are_there(mutants: ModuleType) -> None:
    paths = [f"babelreg/{module}" for module in mutants.MODULES] + [t for ts in mutants.MODULES.values() for t in ts]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_what_earlier_tests_notice_and_those_of_now_do_not_is_listed(
    mutants: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    for folder in ("babelreg", "tests", "tools"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "babelreg" / "one.py").write_text("def one():\n    return 1\n")
    test = tmp_path / "tests" / "test_one.py"
    test.write_text("from babelreg.one import one\n\n\ndef test_one():\n    assert one() == 1\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    test.write_text(test.read_text().replace("one() == 1", "callable(one)"))
    monkeypatch.setattr(mutants, "MODULES", {"one.py": ["tests/test_one.py"]})
    monkeypatch.setattr(mutants, "COPIED", ("babelreg", "tests", "tools"))
    monkeypatch.setattr(
        mutants.sys, "argv", ["mutants", "--count", "1", "--checkout", str(tmp_path), "--before", "HEAD"]
    )
    assert mutants.main() == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("unnoticed: one.py:one: ")
    assert printed[-1] == printed[0].replace("unnoticed", "no longer noticed")
