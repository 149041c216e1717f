from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from babelreg import load
from babelreg.errors import InputError, UsageError
from babelreg.git import fetch
from babelreg.load.service import registry_source


def git(folder: Path, *args: str, given: str = "") -> str:
    who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *args], cwd=folder, env=env, input=given, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def origin(tmp_path):
    folder = tmp_path / "origin"
    (folder / "reg/orders").mkdir(parents=True)
    (folder / "reg/babelreg.yaml").write_text("version: 1\n")
    (folder / "reg/orders/a.yaml").write_text("urn: a\n")
    (folder / "reg/evil.sh").write_text("touch /tmp/never\n")
    (folder / "reg/link.yaml").symlink_to("/etc/passwd")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.com/shop/registry.git",
        "ssh://git@git.example.com/shop/registry.git",
        "git@git.example.com:shop/registry.git",
        "file:///srv/registry.git",
    ],
)
def test_a_plain_url_may_be_fetched(url):
    assert fetch.checked_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("ext::sh -c 'touch /tmp/x'", id="a transport that runs commands"),
        pytest.param("fd::17", id="a file descriptor"),
        pytest.param("--upload-pack=touch /tmp/x", id="an option"),
        pytest.param("-oProxyCommand=x", id="an option of ssh"),
        pytest.param("ssh://-oProxyCommand=x/a", id="an option as a host"),
        pytest.param("ssh://-oProxyCommand=x@host/a", id="an option as a user"),
        pytest.param("git@-oProxyCommand=x:a", id="an option as a host, in short"),
        pytest.param("git@host:-a", id="an option as a path"),
        pytest.param("http://host/a.git", id="without encryption"),
        pytest.param("git://host/a.git", id="without authentication"),
        pytest.param("https://host/a\nb", id="a line break"),
        pytest.param("https://user:secret@host/a.git", id="a password"),
        pytest.param("https://ghp_token@host/a.git", id="a token"),
        pytest.param("../registry", id="a path"),
        pytest.param("", id="nothing"),
    ],
)
def test_another_url_is_refused_with_a_way_out(url):
    with pytest.raises(UsageError) as raised:
        fetch.checked_url(url)
    assert raised.value.fix
    assert "secret" not in str(raised.value)
    assert "ghp_token" not in str(raised.value)


@pytest.mark.parametrize("ref", ["-x", "a..b", "a:b", "+main", "^main", "a b", "refs/heads/*", "main.lock", "@{u}", ""])
def test_what_is_no_ref_is_refused(ref):
    with pytest.raises(UsageError):
        fetch.checked_ref(ref)


def test_a_branch_a_tag_and_a_commit_are_fetched(origin, tmp_path):
    first = git(origin, "rev-parse", "HEAD")
    git(origin, "tag", "v1")
    (origin / "reg/orders/b.yaml").write_text("urn: b\n")
    git(origin, "add", "-A")
    git(origin, "commit", "-qm", "two")
    url = origin.as_uri()
    second = git(origin, "rev-parse", "HEAD")
    assert fetch.commit_of(tmp_path / "store", url, "main") == second
    assert fetch.commit_of(tmp_path / "store", url, "HEAD") == second
    assert fetch.commit_of(tmp_path / "store", url, "v1") == first
    assert fetch.commit_of(tmp_path / "store", url, first) == first


def test_those_that_fetch_at_once_get_each_their_own(origin, tmp_path):
    git(origin, "tag", "first")
    git(origin, "commit", "-q", "--allow-empty", "-m", "two")
    commits = {ref: git(origin, "rev-parse", ref) for ref in ("first", "main")}
    assert commits["first"] != commits["main"]
    fetching = "import sys; from pathlib import Path; from babelreg.git.fetch import commit_of; "
    fetching += "print(commit_of(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))"
    words = [sys.executable, "-c", fetching, str(tmp_path / "new/store"), origin.as_uri()]
    running = [(ref, subprocess.Popen([*words, ref], stdout=subprocess.PIPE, text=True)) for ref in [*commits] * 3]
    assert [process.communicate()[0].strip() for _, process in running] == [commits[ref] for ref, _ in running]


def test_a_server_that_gives_no_commit_by_its_id_gives_all(origin, tmp_path, monkeypatch):
    first = git(origin, "rev-parse", "HEAD")
    git(origin, "commit", "-q", "--allow-empty", "-m", "two")
    fetch.commit_of(tmp_path / "store", origin.as_uri(), "main")
    plain = fetch._git

    def refusing(store, *words, given=b""):
        if words[0] == "fetch" and words[-1].startswith(first):
            raise InputError("Server does not allow request for unadvertised object")
        return plain(store, *words, given=given)

    monkeypatch.setattr(fetch, "_git", refusing)
    assert fetch.commit_of(tmp_path / "store", origin.as_uri(), first) == first


