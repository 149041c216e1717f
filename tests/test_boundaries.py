"""Packages load nothing of those above them, and base commands neither tables nor the runtime."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

_LOADED = """
import importlib, json, pkgutil, sys
loaded = []
for packages in json.loads(sys.argv[1]):
    for name in packages:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(getattr(package, "__path__", ()), name + "."):
            importlib.import_module(module.name)
    loaded.append(sorted(sys.modules))
print(json.dumps(loaded))
"""
"""Imports all modules of each layer, the lowest first; prints what is loaded after each of them."""


def _layers() -> list[list[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract.get("containers") == ["babelreg"])
    return [line.split(" | ") for line in layers]


LAYERS = _layers()
BELOW_TOP = [number for number in range(1, len(LAYERS)) if LAYERS[number] != ["spark"]]


@pytest.fixture(scope="module")
def loaded() -> dict[int, list[str]]:
    """By the number of a layer, the modules that its modules and those of all below it load."""
    upwards = [number for number in BELOW_TOP[::-1] if _is_installed(number)]
    layers = [[f"babelreg.{name}" for name in LAYERS[number] if name not in _NOT_WALKED] for number in upwards]
    command = [sys.executable, "-c", _LOADED, json.dumps(layers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(zip(upwards, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("number", [pytest.param(number, id=" | ".join(LAYERS[number])) for number in BELOW_TOP])
def test_a_package_loads_nothing_of_those_above_it(number: int, loaded: dict[int, list[str]]) -> None:
    """All modules of a layer: their imports, and what these import. Layers below it may load no more than it does."""
    if not _is_installed(number):
        pytest.skip("an extra is not installed")
    above = [f"babelreg.{name}" for line in LAYERS[:number] for name in line]
    assert [name for name in loaded[number] if name.startswith((*above, "click", "pyspark"))] == []


def _is_installed(number: int) -> bool:
    return all(importlib.util.find_spec(_NEEDS[name]) for name in LAYERS[number] if name in _NEEDS)


_NEEDS = {"lake": "pyarrow", "recording": "babelqueue", "runtime": "babelqueue"}
_NOT_WALKED = {"runtime"}
"""A generated package imports one of its modules for each kind of model, and each kind needs another package."""


UNWANTED = {
    "tables": ("babelreg.lake", "babelreg.spark", "pyarrow", "numpy", "pyspark"),
    "the runtime": ("babelreg.runtime", "babelreg.recording", "babelqueue"),
}


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
def test_a_base_command_loads_neither_tables_nor_the_runtime(arguments: list[str], tmp_path: Path) -> None:
    messages = tmp_path / "a.jsonl"
    messages.write_text("{}\n")
    words = {"REGISTRY": ROOT / "registry.example", "OUT": tmp_path / "out", "MESSAGES": messages}
    program = (
        "import atexit, sys\nfrom babelreg.cli import main\n"
        "atexit.register(lambda: print('\\nLOADED', *sys.modules))\n"
        "main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *(str(words.get(word, word)) for word in arguments)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    marker, *modules = done.stdout.splitlines()[-1].split()
    assert (marker, "babelreg.cli" in modules) == ("LOADED", True)
    assert {what: [name for name in modules if name.startswith(names)] for what, names in UNWANTED.items()} == {
        what: [] for what in UNWANTED
    }
