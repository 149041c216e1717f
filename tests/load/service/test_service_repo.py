from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg.errors import UsageError
from babelreg.load.registry_error import RegistryError
from babelreg.load.service import lock
from babelreg.load.service.service_repo import NAME, find, read

SOUND = "version: 1\nservice: shop\nregistry: {path: ../registry}\n"


@pytest.mark.parametrize(
    "text, place, said",
    [
        pytest.param("version: 2\nservice: shop\nregistry: {path: .}\n", "1:10", "not 1", id="another version"),
        pytest.param("version: 1\nregistry: {path: .}\n", "1:1", "'service' is missing", id="no service"),
        pytest.param(
            "version: 1\nservice: shop\nregistry: {}\n", "3:11", "this needs 'path' or 'git'", id="no registry"
        ),
        pytest.param(
            "version: 1\nservice: shop\nregistry: {path: ., git: 'file:///x'}\n",
            "3:11",
            "only one of",
            id="two registries",
        ),
        pytest.param(
            "version: 1\nservice: shop\nregistry: {path: ., ref: main}\n",
            "3:21",
            "goes with git only",
            id="a ref of a path",
        ),
        pytest.param(
            "version: 1\nservice: shop\nregistry: {package: p, subdir: ../../etc}\n",
            "3:32",
            "points outside",
            id="out of it",
        ),
        pytest.param(SOUND + "gem: {}\n", "4:1", "no key 'gem'", id="a misspelt key"),
        pytest.param(SOUND + "service: shop\n", "4:1", "service", id="a key twice"),
        pytest.param("version: [1\n", "1:10", "not YAML", id="no YAML"),
        pytest.param(SOUND + 'gen: {python: {out: "a\\0b"}}\n', "4:21", "cannot be printed", id="a NUL"),
        pytest.param(SOUND.replace("shop", '"a\\eb"'), "2:10", "cannot be printed", id="an escape"),
        pytest.param(SOUND + "gen: {python: {out: 1}}\n", "4:21", "not text", id="a number for a folder"),
        pytest.param(SOUND + "gen: {python: {out: ../src}}\n", "4:21", "points outside", id="a folder beside it"),
        pytest.param(SOUND + "gen: {docs: {out: /tmp}}\n", "4:19", "points outside", id="a folder anywhere"),
        pytest.param(SOUND + "gen: {spark: {out: a/../../b}}\n", "4:20", "points outside", id="a folder by a detour"),
        pytest.param(
            SOUND + "gen: {python: {models: pydantik}}\n", "4:24", "not one of pydantic", id="misspelt models"
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, place, said):
    (tmp_path / NAME).write_text(text)
    with pytest.raises(RegistryError) as raised:
        read(tmp_path)
    (found,) = raised.value.findings
    assert str(found.place) == f"{(tmp_path / NAME).as_posix()}:{place}"
    assert said in found.message
    assert found.fix


def test_a_sound_file_is_read_as_it_says(tmp_path):
    (tmp_path / NAME).write_text(SOUND + "gen: {python: {out: src, package: events}}\nscan: {exclude: [legacy/]}\n")
    repo = read(tmp_path)
    assert (repo.service, repo.registry.path, repo.exclude) == ("shop", "../registry", ("legacy/",))
    assert repo.gen == {"python": {"out": "src", "package": "events"}}


def test_a_link_does_not_lead_out_of_the_repository(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "service").mkdir()
    (tmp_path / "service/src").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "service" / NAME).write_text(SOUND + "gen: {python: {out: src/app}}\n")
    with pytest.raises(RegistryError) as raised:
        read(tmp_path / "service")
    assert [found.place.line for found in raised.value.findings] == [4]


def test_a_service_in_a_larger_repository_may_name_any_folder_of_it(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "services/shop").mkdir(parents=True)
    (tmp_path / "services/shop" / NAME).write_text(SOUND + "gen: {python: {out: ../../generated}}\n")
    assert read(tmp_path / "services/shop").gen == {"python": {"out": "../../generated"}}


@pytest.mark.parametrize(
    "files, start, found",
    [
        pytest.param([NAME], ".", ".", id="here"),
        pytest.param([NAME, "src/app/x.py"], "src/app", "../..", id="above"),
        pytest.param([NAME, "src/.git/HEAD"], "src", None, id="not above the repository"),
        pytest.param([NAME, ".git/HEAD", "src/x"], "src", "..", id="at the top of the repository"),
        pytest.param([NAME, "registry/babelreg.yaml"], "registry", None, id="a registry that is nearer hides it"),
        pytest.param(["x"], ".", None, id="nowhere"),
    ],
)
def test_the_nearest_file_counts(tmp_path, monkeypatch, files, start, found):
    top = tmp_path / "top"
    for file in [*files, "../.git/HEAD"]:
        (top / file).parent.mkdir(parents=True, exist_ok=True)
        (top / file).write_text(SOUND)
    monkeypatch.chdir(top / start)
    assert find(Path()) == (None if found is None else Path(found))
    assert find(top / start) == (None if found is None else (top / start / found).resolve())


PIECES = [
    "version: 1\n", "service: shop\n", "registry: {path: ..}\n", "registry:\n", "  git: ", "  ref: ", "  subdir: ", "ext::x\n",
    "../../..\n", "/\n", "gen:\n", "  python: ", "{out: x}\n", "scan: {exclude: [", "]}\n", "&a ", "*a", "!!python/object ",
    "\t", "- ", "\x00", "\u202e", "[" * 200, "'", '"', "\n", "consumes:\n", "  urn:babel:a:b: ", "commit: ", "0" * 40, "null\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=200)
def test_whatever_stands_in_it_is_read_or_refused_with_its_place(tmp_path, text):
    (tmp_path / NAME).write_text(text)
    try:
        repo = read(tmp_path)
    except RegistryError as err:
        assert err.findings
        (tmp_path / NAME).write_text(SOUND)
        repo = read(tmp_path)
    (tmp_path / "babelreg.lock").write_text(text)
    with contextlib.suppress(RegistryError, UsageError):
        lock.read(repo)
