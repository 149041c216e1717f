"""The script that changes functions makes single changes, each by its name, and draws the same ones in every run."""

from __future__ import annotations

import ast
import importlib.util
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
