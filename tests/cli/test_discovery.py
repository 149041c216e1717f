"""Which registry a command works on when none was named: one set of rules for all commands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from babelreg.load.service.starter import example_folder

CHECKED = "11 messages"


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a git repository, which is the work folder; outside of it lies a registry that must not count."""
    (tmp_path / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "top/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "top")
    return tmp_path / "top"


def registry(folder: Path) -> None:
    shutil.copytree(example_folder(), folder, dirs_exist_ok=True)


def service(folder: Path, path: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = f"version: 1\nservice: billing-worker\nregistry: {{path: {path}}}\n"
    (folder / "babelreg.service.yaml").write_text(text)


def pyproject(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(text)


@pytest.mark.parametrize(
    "files, at, found",
    [
        pytest.param({"registry": registry}, ".", "registry/", id="the only one below"),
        pytest.param({"registry": registry}, "registry", "", id="here"),
        pytest.param({"registry": registry}, "registry/orders", "../", id="above"),
        pytest.param({".hidden": registry, "registry": registry}, ".", "registry/", id="dot folders do not count"),
        pytest.param({"a": registry, "a/x": lambda f: service(f, "../../b"), "b": registry}, "a/x", "../../b/", id="a service file that is nearer"),
        pytest.param({"a": registry, "x": lambda f: service(f, "../a")}, "x", "../a/", id="a service file"),
        pytest.param({"a": registry, "x": lambda f: service(f, "../a"), "x/src/deep": Path.mkdir}, "x/src", "../../a/", id="a service file above"),
        pytest.param({".": lambda f: pyproject(f, '[tool.babelreg]\nregistry = "a/contracts"\n'), "a/contracts": registry}, ".", "a/contracts/", id="a pyproject"),
        pytest.param({".": lambda f: pyproject(f, 'tool.babelreg.registry = "a"\n'), "a": registry, "b": registry, "b/deep": lambda f: f.mkdir()}, "b/deep", "../", id="a registry nearer than a pyproject"),
        pytest.param({".": lambda f: pyproject(f, "[tool.babelreg.lint]\nprofile = 'standard'\n"), "a": registry}, ".", "a/", id="a pyproject that names none"),
        pytest.param({"both": registry, "both/": lambda f: service(f, "nowhere")}, "both", "", id="settings before a service file in a folder"),
    ],
)  # fmt: skip
def test_a_registry_is_found(files, at, found, top, monkeypatch, run):
    for path, make in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        if make is Path.mkdir:
            (top / path).mkdir(parents=True)
        else:
            make(top / path)
    monkeypatch.chdir(top / at)
    code, out, err = run("lint", "--profile", "strict")
    assert code == 0, err
    assert CHECKED in err
    assert all(line.startswith((found, " ")) for line in out.splitlines())
    assert out


def test_a_path_is_looked_up_from_where_it_is(top, run):
    registry(top / "a/registry")
    registry(top / "b")
    code, out, _ = run("lint", "a/registry/orders", "--profile", "strict")
    assert code == 0
    assert out.startswith("a/registry/orders/")


def test_the_variable_counts_for_more_than_what_is_found(top, monkeypatch, run):
    registry(top / "a")
    registry(top / "b")
    monkeypatch.setenv("BABELREG_REGISTRY", "a")
    assert run("lint", "--profile", "strict")[1].startswith("a/")
    assert run("lint", "--registry", "b", "--profile", "strict")[1].startswith("b/")


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["lint"], id="lint"),
        pytest.param(["format", "--check"], id="format"),
        pytest.param(["breaking", "--against", "registry"], id="breaking"),
        pytest.param(["mint", "urn:babel:orders:created.v2", "--against", "registry", "--dry-run"], id="mint"),
        pytest.param(["gen", "docs", "--dry-run"], id="gen"),
        pytest.param(["scan"], id="scan"),
        pytest.param(["validate", "messages.jsonl"], id="validate"),
        pytest.param(["rules"], id="rules"),
        pytest.param(["spark", "pack", "--dry-run"], id="spark pack"),
        pytest.param(["lake", "ingest", "--input", "in", "--lake", "lake", "--dry-run"], id="lake ingest"),
    ],
)
def test_every_command_names_a_registry_below_first(words, top, run):
    registry(top / "registry")
    (top / "messages.jsonl").write_text("")
    (top / "in").mkdir()
    (top / "in/a.jsonl").write_text("{}\n")
    code, _, err = run(*words)
    assert code == 0, err
    assert err.splitlines()[0] == "using registry/ (the only registry below this folder)"
    assert err.count("the only registry below") == 1


