"""Build the sdist and wheel of ``babelreg``, and the wheel of ``babelreg-runtime``, which generated code may run on.

    python tools/wheels.py [--only runtime] [--out dist]

Needs pip and, for babelreg, ``build``, which makes the wheel from the sdist; nothing of babelreg's dependencies. The
sources of the runtime are written into a folder that is removed afterwards.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from babelreg import __version__  # noqa: E402
from babelreg.gen.python_code import requirements  # noqa: E402
from babelreg.gen.targets.python.runtime_package import PACKAGE, package_files  # noqa: E402

__all__ = ["build", "runtime_project"]

_README = f"""\
# {requirements.DISTRIBUTION}

The runtime of Python packages that [babelreg](https://github.com/babelreg/babelreg) generates with
`gen: {{python: {{runtime: package}}}}`: producers, consumers and the contract of messages. A service installs it
through the `requirements.txt` of its generated package; babelreg itself is not needed at run time.
"""
_PROJECT = """\
[build-system]
requires = ["hatchling>=1.26"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
description = "The runtime of Python packages that babelreg generates for BabelQueue messages."
readme = "README.md"
license = "MIT"
license-files = ["LICENSE"]
requires-python = ">=3.11"
classifiers = ["Development Status :: 4 - Beta", "Programming Language :: Python :: 3", "Typing :: Typed"]
dependencies = {dependencies}

[project.optional-dependencies]
{extras}

[project.urls]
Homepage = "https://github.com/babelreg/babelreg"

[tool.hatch.build.targets.wheel]
packages = ["{package}"]
"""


def runtime_project() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of the project of ``babelreg-runtime``."""
    extras = {"broker": requirements.BROKER, **requirements.MODELS, **requirements.OPTIONAL}
    yield (
        "pyproject.toml",
        _PROJECT.format(
            name=requirements.DISTRIBUTION,
            package=PACKAGE,
            version=__version__,
            dependencies=list(requirements.CONTRACT),
            extras="\n".join(f"{name} = {list(needs)}" for name, needs in extras.items()),
        ),
    )
    yield "README.md", _README
    yield "LICENSE", (ROOT / "LICENSE").read_text("utf-8")
    yield from package_files()


def build(out: Path, *, babelreg: bool = True) -> None:
    """Build the wheel of the runtime into ``out``, and babelreg. Raises CalledProcessError if one fails."""
    with tempfile.TemporaryDirectory(prefix="babelreg-runtime-") as folder:
        for path, text in runtime_project():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text, "utf-8")
        _pip_wheel(out, folder)
    if babelreg:
        command = [sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _pip_wheel(out: Path, project: str) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--wheel-dir", str(out), project], check=True)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["runtime"], help="leave out babelreg")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="DIR")
    arguments = parser.parse_args()
    build(arguments.out, babelreg=arguments.only is None)


if __name__ == "__main__":
    main()
