"""Print the size of each package beside that at the last tag, and the imports that run in circles or upwards.

    python tools/architecture.py

Printed, not judged: `tests/test_architecture.py` fails on a circle, not on a number.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "Imports",
    "PackageSize",
    "circles",
    "code_lines",
    "folder_circles",
    "imports_of",
    "layers",
    "sizes",
    "splinters",
    "trees_below",
    "upward",
]

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "babelreg"
SPLINTER_LINES = 60

Imports = Mapping[str, frozenset[str]]
"""The modules that each module imports, at any place, also for type checkers."""


class PackageSize(NamedTuple):
    """The number of modules of a package and their lines of code."""

    modules: int
    lines: int


def trees_below(root: Path) -> dict[str, ast.Module]:
    """Return the syntax trees of all modules of the package below ``root``, by dotted name."""
    return {
        module_name(path.relative_to(root).as_posix()): ast.parse(path.read_text("utf-8"))
        for path in sorted((root / PACKAGE).rglob("*.py"))
    }


def module_name(path: str) -> str:
    """Return the dotted name of the module at ``path``: a package for its ``__init__.py``."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_of(trees: Mapping[str, ast.Module]) -> Imports:
    """Return the imports between the modules of ``trees``."""
    return {name: frozenset(_imported(tree, trees) - {name}) for name, tree in trees.items()}


def _imported(tree: ast.Module, known: Mapping[str, ast.Module]) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= inner & known.keys()
            if not inner <= known.keys():
                names.add(node.module)
    return names & known.keys()


def circles(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the sets of names that import each other, by way of others or not (Tarjan's components)."""
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    result: list[list[str]] = []
    for root in imports:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [_visit(root, imports, index, lowest, stack)]
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[name])
                if lowest[name] == index[name]:
                    at = stack.index(name)
                    if len(stack) - at > 1:
                        result.append(sorted(stack[at:]))
                    del stack[at:]
            elif following not in index:
                work.append(_visit(following, imports, index, lowest, stack))
            elif following in stack:
                lowest[name] = min(lowest[name], index[following])
    return result


def _visit(
    name: str,
    imports: Mapping[str, Iterable[str]],
    index: dict[str, int],
    lowest: dict[str, int],
    stack: list[str],
) -> tuple[str, Iterator[str]]:
    index[name] = lowest[name] = len(index)
    stack.append(name)
    return name, iter(imports.get(name, ()))


def folder_circles(imports: Imports) -> dict[str, list[list[str]]]:
    """Return, by package, the circles among the folders and modules that are in it."""
    members: dict[str, dict[str, set[str]]] = {}
    for name, targets in imports.items():
        for target in targets:
            package, one, other = _apart(name, target)
            if one and other and one != other:
                members.setdefault(package, {}).setdefault(one, set()).add(other)
    found = {package: circles(graph) for package, graph in sorted(members.items())}
    return {package: each for package, each in found.items() if each}


def _apart(name: str, other: str) -> tuple[str, str, str]:
    """Return the innermost package that holds both modules, and the member of it that each is in; "" for itself."""
    left, right = name.split("."), other.split(".")
    common = 0
    while common < min(len(left), len(right)) and left[common] == right[common]:
        common += 1
    return ".".join(left[:common]), ".".join(left[common : common + 1]), ".".join(right[common : common + 1])


def layers() -> list[list[str]]:
    """Return the layers of the package, the highest first, as import-linter's contract has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if each.get("containers") == [PACKAGE])
    return [line.split(" | ") for line in contract["layers"]]


def upward(imports: Imports, lines: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the imports from a layer into one above it, or into another package of its own."""
    level = {name: number for number, line in enumerate(lines) for name in line}
    found = []
    for name, targets in imports.items():
        for target in targets:
            package, one, other = _apart(name, target)
            if package == PACKAGE and one in level and other in level and level[other] <= level[one]:
                found.append((name, target))
    return sorted(found)


def code_lines(tree: ast.Module) -> int:
    """Return the number of lines with code: neither blank, nor comments, nor docstrings."""
    lines: set[int] = set()
    texts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            texts.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.stmt | ast.expr | ast.alias | ast.arg | ast.keyword | ast.excepthandler):
            lines.update((node.lineno, node.end_lineno or node.lineno))
    return len(lines - texts)


def sizes(trees: Mapping[str, ast.Module]) -> dict[str, PackageSize]:
    """Return the size of each package directly below ours, and of its own modules as ``modules``."""
    result: dict[str, PackageSize] = {}
    packages = {name.split(".")[1] for name in trees if name.count(".") > 1}
    for name, tree in trees.items():
        part = name.split(".")[1] if "." in name else ""
        package = part if part in packages else "(modules)"
        old = result.get(package, PackageSize(0, 0))
        result[package] = PackageSize(old.modules + 1, old.lines + code_lines(tree))
    return dict(sorted(result.items()))


def splinters(trees: Mapping[str, ast.Module], imports: Imports) -> list[str]:
    """Return the modules under 60 lines of code that one module imports, which is in the same folder."""
    clients: dict[str, set[str]] = {}
    for name, targets in imports.items():
        for target in targets:
            clients.setdefault(target, set()).add(name)
    packages = {name.rpartition(".")[0] for name in trees}
    found = []
    for name, tree in trees.items():
        folder = name.rpartition(".")[0]
        using = clients.get(name, set())
        if name not in packages and len(using) == 1 and code_lines(tree) < SPLINTER_LINES:
            (client,) = using
            if client.rpartition(".")[0] == folder:
                found.append(name)
    return found


class _Count(NamedTuple):
    """The numbers of one state of the code."""

    sizes: dict[str, PackageSize]
    splinters: int
    circles: int
    upward: int

    @classmethod
    def of(cls, root: Path) -> _Count:
        trees = trees_below(root)
        imports = imports_of(trees)
        turning = len(circles(imports)) + sum(map(len, folder_circles(imports).values()))
        return cls(sizes(trees), len(splinters(trees, imports)), turning, len(upward(imports, layers())))


def _tagged() -> tuple[str, _Count] | None:
    """Return the last tag and its numbers, None where there is none."""
    git = ["git", "-C", str(ROOT)]
    tag = subprocess.run([*git, "describe", "--tags", "--abbrev=0"], capture_output=True, text=True, check=False)
    if tag.returncode:
        return None
    name = tag.stdout.strip()
    archive = subprocess.run([*git, "archive", name, PACKAGE], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
        return name, _Count.of(Path(folder))


def main() -> None:
    """Print the numbers."""
    now, tagged = _Count.of(ROOT), _tagged()
    name, before = tagged or ("", None)
    print(
        f"{'package':14}{'modules':>9}{'lines':>9}"
        + (f"   at {name}:" if before else "   (there is no tag to compare with)")
    )
    for package in sorted({*now.sizes, *(before.sizes if before else ())}):
        print(f"{package:14}{_columns(now, package)}" + (f"   {_columns(before, package)}" if before else ""))
    rows = [
        ("modules under 60 lines with one client, in their own folder", now.splinters, before and before.splinters),
        ("circles of imports", now.circles, before and before.circles),
        ("imports that run upwards", now.upward, before and before.upward),
    ]
    for words, number, earlier in rows:
        print(f"{words}: {number}" + (f" ({earlier} at {name})" if before else ""))


def _columns(count: _Count, package: str) -> str:
    size = count.sizes.get(package, PackageSize(0, 0))
    return f"{size.modules:9,}{size.lines:9,}"


if __name__ == "__main__":
    sys.exit(main())
