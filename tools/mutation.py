"""Single changes of functions, and the pytest plugin that tries many of them in one process.

With ``-p mutation``, pytest collects the tests once. For each change named in the file of ``BABELREG_MUTATION`` it
forks, puts the changed code into the function, and runs the tests that call the function until one fails. The module's
file is changed, too, for processes that a test starts. What a module computes when it is imported stays as it was, so a
change that is not noticed has to be tried in a process of its own (``mutants.py`` does).
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol

SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
REMOVED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Return, ast.Continue)
CALLED = "_called_by_the_test"


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the functions and methods of a module with their qualified names; none whose name another has, too."""
    named = list(_functions(tree))
    times = Counter(name for name, _ in named)
    yield from ((name, function) for name, function in named if times[name] == 1)


def _functions(node: ast.AST, outer: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{outer}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{outer}{child.name}.")


def changes(tree: ast.Module) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield every single change of what functions do: its name, and a function that makes it in ``tree``."""
    for name, function in functions(tree):
        for number, node in enumerate(ast.walk(function)):
            yield from ((f"{name}: {what} {number}", change) for what, change in _changes(node))


def changed(source: str, name: str) -> str:
    """Return the source of a module with the change of this name."""
    tree = ast.parse(source)
    dict(changes(tree))[name]()
    return ast.unparse(tree)


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


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Write, for each change, whether a test fails: ``{"change": NAME, "noticed": true | false | null}`` a line.

    Null stands for a change that cannot be put into a function that is there, such as one of a default value.
    """
    asked = json.loads(Path(os.environ["BABELREG_MUTATION"]).read_text("utf-8"))
    path = Path(asked["path"])
    importlib.import_module(asked["module"])
    begun = time.monotonic()
    tests_of = _calls(session, path, Path(asked["results"]).with_suffix(".calls"))
    seconds = 60 + 10 * (time.monotonic() - begun)
    source = path.read_text("utf-8")
    with Path(asked["results"]).open("a", encoding="utf-8") as results:
        for name in asked["changes"]:
            path.write_text(changed(source, name), "utf-8")
            tests = tests_of.get(name.partition(":")[0], [])
            noticed = _noticed(session, path, source, name, [session.items[test] for test in tests], seconds)
            results.write(json.dumps({"change": name, "noticed": noticed}) + "\n")
            results.flush()
            path.write_text(source, "utf-8")
    return True


def _calls(session: pytest.Session, path: Path, result: Path) -> dict[str, list[int]]:
    """Return the numbers of the tests that call each function of the module; raise where a test fails."""
    tree = ast.parse(path.read_text("utf-8"))
    for name, function in functions(tree):
        function.body.insert(0, ast.parse(f"{CALLED}.add({name!r})").body[0])
    child = os.fork()
    if not child:
        names = _put_into_place(path, ast.unparse(tree))
        called: dict[str, list[int]] = {}
        for number, item in enumerate(session.items):
            names.clear()
            if not _passes(session, [item]):
                called.setdefault("failed", []).append(number)
            for name in names:
                called.setdefault(name, []).append(number)
        result.write_text(json.dumps(called), "utf-8")
        os._exit(0)
    os.waitpid(child, 0)
    calls: dict[str, list[int]] = json.loads(result.read_text("utf-8"))
    if "failed" in calls:
        raise pytest.UsageError(f"fail without any change: {[session.items[at].nodeid for at in calls['failed']]}")
    return calls


def _put_into_place(path: Path, source: str, only: str | None = None) -> set[str]:
    """Give the live functions of the module at ``path`` the code of ``source``; return the set that calls fill."""
    unique = {name for name, _ in functions(ast.parse(source))}
    codes = {name: code for name, code in _codes(compile(source, str(path), "exec")).items() if name in unique}
    names: set[str] = set()
    gc.unfreeze()  # what is frozen is not listed
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__code__.co_filename == str(path):
            qualified = function.__code__.co_qualname
            if qualified in codes and only in (None, qualified):
                with contextlib.suppress(ValueError) if only is None else contextlib.nullcontext():
                    function.__code__ = codes[qualified]
                function.__globals__[CALLED] = names
    return names


def _codes(code: CodeType) -> dict[str, CodeType]:
    nested = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    found = {inner.co_qualname: inner for inner in nested}
    for inner in nested:
        found = _codes(inner) | found
    return found


def _noticed(
    session: pytest.Session, path: Path, source: str, name: str, items: list[pytest.Item], seconds: float
) -> bool | None:
    function = name.partition(":")[0]
    unchanged = _codes(compile(ast.unparse(ast.parse(source)), str(path), "exec")).get(function)
    if unchanged is None or unchanged == _codes(compile(changed(source, name), str(path), "exec")).get(function):
        return None
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        try:
            _put_into_place(path, changed(source, name), only=function)
        except ValueError:  # it has other free variables
            os._exit(2)
        os._exit(0 if _passes(session, items) else 1)
    return {0: False, 2: None}.get(_exit_code(child, seconds), True)


def _exit_code(child: int, seconds: float) -> int:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL


def _passes(session: pytest.Session, items: list[pytest.Item]) -> bool:
    """Run tests until one fails, and take down what they set up."""
    try:
        for item, following in zip(items, [*items[1:], None], strict=True):
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                session._setupstate.teardown_exact(None)
                return False
    except BaseException:
        return False
    return True
