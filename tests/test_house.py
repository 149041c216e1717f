"""The code itself: linted, formatted, typed, imports pointing down."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check", "."], id="ruff finds nothing"),
        pytest.param(["ruff", "format", "--check", "."], id="everything is formatted"),
        pytest.param(["mypy"], id="mypy --strict passes"),
        pytest.param(["lint-imports"], id="imports point down"),
    ],
)
def test_the_house_is_in_order(command):
    done = subprocess.run([str(BIN / command[0]), *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rules_targets_formats_and_reports_do_not_know_their_brothers():
    families = ["lint/rules", "breaking/rules", "gen/targets", "wire/formats"]
    for family in families:
        folder = ROOT / "babelreg" / family
        names = {module.stem for module in folder.glob("*.py")} - {"__init__"}
        package = "babelreg." + family.replace("/", ".")
        for module in folder.glob("*.py"):
            if module.stem == "__init__":
                continue
            for line in module.read_text("utf-8").splitlines():
                if line.startswith((f"from {package} import", f"from {package}.")):
                    brothers = {name for name in names if name in line.replace(",", " ").replace(".", " ").split()}
                    assert not {b for b in brothers if not b.startswith(module.stem) and not module.stem.startswith(b)}, f"{module}: {line}"


def test_no_module_has_grown_into_two():
    longest = {path: len(path.read_text("utf-8").splitlines()) for path in (ROOT / "babelreg").rglob("*.py")}
    assert {path.relative_to(ROOT).as_posix(): lines for path, lines in longest.items() if lines > 350} == {}
