"""Packages load nothing of those above them, and base commands neither tables nor the runtime."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

_LOADED = """
import importlib, pkgutil, sys
for name in {packages!r}:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(getattr(package, "__path__", ()), name + "."):
        importlib.import_module(module.name)
print(*(name for name in sys.modules if name.startswith({unwanted!r})))
"""


def _layers() -> list[list[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract.get("containers") == ["babelreg"])
    return [line.split(" | ") for line in layers]


LAYERS = _layers()
BELOW_EACH = [
    pytest.param(LAYERS[number], [name for line in LAYERS[:number] for name in line], id=" | ".join(LAYERS[number]))
    for number in range(1, len(LAYERS))
    if LAYERS[number] != ["spark"]
]


@pytest.mark.parametrize("packages, above", BELOW_EACH)
def test_a_package_loads_nothing_of_those_above_it(packages: list[str], above: list[str]) -> None:
    """All modules of a layer, in one process: their imports, and what these import."""
    needs = {"lake": "pyarrow", "recording": "babelqueue", "runtime": "babelqueue"}
    for package in packages:
        if package in needs:
            pytest.importorskip(needs[package])
    program = _LOADED.format(
        packages=[f"babelreg.{name}" for name in packages if name not in _NOT_WALKED],
        unwanted=(*(f"babelreg.{name}" for name in above), "click", "pyspark"),
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


_NOT_WALKED = {"runtime"}
"""A generated package imports one of its modules for each kind of model, and each kind needs another package."""


@pytest.mark.parametrize(
    "unwanted",
    [
        pytest.param(("babelreg.lake", "babelreg.spark", "pyarrow", "numpy", "pyspark"), id="tables"),
        pytest.param(("babelreg.runtime", "babelreg.recording", "babelqueue"), id="the runtime"),
    ],
)
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["lint", "REGISTRY"], id="lint"),
        pytest.param(["breaking", "REGISTRY", "--against", "REGISTRY"], id="breaking"),
        pytest.param(["gen", "python", "--registry", "REGISTRY", "--out", "OUT", "--check"], id="gen python"),
        pytest.param(["gen", "spark", "--registry", "REGISTRY", "--out", "OUT", "--check"], id="gen spark"),
        pytest.param(["validate", "--registry", "REGISTRY", "MESSAGES"], id="validate"),
        pytest.param(["validate", "--spark", "--registry", "REGISTRY", "MESSAGES"], id="validate for tables"),
        pytest.param(["wire", "decode", "--wire", "babelqueue", "MESSAGES"], id="wire decode"),
        pytest.param(["list", "--registry", "REGISTRY"], id="list"),
        pytest.param(["topology", "--registry", "REGISTRY"], id="topology"),
    ],
)
def test_a_base_command_loads_neither_tables_nor_the_runtime(
    arguments: list[str], unwanted: tuple[str, ...], tmp_path: Path
) -> None:
    messages = tmp_path / "a.jsonl"
    messages.write_text("{}\n")
    words = {"REGISTRY": ROOT / "registry.example", "OUT": tmp_path / "out", "MESSAGES": messages}
    program = (
        "import atexit, sys\nfrom babelreg.cli import main\n"
        f"atexit.register(lambda: print('LOADED', *(name for name in sys.modules if name.startswith({unwanted!r}))))\n"
        "main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *(str(words.get(word, word)) for word in arguments)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.splitlines()[-1] == "LOADED"
