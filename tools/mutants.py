"""Measure what tests notice: change one thing in a function, run the tests beside its module, count who fails.

    tools/mutants.py --count 600 --report before.jsonl
    tools/mutants.py --count 600 --report after.jsonl --compare before.jsonl
    tools/mutants.py --count 600 --before REVISION

The changes are drawn with a fixed seed and named by function, so that two runs, before and after a change of the tests,
try the same. They are made in a copy of the checkout. A test that does not end notices, too. With ``--before``, the
tests of an earlier revision try what those of the checkout do not notice, on the code of the checkout.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
SEED = 28
SECONDS = 600
MODULES = {
    "lint/engine/cached_run.py": ["tests/lint/engine/test_cached_run.py"],
    "cache/store.py": ["tests/cache", "tests/lint/engine/test_cached_run.py"],
    "schema/annotations.py": ["tests/schema/test_annotations.py"],
    "schema/values.py": ["tests/schema/test_values.py"],
    "typemap/names.py": ["tests/typemap", "tests/gen/targets/python/test_hostile.py"],
    "typemap/python/names.py": ["tests/typemap/python", "tests/gen/targets/python/test_hostile.py"],
    "wire/formats/phpmq/codec.py": ["tests/wire/test_vectors.py", "tests/wire/test_decoders.py"],
    "wire/formats/strata/check.py": ["tests/wire/test_vectors.py", "tests/wire/test_codes.py"],
    "containment/certificates/checker.py": ["tests/containment/certificates"],
    "gen/write.py": ["tests/gen/test_write.py", "tests/gen/test_never_stale.py"],
    "runtime/transports/kafka_positions.py": ["tests/runtime/transports/test_kafka_positions.py"],
    "containment/certificates/rules.py": ["tests/containment/certificates/test_each_rule.py"],
    "scan/urn_literals.py": ["tests/scan/test_urn_literals.py"],
    "runtime/consumer/signals.py": ["tests/runtime/consumer/test_signals.py"],
    "analysis/impact/attribution.py": ["tests/analysis/impact/test_attribution.py"],
    "cli/breaking.py": ["tests/cli/test_breaking.py"],
}
"""By module, the tests that judge it."""
COPIED = (
    "babelreg",
    "tests",
    "templates",
    "registry.example",
    "tools",
    "docs",
    "pyproject.toml",
    "CONTRIBUTING.md",
    "LICENSE",
)
SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
REMOVED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Return, ast.Continue)


def changes(tree: ast.Module) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield every single change of what functions do: its name, and a function that makes it in ``tree``."""
    for name, function in _functions(tree):
        for number, node in enumerate(ast.walk(function)):
            yield from ((f"{name}: {what} {number}", change) for what, change in _changes(node))


def _functions(node: ast.AST, outer: str = "") -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        name = f"{outer}{getattr(child, 'name', '')}"
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{name}.")


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    if isinstance(node, ast.Compare):
        yield "comparison", partial(node.ops.__setitem__, 0, SWAPPED[type(node.ops[0])]())
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "one more", partial(setattr, node, "value", node.value + 1)
        yield "one less", partial(setattr, node, "value", node.value - 1)
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition", partial(setattr, node, "test", ast.UnaryOp(ast.Not(), node.test))
    statements = node.body if isinstance(node, ast.stmt) and hasattr(node, "body") else []
    for at, statement in enumerate(statements):
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if isinstance(statement, REMOVED) and not docstring:
            yield f"without statement {at} of", partial(statements.__setitem__, at, ast.Pass())


def drawn(root: Path, count: int) -> list[tuple[str, str]]:
    """Return the modules and the names of ``count`` changes, shared out evenly."""
    chance, found = random.Random(SEED), []
    for place, module in enumerate(module for module in MODULES if (root / "babelreg" / module).exists()):
        names = [name for name, _ in changes(ast.parse((root / "babelreg" / module).read_text("utf-8")))]
        chance.shuffle(names)
        found += [(module, name) for name in names[: -(-(count - place) // len(MODULES))]]
    return found


def noticed(folder: Path, module: str, name: str | None) -> bool:
    """Return whether the tests beside ``module`` fail in ``folder`` with the change, or without any."""
    path = folder / "babelreg" / module
    whole = path.read_text("utf-8")
    if name is not None:
        tree = ast.parse(whole)
        dict(changes(tree))[name]()
        path.write_text(ast.unparse(tree), "utf-8")
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider"]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    try:
        done = subprocess.run(
            [*command, *MODULES[module]], cwd=folder, env=env, capture_output=True, timeout=SECONDS, check=False
        )
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(whole, "utf-8")


def main() -> int:
    """Print each change that no test notices, and how many were noticed; fail where more than 1 % are lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--module", action="append", help="only this one (may be repeated)")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="another checkout, with its own tests")
    parser.add_argument("--report", type=Path, help="a JSON line for each change")
    parser.add_argument("--compare", type=Path, help="the report of an earlier run")
    parser.add_argument("--before", metavar="REVISION", help="try what is not noticed with its tests, too")
    given = parser.parse_args()
    results: dict[str, bool] = {}
    earlier: dict[str, bool] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as folder_before:
        _copy(given.checkout, Path(folder))
        if given.before:
            _copy(given.checkout, Path(folder_before))
            _take_tests(given.checkout, given.before, Path(folder_before))
        wanted = [
            (module, name) for module, name in drawn(given.checkout, given.count) if module in (given.module or MODULES)
        ]
        for module in dict.fromkeys(module for module, _ in wanted):
            if noticed(Path(folder), module, None):
                parser.error(f"the tests of {module} fail without any change")
        for module, name in wanted:
            key = f"{module}:{name}"
            results[key] = noticed(Path(folder), module, name)
            if not results[key]:
                print(f"unnoticed: {key}", flush=True)
                earlier[key] = bool(given.before) and noticed(Path(folder_before), module, name)
            if given.report:
                with given.report.open("a") as report:
                    report.write(json.dumps({"change": key, "noticed": results[key]}) + "\n")
    print(f"{sum(results.values())} of {len(results)} changes were noticed")
    if given.compare:
        rows = map(json.loads, given.compare.read_text("utf-8").splitlines())
        earlier |= {row["change"]: row["noticed"] for row in rows}
    return _lost(earlier, results)


def _copy(checkout: Path, folder: Path) -> None:
    for part in COPIED:
        source, target = checkout / part, folder / part
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)


def _take_tests(checkout: Path, revision: str, folder: Path) -> None:
    """Put the tests of a revision, and the tools they import, in the place of those of the checkout."""
    command = ["git", "archive", revision, "tests", "tools"]
    packed = subprocess.run(command, cwd=checkout, stdout=subprocess.PIPE, check=True).stdout
    for part in ("tests", "tools"):
        shutil.rmtree(folder / part)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def _lost(earlier: dict[str, bool], results: dict[str, bool]) -> int:
    """Print the changes that were noticed and are no longer; return 1 if they are more than one in a hundred."""
    lost = [change for change, was_noticed in earlier.items() if was_noticed and results.get(change) is False]
    print(*(f"no longer noticed: {change}" for change in lost), sep="\n")
    return int(len(lost) > len(results) / 100)


if __name__ == "__main__":
    raise SystemExit(main())
