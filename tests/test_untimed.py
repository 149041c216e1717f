"""No test depends on how fast or how busy the machine is: none compares a clock with anything but a far deadline."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from syntax_trees import modules

TESTS = Path(__file__).parent
PROCESSOR = {"process_time", "thread_time", "perf_counter", "times", "getrusage", "timeit", "clock_gettime"}
"""Functions that measure; no test needs them."""
CLOCKS = {"monotonic", "time"}
"""Functions that say when it is: a deadline is looked at in a loop, or where it raises an error of its own."""
WAITING = {"run", "communicate", "wait", "join", "check_output", "check_call", "call", "Popen"}
SHORTEST_SECONDS = 60
"""A shorter limit for a process may be over before a busy machine has started it."""
STARTED = {"subprocess", "process", "child", "server", "running", "worker"}
MODULES = {"time", "os", "resource", "timeit"}


def faults(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the fault of each place that depends on speed."""
    has_clock = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            has_clock = has_clock or _name(node.func).removesuffix("_ns") in CLOCKS | PROCESSOR
            yield from _faults_of_call(node)
        if isinstance(node, ast.ImportFrom) and node.module in MODULES:
            wrong = {alias.name.removesuffix("_ns") for alias in node.names} & (PROCESSOR | CLOCKS)
            yield from ((node.lineno, f"imports {name}: call it by its module") for name in sorted(wrong))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "import" in node.value:
            yield from ((node.lineno, f"a program with {name}") for name in PROCESSOR if f".{name}(" in node.value)
    for function in ast.walk(tree) if has_clock else ():
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _compared_clocks(function)


def _faults_of_call(call: ast.Call) -> Iterator[tuple[int, str]]:
    name = _name(call.func).removesuffix("_ns")
    if name in PROCESSOR and _module(call.func) in MODULES:
        yield call.lineno, f"{name} measures: count steps, or move the check to benchmarks"
    for keyword in call.keywords:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg == "deadline" and value is not None:
            yield call.lineno, "a deadline for an example of hypothesis"
        started = name in WAITING and _module(call.func) in STARTED
        if started and keyword.arg == "timeout" and isinstance(value, int | float) and value < SHORTEST_SECONDS:
            yield call.lineno, f"a process that may take {value} seconds: give it {SHORTEST_SECONDS} or more"
        if keyword.arg == "suppress_health_check" and not _suppresses_slowness(ast.unparse(keyword.value)):
            yield call.lineno, "HealthCheck.too_slow measures: suppress it, too"
    if _name(call.func) == "raises" and "TimeoutExpired" in ast.unparse(call):
        yield call.lineno, "expects a process to be slow"


def _suppresses_slowness(checks: str) -> bool:
    return "too_slow" in checks or checks in ("list(HealthCheck)", "FILTERED")


def _compared_clocks(function: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the assertions of one function that a clock is part of, directly or by a name."""
    measured: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _tells_time(node.value, measured):
            names = (name for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name))
            measured |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and _tells_time(node.test, measured):
            yield node.lineno, "asserts on a clock: count steps, or raise TimeoutError at a far deadline"
        if isinstance(node, ast.If) and _tells_time(node.test, measured) and not _raises_alone(node):
            yield node.lineno, "decides by a clock"


def _tells_time(node: ast.AST, measured: set[str]) -> bool:
    return any(
        (isinstance(inner, ast.Name) and inner.id in measured)
        or (
            isinstance(inner, ast.Call)
            and _name(inner.func).removesuffix("_ns") in CLOCKS | PROCESSOR
            and _module(inner.func) in MODULES
        )
        for inner in ast.walk(node)
    )


def _raises_alone(node: ast.If) -> bool:
    return len(node.body) == 1 and isinstance(node.body[0], ast.Raise) and not node.orelse


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _module(function: ast.expr) -> str:
    return ast.unparse(function.value).rpartition(".")[2] if isinstance(function, ast.Attribute) else ""


def test_no_test_depends_on_the_speed_of_the_machine() -> None:
    found = {}
    for module in modules(TESTS):
        if not module.name.startswith("golden/") and module.path != Path(__file__):
            found |= {f"{module.name}:{line}": fault for line, fault in faults(module.tree)}
    assert found == {}


@pytest.mark.parametrize(
    "lines, count",
    [
        pytest.param("assert time.process_time() - start < 5", 2, id="processor time"),
        pytest.param("assert time.monotonic() - start < 5", 1, id="time on the clock"),
        pytest.param("start = time.time()\n    taken = time.time() - start\n    assert taken < 1", 1, id="by a name"),
        pytest.param("start = time.time()\n    if time.time() > start + 3: found.append('slow')", 1, id="as a finding"),
        pytest.param("before = os.times()", 1, id="processor time of children"),
        pytest.param("from time import perf_counter_ns", 1, id="by another name"),
        pytest.param("subprocess.run(command, timeout=5)", 1, id="a tight limit"),
        pytest.param("with pytest.raises(subprocess.TimeoutExpired): work()", 1, id="slow on purpose"),
        pytest.param("settings(deadline=200)", 1, id="a deadline of hypothesis"),
        pytest.param("settings(suppress_health_check=[HealthCheck.filter_too_much])", 1, id="a health check"),
        pytest.param("run('import resource; resource.getrusage(0)')", 1, id="in a program"),
        pytest.param("end = time.monotonic() + 60\n    while time.monotonic() < end: look()", 0, id="a deadline"),
        pytest.param("if time.monotonic() > end: raise TimeoutError('x')", 0, id="a deadline that is an error"),
        pytest.param("subprocess.run(command, timeout=300)", 0, id="a far limit"),
        pytest.param("app.consume(timeout=0.01)", 0, id="a wait that the code under test is asked for"),
        pytest.param("settings(deadline=None)", 0, id="no deadline"),
    ],
)
def test_what_depends_on_speed_is_found(lines: str, count: int) -> None:
    assert len(list(faults(ast.parse(f"def test():\n    {lines}\n")))) == count


def test_every_benchmark_that_measures_has_a_fixed_loop_beside_its_seconds() -> None:
    """All take it from one module; those without one measure nothing, or measure for another script."""
    measuring = {}
    for module in modules(TESTS.parent / "benchmarks"):
        names = {_name(node.func) for node in module.each(ast.Call)}
        if names & PROCESSOR and module.name not in ("machine.py", "spark_cost.py", "faststream_worker.py"):
            measuring[module.name] = "beside" in names
    assert len(measuring) > 10
    assert {name for name, has_loop in measuring.items() if not has_loop} == set()
