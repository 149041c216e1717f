"""What the benchmarks measure with: their input is what they say, and their clock counts what it should."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import redis_server
import server

from babelreg.contract import Contract

HERE = Path(__file__).parents[1] / "benchmarks"


def module(name: str, file: str | None = None) -> ModuleType:
    spec = util.spec_from_file_location(name, HERE / f"{file or name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = util.module_from_spec(spec)
    sys.modules[name] = loaded  # dataclasses look themselves up
    spec.loader.exec_module(loaded)
    return loaded


def test_more_messages_are_the_same_ones_under_other_ids(tmp_path: Path) -> None:
    messages = module("spark_messages")
    messages.write_input(tmp_path / "once", 400, bad_share=0.1)
    messages.write_more(tmp_path / "more", tmp_path / "once", 3)
    contract = Contract({messages.urn(number): messages.schema(number) for number in range(messages.URNS)})
    once, more = (
        [contract.verdict(line) for path in sorted((tmp_path / name).iterdir()) for line in _lines(path)]
        for name in ("once", "more")
    )
    assert len(once) == 400
    assert Counter(one.reason for one in more) == Counter(
        {r: 3 * n for r, n in Counter(o.reason for o in once).items()}
    )
    ids = [one.envelope.id for one in more if one.ok and one.envelope is not None]
    assert len(ids) == len(set(ids)) > 1000


@pytest.mark.parametrize("name", ["flowlayer", "strata", "babelqueue"])
def test_the_messages_of_the_wire_benchmark_are_valid_and_of_the_size_it_says(name: str) -> None:
    wire = module("wire")
    bodies = wire.messages(name)
    assert len(bodies) > 15
    assert all(100 <= len(body) <= 600 for body in bodies)
    wire.each(bodies, wire.checked(name))()


def process(parent: int, ticks: int) -> list[str]:
    """The fields of ``/proc/PID/stat`` after the name: the parent, and the processor time with that of its children."""
    fields = ["0"] * 50
    fields[1], fields[11] = str(parent), str(ticks)
    return fields


@pytest.mark.parametrize(
    "before, after, forgetful, ticks",
    [
        pytest.param({1: 5}, {1: 25}, set(), 20, id="a process that works"),
        pytest.param({1: 5}, {1: 5, 2: 30}, set(), 30, id="one that is started and goes on"),
        pytest.param({1: 5, 2: 30}, {1: 45}, set(), 10, id="one whose parent waited for it has left its time there"),
        pytest.param({1: 5, 2: 30}, {1: 15}, {2}, 10, id="one whose parent does not wait takes no time back"),
        pytest.param({1: 5, 2: 30}, {1: 5, 2: 40}, {2}, 10, id="one that its parent ignores and that is still there"),
    ],
)
def test_the_time_of_other_processes_counts(
    before: dict[int, int], after: dict[int, int], forgetful: set[int], ticks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = module("spark_cost")
    tables = {
        name: {pid: process(pid - 1, used) for pid, used in pids.items()}
        for name, pids in (("before", before), ("after", after))
    }
    current = ["before"]
    monkeypatch.setattr(cost, "_family", lambda: tables[current[0]])
    monkeypatch.setattr(cost, "_ignores_children", lambda parent: int(parent) + 1 in forgetful)
    monkeypatch.setattr(cost, "_memory", dict)
    monkeypatch.setattr(cost.time, "thread_time", lambda: 0.0)
    found = cost.measured(lambda: current.__setitem__(0, "after"))
    assert round(found.cpu * cost._TICKS) == ticks


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_a_child_belongs_to_the_family_with_its_memory_and_how_it_was_started() -> None:
    cost = module("spark_cost")
    program = "import signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "\n"
        family = cost._family()
        assert {os.getpid(), process.pid} <= family.keys()
        assert family[process.pid][1] == str(os.getpid())
        assert cost._used(family[process.pid]) >= 0
        assert cost._ignores_children(str(process.pid))
        assert not cost._ignores_children(str(os.getpid()))
        assert cost._memory()["driver"] > 2**20
        process.communicate()
    assert process.pid not in cost._family()


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1]


def test_the_schema_that_others_check_the_files_with_is_there() -> None:
    assert module("lint").SCHEMA.is_file()


@pytest.mark.servers  # as long as they are
def test_the_generated_package_is_imported_and_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    generate = module("generate")
    generate.registry_of.write(tmp_path / "registry", 3)
    generate.use(tmp_path / "registry", tmp_path, 1)
    assert [line.partition(" of ")[0] for line in capsys.readouterr().out.splitlines()] == ["import", "use"]


@pytest.fixture
def several_queues(redis: server.Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The benchmark whose sixth handler of a run does what ``at_the_sixth`` is set to."""
    monkeypatch.syspath_prepend(str(HERE))
    benchmark = module("several_queues")
    handle = benchmark.Service.handle

    def counting(service: Any, order: Any, context: Any) -> None:
        handle(service, order, context)
        if service.handled == 6:
            benchmark.at_the_sixth(service)

    monkeypatch.setattr(benchmark.Service, "handle", counting)
    yield benchmark
    service = benchmark.Service(redis.url, 1)
    empty(service)
    service.app.transport.close()


def empty(service: Any) -> None:
    client = service.app.transport.client
    for key in client.scan_iter(match="busy*"):
        client.delete(key)


def test_a_signal_ends_a_benchmark_and_not_only_its_consumer(redis: server.Server, several_queues: ModuleType) -> None:
    several_queues.at_the_sixth = lambda service: os.kill(os.getpid(), signal.SIGTERM)
    before = signal.getsignal(signal.SIGTERM)
    try:
        server.exit_on_sigterm()
        with pytest.raises(SystemExit) as raised:
            several_queues.rate(redis.url, 1, 20, 1)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert raised.value.code == 128 + signal.SIGTERM


@pytest.mark.parametrize("lost, left", [(14, 0), (0, 14)])
def test_a_run_that_ends_early_tells_whether_the_queue_still_has_the_others(
    redis: server.Server, several_queues: ModuleType, lost: int, left: int
) -> None:
    def end(service: Any) -> None:
        if lost:
            empty(service)
        service.consumer.stop()

    several_queues.at_the_sixth = end
    with pytest.raises(ValueError, match=f"^6 of 20 messages were handled, {left} are left"):
        several_queues.rate(redis.url, 1, 20, 1)


WHOLE = module("whole_run", "__main__")


@pytest.mark.servers
@pytest.mark.parametrize("script, arguments", [pytest.param(name, words, id=name) for name, *words in WHOLE.QUICK])
def test_its_quick_form_works(script: str, arguments: list[str], tmp_path: Path) -> None:
    """A bar may be missed: on a few messages it means nothing, and on a busy machine less."""
    if "redis" in (HERE / script).read_text("utf-8").lower() and redis_server.PROGRAM is None:
        pytest.skip("NOT TESTED ON REDIS: apt-get install redis-server")
    command = [sys.executable, str(HERE / script), *arguments]
    env = {**os.environ, "BENCHMARKS_QUICK": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert re.search(r"\d", done.stdout), f"it printed no figure: {done.stderr}"


def test_each_benchmark_of_the_whole_run_has_a_quick_form() -> None:
    """But those that start Spark, compare with an earlier commit, install packages, or measure texts alone."""
    without = {"english.py", "per_message.py", "package_import.py", "spark_labels.py"}
    assert {name for name, *_ in WHOLE.BARS} - {name for name, *_ in WHOLE.QUICK} == without
