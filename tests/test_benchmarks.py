"""What the benchmarks measure with: their input is what they say, and their clock counts what it should."""

from __future__ import annotations

import sys
from collections import Counter
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

from babelreg.contract import Contract

HERE = Path(__file__).parent / "benchmarks"


def module(name: str) -> ModuleType:
    spec = util.spec_from_file_location(name, HERE / f"{name}.py")
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


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_the_time_of_other_processes_counts() -> None:
    import subprocess

    cost = module("spark_cost").measured(
        lambda: subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.8: pass"], check=True)
    )
    assert 0.6 < cost.cpu < 3
    assert cost.wall >= 0.75
    assert cost.peaks["driver"] > 2**20


BURN = "import os, time\nwhile time.process_time() < 0.8: pass\n"
FORGETFUL = f"""
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if os.fork() == 0:
    {BURN.replace(chr(10), chr(10) + "    ")}
    print("burnt", flush=True)
    sys.stdin.readline()
    os._exit(0)
try:
    os.wait()
except ChildProcessError:
    print("gone", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_who_ends_while_its_parent_does_not_care_takes_no_time_back() -> None:
    import subprocess

    with subprocess.Popen([sys.executable, "-c", FORGETFUL], stdin=-1, stdout=-1, text=True) as process:
        sent, told = process.stdin, process.stdout
        assert sent is not None
        assert told is not None
        assert told.readline() == "burnt\n"

        def end() -> None:
            sent.write("\n")
            sent.flush()
            assert told.readline() == "gone\n"

        cost = module("spark_cost").measured(end)
        process.kill()
    assert abs(cost.cpu) < 0.5


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1]
