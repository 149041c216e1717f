"""The CI recipe of each language's page passes in a service's repository, and fails where the code is out of date.

Installations are left out, and PHPStan, which no registry has; ``npm ci`` and the tools of the languages run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import npm
import pytest
import yaml
from go_package import ENV

pytestmark = pytest.mark.servers

ROOT = Path(__file__).resolve().parents[2]
INSTALLATIONS = {"pip install git+https://github.com/babelreg/babelreg", "composer install"}
LEFT_OUT = {*INSTALLATIONS, "phpstan analyse --level max src"}
PROGRAMS = {
    "typescript": {
        "tsconfig.json": json.dumps({"compilerOptions": {"strict": True, "module": "nodenext", "target": "es2022",
                                                         "types": [], "rootDir": "src", "outDir": "dist"},
                                     "include": ["src"]}),
        "package.json": json.dumps({"name": "service", "type": "module", "private": True}),
        "src/service.ts": 'export { urns } from "./messages/index.js";\n',
    },
    "go": {
        "go.mod": "module service\n\ngo 1.18\n",
        "main.go": 'package main\n\nimport (\n\t"fmt"\n\n\t"service/internal/messages"\n)\n\n'
                   "func main() { fmt.Println(messages.OrdersCreated_URN) }\n",
    },
    "php": {},
}  # fmt: skip
GENERATED = {
    "typescript": "src/messages/orders/created.ts",
    "go": "internal/messages/orders-created.go",
    "php": "src/Messages/OrdersCreated.php",
}


def page(language: str) -> str:
    return (ROOT / f"docs/{language}.md").read_text("utf-8")


def commands(language: str) -> list[str]:
    """Return the commands of the recipe."""
    (recipe,) = re.findall(r"```yaml\n(# \.github/workflows/.*?)```", page(language), re.S)
    steps = yaml.safe_load(recipe)["jobs"]["messages"]["steps"]
    return [step["run"] for step in steps if "run" in step]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    words = [sys.executable, "-m", *words] if words[0] == "babelreg" else words
    env = {**os.environ, **ENV}
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=500, check=False)


def committed(folder: Path) -> None:
    for words in ("init -q -b main", "add -A", "-c user.name=a -c user.email=a@b.example commit -qm x"):
        subprocess.run(["git", *words.split()], cwd=folder, check=True)


@pytest.fixture(params=PROGRAMS)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A language, and the repository of a service in it, with the settings that its page shows."""
    language: str = request.param
    registry, folder = tmp_path / "messages", tmp_path / "service"
    registry.mkdir()
    assert run("babelreg init . -q", registry).returncode == 0
    committed(registry)
    (settings,) = re.findall(r"```yaml\n(version: 1\nservice: .*?)```", page(language), re.S)
    known: dict[str, Any] = yaml.safe_load(settings)
    known |= {"service": "orders-worker", "registry": {"git": registry.as_uri()}}
    files = {"babelreg.service.yaml": json.dumps(known), **PROGRAMS[language]}
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    if language == "typescript":
        npm.install(folder, "ajv@8", "typescript@5.9")
    for command in ("babelreg update", f"babelreg gen {language}"):
        done = run(command, folder)
        assert done.returncode == 0, done.stdout + done.stderr
    return language, folder


def test_the_recipe_of_a_page_passes_until_the_code_is_out_of_date(service: tuple[str, Path]) -> None:
    language, folder = service
    recipe = commands(language)
    assert INSTALLATIONS & set(recipe)
    for command in recipe:
        if command not in LEFT_OUT:
            done = run(command, folder)
            assert done.returncode == 0, (command, done.stdout, done.stderr)
    changed = folder / GENERATED[language]
    changed.write_text(changed.read_text("utf-8") + "\n", "utf-8")
    checks = [command for command in recipe if command.endswith("--check")]
    assert [run(command, folder).returncode for command in checks] == [1]
