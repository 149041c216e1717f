from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from babelreg import load
from babelreg.errors import UsageError
from babelreg.load.registry_error import RegistryError
from babelreg.load.service import lock, service_repo
from babelreg.model.service_subset import share_of

EXAMPLE = Path(__file__).parents[3] / "registry.example"


@pytest.fixture
def repo(tmp_path):
    (tmp_path / service_repo.NAME).write_text("version: 1\nservice: warehouse\nregistry: {path: registry}\n")
    return service_repo.read(tmp_path)


@pytest.fixture(scope="module")
def registry():
    return load.registry(EXAMPLE)


def hashes(folder: Path) -> dict[str, str]:
    opened = load.registry(folder)
    return {message.urn: lock.hashed(opened, message) for message in opened.messages}


def test_what_is_written_is_read_again(repo, registry):
    made = lock.lock_of(share_of(registry, "warehouse"), repo.registry, "a" * 40)
    lock.write(repo, made)
    again = lock.read(repo)
    assert again is not None
    assert (again.messages, again.commit, lock.text(again)) == (made.messages, "a" * 40, lock.text(made))
    assert again.role("urn:babel:orders:created.v2") == "consumes"
    assert set(again.hashes) == share_of(registry, "warehouse").every


def test_a_lock_is_a_line_a_message_and_the_same_for_the_same(repo, registry):
    lines = [lock.text(lock.lock_of(share_of(registry, "warehouse"), repo.registry, None)).splitlines() for _ in "12"]
    assert lines[0] == lines[1]
    assert [line.split()[0] for line in lines[0] if line.startswith("  ")] == [
        "urn:babel:orders:cancelled:",
        "urn:babel:orders:created.v2:",
        "urn:babel:orders:created:",
    ]


@pytest.mark.parametrize(
    "file, old, new, changed",
    [
        pytest.param("orders/cancelled.yaml", "reason:", "cause:", ["orders:cancelled"], id="the schema"),
        pytest.param("orders/cancelled.yaml", "Order number.", "A number.", ["orders:cancelled"], id="a description"),
        pytest.param("orders/cancelled.yaml", "owner: team-orders", "owner: team-x", ["orders:cancelled"], id="a fact"),
        pytest.param("orders/cancelled.yaml", "\n", "\n# a comment\n", [], id="a comment is nothing"),
        pytest.param(
            "_common/money.yaml",
            "minimum: 0",
            "minimum: -1",
            ["billing:payment.captured", "orders:created.v2"],
            id="a shared part",
        ),
    ],
)
def test_a_hash_changes_with_what_the_registry_says_and_with_nothing_else(tmp_path, file, old, new, changed):
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    before = hashes(tmp_path / "registry")
    path = tmp_path / "registry" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    after = hashes(tmp_path / "registry")
    found = [urn.removeprefix("urn:babel:") for urn in before if before[urn] != after[urn]]
    assert set(changed) <= set(found) if changed else found == []
    assert len(found) < len(before)


def test_a_hash_is_that_of_the_version_before_time_limits_and_headers(tmp_path):
    """Code that was generated then need not be pinned again."""
    (tmp_path / "orders").mkdir()
    (tmp_path / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "orders" / "_context.yaml").write_text("owner: team-orders\n")
    delivery = "{max_attempts: 5, on_failure: dead_letter}"
    text = f"urn: urn:babel:orders:created\nkind: event\nqueue: orders\ndelivery: {delivery}\ndata: {{type: object}}\n"
    (tmp_path / "orders" / "created.yaml").write_text(text)
    assert hashes(tmp_path) == {"urn:babel:orders:created": "d29ae17035754958d86fc791126d8aca"}
    for more in (text.replace("5,", "5, time_limit_seconds: 30,"), f"{text}headers: true\n"):
        (tmp_path / "orders" / "created.yaml").write_text(more)
        assert hashes(tmp_path) != {"urn:babel:orders:created": "d29ae17035754958d86fc791126d8aca"}


def test_without_a_lock_there_is_none(repo):
    assert lock.read(repo) is None


@pytest.mark.parametrize(
    "text, said",
    [
        pytest.param("<<<<<<< ours\nversion: 1\n=======\n", "not YAML", id="left over from a merge"),
        pytest.param("version: 1\nservice: warehouse\n", "'registry' is missing", id="cut off"),
        pytest.param(
            f"version: 1\nservice: warehouse\nregistry: {{path: registry}}\ncommit: '{'../' * 14}tmp'\n",
            "'commit' is not a commit of git",
            id="a way out of the cache for a commit",
        ),
        pytest.param(
            "version: 1\nservice: warehouse\nregistry: {path: registry}\nconsumes: {u: }\n", "is empty", id="no hash"
        ),
    ],
)
def test_a_lock_that_cannot_be_read_is_refused_with_its_place(repo, text, said):
    (Path(repo.folder) / "babelreg.lock").write_text(text)
    with pytest.raises(RegistryError) as raised:
        lock.read(repo)
    assert said in raised.value.findings[0].message
    assert raised.value.findings[0].place.line
    assert raised.value.fix == "babelreg update"


@pytest.mark.parametrize("what, old, new", [("registry", "registry}", "other}"), ("service", "warehouse", "shop")])
def test_a_lock_for_something_else_is_refused(repo, registry, what, old, new):
    lock.write(repo, lock.lock_of(share_of(registry, "warehouse"), repo.registry, None))
    path = Path(repo.folder) / service_repo.NAME
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UsageError, match=f"for another {what}"):
        lock.read(service_repo.read(Path(repo.folder)))