def test_a_registry_found_otherwise_is_not_named(top, monkeypatch, run):
    registry(top / "registry")
    monkeypatch.chdir(top / "registry")
    assert "registry:" not in run("lint")[2]


def test_two_registries_below_are_both_named(top, run):
    registry(top / "a b")
    registry(top / "b")
    code, _, err = run("lint")
    assert code == 2
    assert "there are several registries here: a b and b" in err
    assert "--registry 'a b'" in err


def test_without_any_the_error_lists_what_was_looked_for(top, monkeypatch, run):
    (top / "deep").mkdir()
    monkeypatch.chdir(top / "deep")
    code, _, err = run("lint")
    assert code == 2
    for looked_for in (
        "babelreg.yaml",
        "babelreg.service.yaml",
        "[tool.babelreg] registry",
        str(top),
        "*/babelreg.yaml",
    ):
        assert looked_for in err
    assert "babelreg init registry" in err
    assert "BABELREG_REGISTRY" in err


@pytest.mark.parametrize(
    "value, said",
    [
        pytest.param('"nowhere"', "the registry nowhere does not exist", id="no such folder"),
        pytest.param('"empty"', "the registry empty has no babelreg.yaml", id="no registry"),
        pytest.param("3", "registry is not the path of a folder", id="no text"),
    ],
)
def test_a_pyproject_that_names_no_registry_is_an_error_at_its_line(value, said, top, run):
    (top / "empty").mkdir()
    pyproject(top, f"[tool.babelreg]\nregistry = {value}\n")
    code, _, err = run("lint")
    assert code == 2
    assert err.startswith(f"pyproject.toml:2:12: error: {said}")


CONFLICT = "<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> topic\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[tool.babelreg]\n" + CONFLICT.format(ours='registry = "a"\n', theirs='registry = "b"\n'), id="in the key"),
        pytest.param('[tool.babelreg]\n' + CONFLICT.format(ours="", theirs="# more\n") + 'registry = "a"\n', id="beside it"),
    ],
)  # fmt: skip
def test_a_merge_conflict_that_hides_which_registry_is_meant_is_called_so(text, top, run):
    pyproject(top, text)
    code, _, err = run("lint")
    assert code == 2
    assert err.startswith("pyproject.toml:2:1: error: merge conflict of 'HEAD' and 'topic' in lines 2 to ")
    assert "  fix: keep the correct parts of both sides" in err


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CONFLICT.format(ours='name = "babelreg"\n', theirs='registry = "x"\n'), id="another tool's"),
        pytest.param("[tool.babelreg.lint]\n" + CONFLICT.format(ours="", theirs="# registry = 1\n"), id="a comment"),
    ],
)
def test_a_merge_conflict_elsewhere_hides_no_registry(text, top, run):
    pyproject(top, text)
    registry(top / "contracts")
    err = run("lint")[2]
    assert err.splitlines()[0] == "using contracts/ (the only registry below this folder)"


@pytest.mark.parametrize(
    "named, fix",
    [
        pytest.param("registry/orders", "--registry registry", id="a folder inside"),
        pytest.param("registry/ordrs", "--registry registry", id="a folder inside that is not there"),
        pytest.param("registry/babelreg.yaml", "--registry registry", id="its settings"),
        pytest.param(".", "--registry registry", id="the folder around"),
        pytest.param("a b", "babelreg init 'a b'", id="nothing there"),
    ],
)
def test_a_registry_is_never_proposed_inside_a_registry(named, fix, top, run):
    registry(top / "registry")
    code, _, err = run("lint", "--registry", named)
    assert code == 2
    assert err.splitlines()[-1].endswith(fix)


def test_a_wrong_variable_is_named(top, monkeypatch, run):
    registry(top / "registry")
    monkeypatch.setenv("BABELREG_REGISTRY", "registry/orders")
    assert "fix: BABELREG_REGISTRY=registry" in run("lint")[2]


@pytest.mark.parametrize(
    "words", [["format"], ["lint", "--fix"], ["mint", "urn:babel:orders:created.v2"]], ids=" ".join
)
def test_a_fetched_registry_is_not_changed(words, top, run):
    (top / "babelreg.service.yaml").write_text("version: 1\nservice: x\nregistry: {git: 'https://example.com/r.git'}\n")
    code, _, err = run(*words)
    assert code == 2
    assert err.startswith("babelreg.service.yaml:3:")
    assert "cannot be changed here" in err
