"""Packages of npm for tests that run node. They fail without npm or its index: a skipped test would look like a passed one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def install(folder: Path, *packages: str) -> Path:
    """Install ``packages``, such as ``typescript@5.9``, below ``folder``; return the folder of their commands."""
    npm = shutil.which("npm")
    assert npm, "install node and npm: `apt-get install nodejs npm`"
    assert shutil.which("node"), "install node: `apt-get install nodejs`"
    command = [npm, "install", "--no-audit", "--no-fund", *packages]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "node_modules/.bin"


def node(folder: Path, script: str, *args: str, input: str | None = None) -> str:
    """Run ``script``, a path from ``folder``, with ``input``, and return what it prints."""
    command = ["node", script, *args]
    done = subprocess.run(command, cwd=folder, input=input, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
