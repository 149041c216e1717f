"""The structure of the code: no circle of imports at any level, none upwards, and no deep folders."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from syntax_trees import PACKAGE, modules

ROOT = Path(__file__).parents[1]


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("architecture", ROOT / "tools" / "architecture.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    sys.modules["architecture"] = tool  # where its NamedTuples look for their module
    spec.loader.exec_module(tool)
    return tool


architecture = _tool()


@pytest.fixture(scope="module")
def imports() -> dict[str, frozenset[str]]:
    trees = {architecture.module_name(f"babelreg/{module.name}"): module.tree for module in modules()}
    found: dict[str, frozenset[str]] = architecture.imports_of(trees)
    assert sum(map(len, found.values())) > 3_000
    return found


def test_no_module_imports_itself_by_way_of_others(imports: dict[str, frozenset[str]]) -> None:
    assert architecture.circles(imports) == []


def test_no_folders_import_each_other(imports: dict[str, frozenset[str]]) -> None:
    """At every level: a folder is above another one, or beside it."""
    assert architecture.folder_circles(imports) == {}


def test_no_import_runs_upwards(imports: dict[str, frozenset[str]]) -> None:
    assert architecture.upward(imports, architecture.layers()) == []


def test_no_folder_is_deeper_than_three() -> None:
    deep = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    assert [folder for folder in deep if folder.count("/") > 2] == []


@pytest.mark.parametrize(
    "graph, found",
    [
        pytest.param({"a": ["b"], "b": []}, [], id="a line"),
        pytest.param({"a": ["b"], "b": ["a"]}, [["a", "b"]], id="two"),
        pytest.param({"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": []}, [["a", "b", "c"]], id="three, and one beside"),
        pytest.param({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, [], id="two ways to one"),
        pytest.param({"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}, [["a", "b"], ["c", "d"]], id="two circles"),
    ],
)
def test_circles_are_found(graph: dict[str, list[str]], found: list[list[str]]) -> None:
    assert sorted(architecture.circles(graph)) == found


def test_a_circle_of_folders_needs_none_of_modules() -> None:
    imports = {
        "p.a.one": frozenset({"p.b.one"}), "p.b.one": frozenset(),
        "p.b.two": frozenset({"p.a.two"}), "p.a.two": frozenset(),
    }  # fmt: skip
    assert architecture.circles(imports) == []
    assert architecture.folder_circles(imports) == {"p": [["a", "b"]]}


def test_a_sibling_is_not_below() -> None:
    imports = {"babelreg.lint.x": frozenset({"babelreg.gen.y"}), "babelreg.cli.z": frozenset({"babelreg.gen.y"})}
    upward = architecture.upward(imports, [["cli"], ["lint", "gen"]])
    assert upward == [("babelreg.lint.x", "babelreg.gen.y")]


def test_docstrings_and_comments_are_not_code() -> None:
    import ast

    text = (
        '"""A module."""\n\n# why\nX = (\n    1,\n)\n"""What X is."""\n\n\ndef f():\n    """Return."""\n    return X\n'
    )
    assert architecture.code_lines(ast.parse(text)) == 5
