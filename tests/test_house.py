"""The code itself: linted, formatted, typed, imports pointing down."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from syntax_trees import Module, modules

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check", "."], id="ruff finds nothing"),
        pytest.param(["ruff", "format", "--check", "."], id="everything is formatted"),
        pytest.param(["mypy"], id="mypy --strict passes", marks=pytest.mark.mypy),
        pytest.param(["lint-imports"], id="imports point down"),
    ],
)
def test_the_house_is_in_order(command):
    command = [str(BIN / command[0]), *command[1:]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "family, table",
    [
        ("lint.rules", "RULES"),
        ("breaking.rules", "CONTRACT"),
        ("breaking.rules", "NAMING"),
        ("scan.rules", "RULES"),
        ("analysis.drift.rules", "RULES"),
        ("gen.targets", "TARGETS"),
        ("wire.formats.table", "FORMATS"),
        ("report.style_table", "STYLES"),
    ],
)
def test_the_members_of_a_family_do_not_import_each_other(family, table):
    package = f"babelreg.{family}"
    modules = getattr(importlib.import_module(package), table).values()
    members = {module.__name__.removesuffix(".target") for module in modules}  # a target is a folder of modules
    assert members
    for member in members:
        path = ROOT / member.replace(".", "/")
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]:
            imported = _imported(file)
            siblings = {
                other for other in members - {member} for name in imported if f"{name}.".startswith(f"{other}.")
            }
            assert siblings == set(), file


def _imported(file: Path) -> set[str]:
    """The dotted names that the file imports from modules, whether they are modules themselves or not."""
    nodes = _by_path()[file].each(ast.ImportFrom)
    return {f"{node.module}.{alias.name}" for node in nodes for alias in node.names}


@cache
def _by_path() -> dict[Path, Module]:
    return {module.path: module for module in modules()}


def test_no_module_has_grown_into_two():
    longest = {module.name: len(module.text.splitlines()) for module in modules()}
    assert {path: lines for path, lines in longest.items() if lines > 350} == {}


# A name that users import, or that a specification gives, stays although another module has it.
_SHARED_CLASS_NAMES = {
    "DeadLetter": "phpmq: the name of message 006 in its specification; runtime.testing: exported to tests of services",
    "Reader": "runtime.wires: each generated package exports the reader of its wire format by this name",
}


def test_a_class_name_means_one_thing():
    classes: dict[str, set[str]] = {}
    for module in modules():
        for node in module.each(ast.ClassDef):
            classes.setdefault(node.name, set()).add(module.name)
    shared = {name: sorted(paths) for name, paths in classes.items() if len(paths) > 1}
    assert set(shared) == set(_SHARED_CLASS_NAMES), shared
    assert len(_SHARED_CLASS_NAMES) <= 12


# What only readers outside the package use.
_UNREAD_CONSTANTS = {
    "DEVIATIONS": "runtime.bytes: the names that users see, with their sentences",
    "SCOPES": "flowlayer: who receives which message, for users of the format",
    "UNICODE": "schema.regex: the version of the tables, by which tests choose what they compare",
    "UPSTREAM": "phpmq: the exceptions of the reference implementation, for users of the format",
}


def test_every_constant_is_read():
    """A limit that nobody reads limits nothing."""
    defined: dict[str, set[str]] = {}
    read: set[str] = set()
    for module in (*modules(), *modules(ROOT / "tools")):
        for node in module.tree.body if module in modules() else ():
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            names = [name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)]
            for name in names:
                if name.isupper():
                    defined.setdefault(name, set()).add(module.name)
        for node in module.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                read.add(node.id)
            elif isinstance(node, ast.Attribute):
                read.add(node.attr)
            elif isinstance(node, ast.alias) and node.asname:
                read.add(node.name)
    unread = {name: sorted(paths) for name, paths in defined.items() if name not in read}
    assert set(unread) == set(_UNREAD_CONSTANTS), unread
