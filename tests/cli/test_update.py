"""``babelreg update``: a service follows a registry in a folder, a repository or a package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from babelreg.load.service import registry_source

EXAMPLE = Path(__file__).resolve().parents[2] / "registry.example"
URN = "urn:babel:orders:cancelled"


def git(folder: Path, *args: str) -> str:
    who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(
        ["git", *args], cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """A copy of the example registry beside the repository of a service, which is the current folder."""
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    (tmp_path / "service").mkdir()
    monkeypatch.chdir(tmp_path / "service")
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "registry"


@pytest.fixture
def repository(registry):
    """The registry at the top of a git repository of its own."""
    git(registry, "init", "-q", "-b", "main")
    commit(registry)
    return registry


def commit(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "change")
    return git(folder, "rev-parse", "HEAD")


def settings(registry: str, service: str = "warehouse") -> None:
    Path("babelreg.service.yaml").write_text(f"version: 1\nservice: {service}\nregistry: {registry}\n")


def edit(registry: Path, old: str, new: str, file: str = "orders/cancelled.yaml") -> None:
    path = registry / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def break_it(registry: Path) -> None:
    edit(registry, "required: [order_id, reason]", "required: [order_id, reason, cancelled_at]")


def test_a_service_starts_with_two_commands(registry, run):
    assert run("init", "--service", "warehouse")[:2] == (0, "wrote babelreg.service.yaml\n")
    code, out, err = run("update")
    assert (code, out) == (0, "")
    assert "warehouse consumes 2, upcasts 1; pinned for the first time" in err
    lock = Path("babelreg.lock").read_text()
    assert f'consumes:\n  {URN}: "' in lock
    assert "payment.captured" not in lock
    assert run("update")[2] == "../registry: warehouse consumes 2, upcasts 1; nothing changed\n"
    assert Path("babelreg.lock").read_text() == lock


def test_what_a_service_does_not_use_changes_nothing(registry, run):
    settings("{path: ../registry}")
    run("update")
    lock = Path("babelreg.lock").read_text()
    edit(registry, "status: active", "status: draft", "media/thumbnail.generated.yaml")
    assert run("update", "--check")[0] == 0
    run("update")
    assert Path("babelreg.lock").read_text() == lock


@pytest.mark.parametrize("in_git", [False, True], ids=["in a folder", "in a repository"])
def test_what_breaks_is_told_apart_from_what_does_not(registry, run, in_git):
    if in_git:
        git(registry, "init", "-q", "-b", "main")
        commit(registry)
    settings("{path: ../registry}")
    run("update")
    lock = Path("babelreg.lock").read_text()
    assert ("commit:" in lock) is in_git
    break_it(registry)
    edit(registry, "Order number.", "The number.")
    if in_git:
        shutil.rmtree(registry.parent / "cache")  # git still knows what was pinned
    code, out, _ = run("update", "--check")
    assert code == 1
    assert out.splitlines() == [
        f"{URN}: changed (consumes)",
        "  breaks: property 'cancelled_at' became required [property-required]",
        "  also: 'order_id' changed its description",
    ]
    assert Path("babelreg.lock").read_text() == lock
    assert run("update")[:2] == (0, out)
    assert Path("babelreg.lock").read_text() != lock
    assert run("update", "--check")[0] == 0


def test_where_the_pinned_state_is_lost_it_says_so(registry, run):
    settings("{path: ../registry}")
    run("update")
    shutil.rmtree(registry.parent / "cache")
    break_it(registry)
    assert "so the change is unknown" in run("update", "--check")[1]


def test_what_is_copied_is_all_that_the_registry_reads_and_nothing_else(registry, run):
    edit(registry, "../_common/money.yaml", "../_common/deep/er/money.yaml", "orders/created.v2.yaml")
    (registry / "_common/deep/er").mkdir(parents=True)
    shutil.copy(registry / "_common/money.yaml", registry / "_common/deep/er/money.yaml")
    (registry / "outside.yaml").symlink_to("/etc/hostname")
    (registry / "nowhere.yaml").symlink_to("/no/where")
    settings("{path: ../registry}")
    assert run("update")[0] == 0
    break_it(registry)
    assert "became required" in run("update", "--check")[1]
    copied = {path.name for path in (registry.parent / "cache").rglob("*.yaml")}
    assert "cancelled.yaml" in copied
    assert not copied & {"outside.yaml", "nowhere.yaml"}


def test_copies_do_not_pile_up(repository, run, monkeypatch):
    monkeypatch.setattr(registry_source, "_MOST_COPIES", 2)
    settings(f"{{git: {repository.as_uri()}}}")
    for number in range(4):
        edit(repository, "\n", f"\n# {number}\n")
        commit(repository)
        assert run("update")[0] == 0
    trees = list((repository.parent / "cache/registries").glob("*/trees/top/*"))
    assert len(trees) == 2
    assert run("gen", "python")[0] == 0


def test_new_and_lost_messages_are_told(registry, run):
    settings("{path: ../registry}")
    run("update")
    edit(registry, "urn:babel:orders:cancelled", "urn:babel:customers:registered", "_services/warehouse.yaml")
    edit(registry, "[order_id, reason]", "[customer_id]", "_services/warehouse.yaml")
    assert run("update")[1].splitlines() == [
        "urn:babel:customers:registered: new (consumes)",
        f"{URN}: gone (consumes)",
    ]


def test_a_registry_in_git_is_fetched_by_update_alone(repository, run):
    settings(f"{{git: {repository.as_uri()}, ref: main}}")
    first = git(repository, "rev-parse", "HEAD")
    assert run("update")[0] == 0
    assert f'commit: "{first}"' in Path("babelreg.lock").read_text()
    break_it(repository)
    second = commit(repository)
    code, out, _ = run("update")
    assert code == 0
    assert "became required" in out
    assert f'commit: "{second}"' in Path("babelreg.lock").read_text()


def test_what_a_lock_pins_is_fetched_again_without_moving_it(repository, run):
    settings(f"{{git: {repository.as_uri()}}}")
    run("update")
    lock = Path("babelreg.lock").read_text()
    break_it(repository)
    commit(repository)
    shutil.rmtree(repository.parent / "cache")
    code, _, err = run("gen", "python", "--check")
    assert code == 2
    assert "run `babelreg update --locked`" in err
    assert run("update", "--locked")[0] == 0
    assert Path("babelreg.lock").read_text() == lock
    shutil.rmtree(repository)  # nothing is fetched any more
    assert run("update", "--locked")[0] == 0
    assert run("gen", "python")[0] == 0


def test_a_subfolder_of_a_repository_may_hold_the_registry(repository, run):
    settings(f"{{git: {repository.parent.as_uri()}, subdir: registry}}")
    shutil.rmtree(repository / ".git")
    git(repository.parent, "init", "-q")
    commit(repository.parent)
    assert run("update")[0] == 0
    settings(f"{{git: {repository.parent.as_uri()}, subdir: elsewhere}}")
    code, _, err = run("update")
    assert code == 2
    assert "no babelreg.yaml" in err
    assert "babelreg.service.yaml:3:" in err


def test_an_installed_package_may_hold_the_registry(registry, run, tmp_path, monkeypatch):
    package = tmp_path / "site" / "shop_messages"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('never imported')\n")
    shutil.copytree(registry, package / "registry")
    monkeypatch.syspath_prepend(str(package.parent))
    settings("{package: shop_messages}")
    assert run("update")[0] == 0
    assert "shop_messages" not in sys.modules
    settings("{package: shop_massages}")
    code, _, err = run("update")
    assert code == 2
    assert "no installed package 'shop_massages'" in err


@pytest.mark.parametrize(
    "registry_said, said",
    [
        pytest.param("{path: ../elsewhere}", "there is no registry in ../elsewhere", id="a path to nothing"),
        pytest.param("{git: 'ext::sh -c touch% /tmp/x'}", "is not a URL that babelreg can fetch", id="a hostile URL"),
        pytest.param("{git: 'file:///nowhere.git'}", "does not appear to be a git repository", id="no repository"),
        pytest.param(
            "{git: 'file:///nowhere.git', ref: '--upload-pack=x'}", "is not the name of a branch", id="a hostile ref"
        ),
        pytest.param("{package: os.path}", "no installed package", id="a dotted package"),
    ],
)
def test_a_registry_that_cannot_be_had_is_told_with_a_way_out(registry, run, registry_said, said):
    settings(registry_said)
    code, out, err = run("update")
    assert (code, out) == (2, "")
    assert said in err
    assert "fix:" in err
    assert not Path("babelreg.lock").exists()


def test_an_unknown_service_is_told_with_the_nearest(registry, run):
    settings("{path: ../registry}", "werehouse")
    code, _, err = run("update")
    assert code == 2
    assert err.startswith("babelreg.service.yaml:2:10: error: the registry does not declare service 'werehouse'")
    assert "did you mean 'warehouse'?" in err


def test_a_lock_torn_by_a_merge_is_written_anew(registry, run):
    settings("{path: ../registry}")
    run("update")
    lock = Path("babelreg.lock").read_text()
    Path("babelreg.lock").write_text(f"<<<<<<< ours\n{lock}=======\n{lock}>>>>>>> theirs\n")
    code, _, err = run("update")
    assert code == 0
    assert "babelreg.lock cannot be used: babelreg.lock:1:1: merge conflict of 'ours' and 'theirs'" in err
    assert Path("babelreg.lock").read_text() == lock


@pytest.mark.parametrize("args", [["--check", "--locked"]])
def test_check_and_locked_exclude_each_other(registry, run, args):
    settings("{path: ../registry}")
    assert run("update", *args)[0] == 2


def test_outside_of_a_service_it_says_how_to_start(registry, run):
    code, _, err = run("update")
    assert code == 2
    assert "babelreg init --service" in err
