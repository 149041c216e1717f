"""Generated Go packages in a module of their own, built and run offline by the installed Go (1.19 or later)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from babelreg.gen.targets.go import target

# No module is downloaded, and no other version of Go.
ENV = {
    "GOFLAGS": "-mod=mod -buildvcs=false",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
    "CGO_ENABLED": "0",
}


def go(folder: Path, *args: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run ``go`` in ``folder``, with ``settings`` of its environment. Fails without Go: these tests need it."""
    command = shutil.which("go")
    assert command, "install Go, version 1.19 or later: `apt-get install golang-go`"
    env = {**os.environ, **ENV, **settings}
    return subprocess.run(
        [command, *args], cwd=folder, env=env, capture_output=True, text=True, timeout=500, check=False
    )


def unformatted(folder: Path) -> list[str]:
    """Return the files that gofmt would change."""
    root = go(folder, "env", "GOROOT").stdout.strip()
    gofmt = shutil.which("gofmt") or str(Path(root) / "bin/gofmt")
    done = subprocess.run([gofmt, "-l", "."], cwd=folder, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def written(registry: Any, folder: Path, options: dict[str, Any] | None = None, **texts: str) -> None:
    """Write the package, ``go.mod``, and a file ``<name>/<name>.go`` for each of ``texts``."""
    for file in target.files(registry, options or {}):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, "utf-8")
    for name, text in texts.items():
        (folder / name).mkdir()
        (folder / name / f"{name}.go").write_text(text, "utf-8")
    (folder / "go.mod").write_text("module example\n\ngo 1.18\n")
