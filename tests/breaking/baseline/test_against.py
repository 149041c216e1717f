"""What ``--against`` can name, and what is said where it cannot be found."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from babelreg.breaking.baseline import against as baseline
from babelreg.breaking.baseline.against import Baseline
from babelreg.errors import UsageError

ONE, TWO, THREE = ("{type: object, title: %s}" % n for n in ("one", "two", "three"))  # noqa: UP031


def title(found: Baseline) -> str | None:
    messages = found.registry.messages
    return messages[0].data["title"] if messages else None


@pytest.fixture
def branched(repository: Any) -> Any:
    """main: one, two. work, off one: three."""
    repository.first = repository.commit(ONE)
    repository.git("checkout", "-q", "-b", "work")
    repository.commit(THREE)
    repository.git("checkout", "-q", "main")
    repository.second = repository.commit(TWO)
    repository.git("tag", "v2")
    repository.git("checkout", "-q", "work")
    return repository


@pytest.mark.parametrize(
    "against, expected",
    [
        pytest.param(None, "one", id="the default branch: its merge-base"),
        pytest.param("main", "one", id="a branch: its merge-base"),
        pytest.param("v2", "two", id="a tag: exactly it"),
        pytest.param("HEAD~1", "one", id="a revision"),
        pytest.param("HEAD", "three", id="HEAD"),
        pytest.param(".git#branch=main", "one", id="spelled out: a branch"),
        pytest.param(".git#ref=main", "two", id="spelled out: exactly that commit"),
        pytest.param(".git#tag=v2", "two", id="spelled out: a tag"),
        pytest.param(".git#tag=v2,subdir=registry", "two", id="spelled out: with the folder"),
        pytest.param("#ref=HEAD~1", "one", id="spelled out: here"),
    ],
)
def test_revisions(branched: Any, against: str | None, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(branched.folder)
    assert title(baseline.of(Path("registry"), against)) == expected


def test_a_commit_by_its_hash_is_named(branched: Any) -> None:
    found = baseline.of(branched.root, branched.second)
    assert title(found) == "two"
    assert found.name == f"{branched.second[:8]} ({branched.second})"


def test_from_inside_the_registry(branched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(branched.root)
    assert title(baseline.of(Path(), None)) == "one"
    assert title(baseline.of(Path(), ".git#ref=main,subdir=registry")) == "two"


def test_on_the_branch_itself_a_clean_tree_is_compared_with_its_parent(repository: Any) -> None:
    repository.commit(ONE)
    repository.commit(TWO)
    found = baseline.of(repository.root, "main")
    assert title(found) == "one"
    assert "first parent" in found.name


def test_on_the_branch_itself_a_changed_tree_is_compared_with_head(repository: Any) -> None:
    repository.commit(ONE)
    repository.commit(TWO)
    repository.write("orders/paid.yaml", "urn: urn:babel:orders:paid\n")
    found = baseline.of(repository.root, "main")
    assert title(found) == "two"
    assert "uncommitted changes" in found.name


def test_the_first_commit_has_nothing_before_it(repository: Any) -> None:
    repository.commit(ONE)
    found = baseline.of(repository.root, None)
    assert found.registry.messages == ()
    assert found.headline.startswith("the registry is new: compared with nothing, as ")


def test_a_repository_without_commits(repository: Any) -> None:
    assert baseline.of(repository.root, None).registry.messages == ()


def test_the_remote_s_default_branch_comes_first(branched: Any, tmp_path: Path) -> None:
    branched.git("checkout", "-q", "main")
    clone = tmp_path / "clone"
    branched.git("clone", "-q", str(branched.folder), str(clone))
    branched.git("-C", str(clone), "checkout", "-q", "-b", "mine", "origin/work")
    branched.git("-C", str(clone), "branch", "-q", "-D", "main")
    assert title(baseline.of(clone / "registry", None)) == "one"
    assert title(baseline.of(clone / "registry", "origin/main")) == "one"


def test_a_linked_work_tree(branched: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = tmp_path / "linked"
    branched.git("worktree", "add", "-q", "-b", "more", str(linked), "main")
    monkeypatch.chdir(linked)
    assert title(baseline.of(Path("registry"), "work")) == "one"
    assert title(baseline.of(Path("registry"), ".git#tag=v2")) == "two"


def test_a_submodule(branched: Any, tmp_path: Path) -> None:
    branched.git("init", "-q", str(tmp_path / "outer"))
    branched.git("-C", str(tmp_path / "outer"), "submodule", "add", "-q", str(branched.folder), "inner")
    assert title(baseline.of(tmp_path / "outer" / "inner" / "registry", "v2")) == "two"


def test_a_registry_that_was_moved_is_found_where_it_stood(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(ONE)
    repository.git("mv", "registry", "messages")
    assert title(baseline.of(repository.folder / "messages", None)) == "one"
    repository.git("commit", "-q", "-m", "move")
    assert title(baseline.of(repository.folder / "messages", None)) == "one"
    monkeypatch.chdir(repository.folder)
    assert title(baseline.of(Path("messages"), ".git#ref=HEAD~1")) == "one"


def test_a_second_registry_beside_the_first_is_new(repository: Any) -> None:
    repository.commit(ONE)
    shutil.copytree(repository.root, repository.folder / "second")
    assert baseline.of(repository.folder / "second", None).registry.messages == ()


def test_which_of_two_registries_was_moved_must_be_said(repository: Any) -> None:
    shutil.copytree(repository.root, repository.folder / "other")
    repository.commit(ONE)
    repository.git("mv", "registry", "messages")
    repository.git("rm", "-rq", "other")
    with pytest.raises(UsageError, match="but at other/, registry/") as raised:
        baseline.of(repository.folder / "messages", None)
    assert "subdir=other" in (raised.value.fix or "")


def test_another_folder_has_one_version(repository: Any, tmp_path: Path) -> None:
    repository.commit(ONE)
    shutil.copytree(repository.root, tmp_path / "published")
    repository.commit(TWO)
    found = baseline.of(repository.root, str(tmp_path / "published"))
    assert title(found) == "one"
    assert "published as it is now" in found.name


def test_another_repository(branched: Any, tmp_path: Path) -> None:
    shutil.copytree(branched.root, tmp_path / "plain")
    found = baseline.of(tmp_path / "plain", f"{branched.folder}/.git#branch=main,subdir=registry")
    assert title(found) == "two"


def test_no_registry_at_the_revision_means_all_is_new(repository: Any) -> None:
    repository.git("commit", "-q", "--allow-empty", "-m", "before there was a registry")
    repository.commit(ONE)
    found = baseline.of(repository.root, "HEAD~1")
    assert found.registry.messages == ()
    assert found.new
    assert found.headline.startswith("the registry is new: there was none at registry/ of ")


@pytest.mark.parametrize(
    "against, subdir",
    [
        pytest.param(".git#ref=HEAD~1,subdir=registri", "registry", id="a typo"),
        pytest.param(".git#ref=HEAD~1,subdir=registry/registry", "registry", id="a folder too deep"),
        pytest.param(".git#branch=main,subdir=schemas", "registry", id="another folder"),
        pytest.param(".git#ref=HEAD~1,subdir=.", "registry", id="the top"),
    ],
)
def test_a_place_that_is_not_there_is_an_error(branched: Any, against: str, subdir: str) -> None:
    with pytest.raises(UsageError, match="there is no registry at ") as raised:
        baseline.of(branched.root, f"{branched.folder}/{against}")
    assert f"subdir={subdir}'" in (raised.value.fix or "")


def test_a_commit_that_is_not_before_the_registry_must_have_it(branched: Any) -> None:
    branched.git("checkout", "-q", "--orphan", "elsewhere")
    branched.git("rm", "-q", "-r", "--cached", ".")
    branched.git("commit", "-q", "--allow-empty", "-m", "unrelated")
    unrelated = branched.git("rev-parse", "HEAD")
    branched.git("checkout", "-q", "-f", "main")
    with pytest.raises(UsageError, match="there is no registry at registry/"):
        baseline.of(branched.root, unrelated)


def test_a_subdir_may_be_written_in_several_ways(branched: Any) -> None:
    for subdir in ("registry", "registry/", "./registry", "/registry//"):
        assert baseline.of(branched.root, f"{branched.folder}/.git#branch=main,subdir={subdir}").registry.messages


def test_the_work_tree_and_the_index_stay_as_they_are(branched: Any) -> None:
    branched.write("orders/paid.yaml", "urn: urn:babel:orders:paid\n")
    index = (branched.folder / ".git" / "index").read_bytes()
    before = branched.git("status", "--porcelain")
    baseline.of(branched.root, None)
    assert (branched.folder / ".git" / "index").read_bytes() == index
    assert branched.git("status", "--porcelain") == before


def test_a_hook_s_environment_does_not_lead_astray(
    branched: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    branched.git("init", "-q", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other" / "index"))
    assert title(baseline.of(branched.root, "v2")) == "two"


def test_links_and_files_too_large_are_left_out(repository: Any) -> None:
    repository.write("orders/large.yaml", "#" * (1 << 21))
    (repository.root / "orders" / "link.yaml").symlink_to("/etc/passwd")
    commit = repository.commit(ONE)
    found = baseline.of(repository.root, commit)
    assert [message.source.path for message in found.registry.messages] == ["orders/created.yaml"]


@pytest.mark.parametrize(
    "against, said, fix",
    [
        pytest.param("nope", "no revision 'nope'", "git fetch", id="an unknown name"),
        pytest.param("--upload-pack=x", "no revision", "git fetch", id="what looks like an option"),
        pytest.param(".git#branch=nope", "no branch 'nope'", "git fetch", id="an unknown branch"),
        pytest.param(".git#tag=nope", "no tag 'nope'", "git fetch", id="an unknown tag"),
        pytest.param(".git#brnch=main", "'brnch=main' is not one of", ".git#branch=main", id="an unknown option"),
        pytest.param("none/.git#branch=main", "not a git repository", ".git#branch=main", id="no repository there"),
    ],
)
def test_what_cannot_be_found_is_said(
    branched: Any, against: str, said: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(branched.folder)
    with pytest.raises(UsageError, match=said) as raised:
        baseline.of(Path("registry"), against)
    assert fix in (raised.value.fix or "")


@pytest.mark.parametrize("inside", [pytest.param(True, id="in a repository"), pytest.param(False, id="outside of one")])
@pytest.mark.parametrize(
    "against, said",
    [
        pytest.param("folder", "the folder folder has no babelreg.yaml", id="a folder without a registry"),
        pytest.param("old.tar.gz", "there is no archive old.tar.gz", id="an archive that is not there"),
        pytest.param("old.7z", "old.7z is neither a supported archive", id="an archive of another kind"),
    ],
)
def test_a_folder_or_file_that_is_no_registry_is_said(
    branched: Any, tmp_path: Path, against: str, said: str, inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "old.7z").write_bytes(b"7z")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=said) as raised:
        baseline.of(branched.root if inside else tmp_path / "folder", against)
    assert raised.value.fix


def test_a_branch_named_like_a_folder_is_the_branch(branched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(branched.folder)
    (branched.folder / "main").mkdir()
    assert title(baseline.of(Path("registry"), "main")) == "one"


def test_a_shallow_clone_is_told_how_to_deepen(branched: Any, tmp_path: Path) -> None:
    branched.git("checkout", "-q", "main")
    clone = tmp_path / "clone"
    branched.git("clone", "-q", "--depth=1", f"file://{branched.folder}", str(clone))
    for against in (None, "HEAD~1", "origin/main"):
        with pytest.raises(UsageError) as raised:
            baseline.of(clone / "registry", against)
        assert "git fetch --unshallow" in (raised.value.fix or "")


def test_a_clone_of_one_commit_without_main_is_told_how_to_fetch_it(branched: Any, tmp_path: Path) -> None:
    branched.git("checkout", "-q", "-b", "topic")
    clone = tmp_path / "clone"
    branched.git("init", "-q", "-b", "none", str(clone))  # as actions/checkout does for a pull request
    branched.git("-C", str(clone), "remote", "add", "origin", f"file://{branched.folder}")
    branched.git("-C", str(clone), "fetch", "-q", "--depth=1", "origin", "topic:refs/remotes/pull/1/merge")
    branched.git("-C", str(clone), "checkout", "-q", "--detach", "refs/remotes/pull/1/merge")
    with pytest.raises(UsageError, match="no branch main or master") as raised:
        baseline.of(clone / "registry", None)
    assert "fetch-depth: 0" in (raised.value.fix or "")
    assert "--against BRANCH" in (raised.value.fix or "")


def test_outside_of_git_a_folder_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not in a git repository") as raised:
        baseline.of(tmp_path, None)
    assert "--against DIR" in (raised.value.fix or "")


def test_without_git_a_folder_is_asked_for(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="git is not installed") as raised:
        baseline.of(repository.root, None)
    assert "--against DIR" in (raised.value.fix or "")
