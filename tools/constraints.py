"""Write ``constraints.txt``: the versions of the base install and all that it needs, as an empty environment gets them.

    python tools/constraints.py

The GitHub action and the container image install with it, so that they change only with a release; the pre-commit hooks
list the same versions. Needs the package index.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_HEAD = "# Versions of the base install, written by tools/constraints.py.\n"
_HOOKS = re.compile(r"(additional_dependencies: &pinned\n)(?:    - .*\n)*")


def _installed() -> list[str]:
    """Return ``NAME==VERSION`` of each package that an install of this checkout brings into an empty environment."""
    with tempfile.TemporaryDirectory(prefix="babelreg-constraints-") as folder:
        venv.create(folder, with_pip=True)
        pip = [f"{folder}/bin/python", "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", str(ROOT)], check=True)
        freeze = subprocess.run([*pip, "freeze"], check=True, capture_output=True, text=True)
    return [line for line in freeze.stdout.splitlines() if not line.startswith("babelreg ")]


def main() -> None:
    """Run the command line."""
    pins = _installed()
    (ROOT / "constraints.txt").write_text(_HEAD + "".join(f"{pin}\n" for pin in pins), "utf-8")
    hooks = ROOT / ".pre-commit-hooks.yaml"
    lines = "".join(f"    - {pin}\n" for pin in pins)
    hooks.write_text(_HOOKS.sub(lambda found: found[1] + lines, hooks.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
