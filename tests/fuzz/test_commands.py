"""Whatever a registry holds, every command ends with findings or a clear error, and touches nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing import case, heavy
from steps import TooManySteps, steps

HERE = Path(__file__).parent
SLICES = [range(start, start + 1000) for start in range(10_000, 30_000, 1000)]
QUICK = [  # the others are among those of the long form
    "a chain of 3,000 references",
    "alternatives that double 25 times",
    "1 MiB in one line",
    "300 KiB of brackets",
    "a file reference of 900 KiB",
]
STEPS_PER_BYTE = {"lint": 80, "mint": 250, "gen python": 800, "gen docs": 400, "gen spark": 200}
"""Steps that a command may take for a registry that is large in one way, 80 where it is not listed: twice the most that
was seen, where what grows with the square would take thousands."""
FEWEST_BYTES = 2**19
"""A smaller registry may cost as much as one of that size: its references may lead to the same schema often."""
CPU_SECONDS = 3600.0
"""Of one command on a large registry, which usually takes a second or two, and ten times that where steps are counted."""


def test_damaged_registries() -> None:
    with case.bench() as bench:
        assert [f"case {seed}: {wrong}" for seed in range(10) for wrong in bench.hold(seed)] == []


def test_the_bench_sees_what_goes_wrong() -> None:
    """A guard that saw nothing would let every test here pass."""
    with case.bench() as bench:
        outside = bench.top / "outside" / "secret.yaml"
        ran, wrongs = bench.run("compare", str(outside), str(outside))
        assert ran.code == 0
        assert any("outside the registry" in wrong for wrong in wrongs)
        assert any("read:" in wrong for wrong in wrongs)
        _, wrongs = bench.run("gen", "spark", "--registry", str(bench.registry), "--out", str(bench.out))
        assert any("written:" in wrong for wrong in wrongs)


@pytest.mark.long
@pytest.mark.parametrize("seeds", [pytest.param(s, id=f"cases from {s.start:,}") for s in SLICES])
def test_twenty_thousand_damaged_registries(seeds: range) -> None:
    command = [sys.executable, "-m", "fuzzing", str(seeds.start), str(seeds.stop)]
    ran = subprocess.run(command, cwd=HERE, capture_output=True, text=True, encoding="utf-8", errors="replace")
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr[-3000:]


def _wrongs(name: str, commands: frozenset[str] | None = None) -> list[str]:
    found = []
    with case.bench() as bench:
        files = heavy.HEAVY[name]()
        size = max(sum(map(len, files.values())), FEWEST_BYTES)
        bench.cpu_seconds = CPU_SECONDS
        bench.damage(files)
        for arguments, writes in bench.every_command():
            verb = " ".join(arguments[: 2 if arguments[0] == "gen" else 1])
            if commands is not None and verb not in commands:
                continue
            try:
                steps(
                    lambda a=arguments, w=writes: found.extend(bench.run(*a, writes=w)[1]),
                    most=STEPS_PER_BYTE.get(verb, 80) * size,
                )
            except TooManySteps as err:
                found.append(f"{verb} of {size:,} bytes takes {err}")
    return found


@pytest.mark.parametrize("name", QUICK)
def test_a_registry_large_in_one_way_is_linted_in_steps_by_its_size(name: str) -> None:
    assert _wrongs(name, frozenset({"lint"})) == []


@pytest.mark.long
@pytest.mark.parametrize("name", heavy.HEAVY)
def test_every_command_on_every_large_registry(name: str) -> None:
    assert _wrongs(name) == []
