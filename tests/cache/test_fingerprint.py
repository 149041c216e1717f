"""Digests of our own code, from lists of its parts: a part that was renamed or left out is noticed.

A part that does not exist makes the digest None, and the caches silently hold nothing from then on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from syntax_trees import PACKAGE, Module, modules

from babelreg.cache import fingerprint
from babelreg.gen.cache import generator_fingerprint
from babelreg.gen.render import folder

LISTS = [
    pytest.param(fingerprint.CHECK_PARTS, id="what a verdict comes from"),
    pytest.param(generator_fingerprint.PARTS, id="what a generated file comes from"),
]


@pytest.mark.parametrize("parts", LISTS)
def test_every_part_exists(parts):
    assert [part for part in parts if not (PACKAGE / part).exists()] == []
    assert fingerprint.code(parts)


@pytest.mark.parametrize("parts", LISTS)
def test_a_part_that_was_renamed_is_an_error(parts):
    for part in parts:
        with pytest.raises(FileNotFoundError):
            fingerprint.code([*parts, f"renamed_{part}"])


@pytest.mark.parametrize("parts", LISTS[:2])
def test_what_a_part_imports_is_a_part(parts):
    """But for commands, which import what they show: those that have a say are listed one by one."""
    covered = tuple(f"babelreg.{part.removesuffix('.py').replace('/', '.')}" for part in parts)
    imported = {
        name
        for module in modules()
        if any(f"{module.name}/".startswith(f"{part}/") for part in parts if not part.startswith("cli/"))
        for name in imports(module)
    }
    assert [one for one in sorted(imported) if not any(f"{one}.".startswith(f"{part}.") for part in covered)] == []


def imports(module: Module) -> Iterator[str]:
    names = (str(node.module) for node in module.each(ast.ImportFrom))
    return (name for name in names if name.startswith("babelreg."))


def test_every_template_counts() -> None:
    every = {str(path) for path in folder().rglob("*") if path.is_file()}
    assert set(fingerprint._sources(str(folder()))) == every