@pytest.mark.parametrize(
    "ref, said", [("nowhere", "couldn't find remote ref"), ("0" * 40, "cannot fetch")], ids=["a branch", "a commit"]
)
def test_what_is_not_there_is_told(origin, tmp_path, ref, said):
    with pytest.raises(InputError, match=said) as raised:
        fetch.commit_of(tmp_path / "store", origin.as_uri(), ref)
    assert raised.value.fix


def test_only_plain_files_of_a_registry_are_laid_out(origin, tmp_path):
    commit = fetch.commit_of(tmp_path / "store", origin.as_uri(), "main")
    fetch.export(tmp_path / "store", commit, "reg", tmp_path / "out")
    found = sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert found == ["babelreg.yaml", "orders/a.yaml"]
    assert (tmp_path / "out/orders/a.yaml").read_text() == "urn: a\n"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".part")] == []


def test_a_tree_with_names_that_lead_out_writes_nothing_outside(origin, tmp_path):
    blob = git(origin, "hash-object", "-w", "--stdin", given="version: 1\n")
    inner = git(origin, "mktree", given=f"100644 blob {blob}\tx.yaml\n")
    names = ["..", ".git", "a\\b", "-x", "C:"]
    made = "".join(f"040000 tree {inner}\t{name}\n" for name in names)
    raw = git(origin, "mktree", "--missing", given=made + f"100644 blob {blob}\tbabelreg.yaml\n")
    commit = git(origin, "commit-tree", raw, "-m", "evil")
    fetch.export(origin / ".git", commit, None, tmp_path / "deep" / "out")
    everything = [p for p in (tmp_path / "deep").rglob("*") if p.is_file()]
    assert everything == [tmp_path / "deep/out/babelreg.yaml"]


def test_a_repository_of_too_much_is_refused(origin, tmp_path, monkeypatch):
    commit = fetch.commit_of(tmp_path / "store", origin.as_uri(), "main")
    monkeypatch.setattr(fetch, "MOST_FILES", 1)
    with pytest.raises(InputError, match="more than 1 files"):
        fetch.export(tmp_path / "store", commit, None, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_tree_that_names_itself_over_and_over_is_given_up(origin, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "_MOST_LISTED", 1 << 20)
    tree = git(origin, "mktree", given=f"100644 blob {git(origin, 'hash-object', '-w', 'reg/babelreg.yaml')}\ta.yaml\n")
    for _ in range(8):
        tree = git(origin, "mktree", given="".join(f"040000 tree {tree}\td{n}\n" for n in range(10)))
    bomb = git(origin, "commit-tree", tree, "-m", "a hundred million files")
    with pytest.raises(InputError, match="more than 1 MiB"):
        fetch.export(origin / ".git", bomb, None, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_hooks_of_the_user_are_not_run(origin, tmp_path, monkeypatch):
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    hook = hooks / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    config = tmp_path / "config"
    config.write_text(f"[core]\n\thooksPath = {hooks}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    fetch.commit_of(tmp_path / "store", origin.as_uri(), "main")
    assert not (tmp_path / "ran").exists()


def test_an_answer_that_does_not_come_is_not_waited_for(tmp_path, monkeypatch):
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(fetch, "_SECONDS", 0.2)
    with pytest.raises(InputError, match="did not answer"):
        fetch.commit_of(tmp_path / "store", "https://example.invalid/a.git", "main")


def test_what_the_registry_ignores_is_ignored_where_it_was_fetched_and_copied(origin, tmp_path, monkeypatch):
    message = "urn: urn:babel:orders:paid\nkind: event\ndata: {}\n"
    (origin / "reg/orders/_context.yaml").write_text("owner: a\n")
    (origin / "reg/orders/a.yaml").write_text(message.replace("paid", "a"))
    (origin / "reg/drafts/old").mkdir(parents=True)
    (origin / "reg/drafts/old/paid.yaml").write_text(message)
    (origin / "reg/.gitignore").write_text("drafts/\n")
    git(origin, "add", "-A", "-f")
    git(origin, "commit", "-qm", "two")
    commit = fetch.commit_of(tmp_path / "store", origin.as_uri(), "main")
    fetch.export(tmp_path / "store", commit, "reg", tmp_path / "out")
    assert (tmp_path / "out/drafts/old/paid.yaml").is_file()
    assert load.registry(tmp_path / "out").defects == ()
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    registry_source.keep_copy(tmp_path / "out", "lock")
    copied = registry_source.copy_of("lock")
    assert copied is not None
    assert load.registry(copied).defects == ()
