"""Generated TypeScript in a project of its own, and the errors that the compiler reports in it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from babelreg.gen.targets.typescript import target

CONFIG = {
    "strict": True, "exactOptionalPropertyTypes": True, "noUncheckedIndexedAccess": True, "types": [],
    "module": "nodenext", "target": "es2022", "skipLibCheck": False, "lib": ["es2022"],
}  # fmt: skip


def written(
    registry: Any,
    folder: Path,
    *,
    out: str = "",
    emit: bool = False,
    options: dict[str, Any] | None = None,
    **texts: str,
) -> None:
    """Write the target's files below ``folder/out``, a file ``<name>.ts`` for each of ``texts``, and the settings.

    The project is only checked, unless ``emit``: then ``x.ts`` becomes ``dist/x.js``.
    """
    for file in target.files(registry, options or {}):
        path = folder / out / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, "utf-8")
    for name, text in texts.items():
        (folder / f"{name}.ts").write_text(text, "utf-8")
    compiler = {**CONFIG, **({"outDir": "dist"} if emit else {"noEmit": True})}
    settings = {"compilerOptions": compiler, "include": ["**/*.ts"], "exclude": ["dist", "node_modules"]}
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    (folder / "package.json").write_text('{"type": "module"}')


def errors(tsc: Path, folder: Path) -> list[str]:
    """Compile the project in ``folder`` and return the messages of the compiler, one each."""
    done = subprocess.run([tsc, "-p", "."], cwd=folder, capture_output=True, text=True, timeout=280, check=False)
    found = [line for line in done.stdout.splitlines() if line[:1].strip()]
    assert bool(found) == bool(done.returncode), done.stdout + done.stderr
    return found
