"""The settings of a registry alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.errors import UsageError
from babelreg.load.registry.root import settings_of, sound_settings
from babelreg.load.registry_error import RegistryError


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders/created.yaml").write_text("urn: [\n")
    (tmp_path / "babelreg.yaml").write_text("version: 1\nwires: {phpmq: {queues: {Foo: urn:a}}}\n")
    return tmp_path


def test_other_files_are_not_looked_at(registry: Path) -> None:
    assert sound_settings(registry).wires.block("phpmq") == {"queues": {"Foo": "urn:a"}}
    assert settings_of(registry).wires == sound_settings(registry).wires


@pytest.mark.parametrize(
    "text, rule",
    [
        pytest.param("version: [\n", "yaml-syntax", id="not YAML"),
        pytest.param("version: 1\nwire: {}\n", "key-unknown", id="an unknown key"),
        pytest.param(None, "settings-missing", id="no file"),
    ],
)
def test_settings_with_defects_are_refused(text: str | None, rule: str, registry: Path) -> None:
    path = registry / "babelreg.yaml"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(RegistryError) as refused:
        sound_settings(registry)
    assert [finding.rule for finding in refused.value.findings] == [rule]
    assert refused.value.findings[0].place.path.endswith("/babelreg.yaml")


def test_a_folder_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        sound_settings(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "name, fix",
    [
        pytest.param("registy", "did you mean {0}/registry?", id="a misspelt registry"),
        pytest.param("other", "start one: babelreg init {0}/other", id="another name"),
        pytest.param("code", "start one: babelreg init {0}/code", id="like a folder that is no registry"),
    ],
)
def test_a_registry_of_a_similar_name_is_proposed(name: str, fix: str, tmp_path: Path) -> None:
    for folder in ("registry", "codes"):
        (tmp_path / folder).mkdir()
    (tmp_path / "registry/babelreg.yaml").write_text("version: 1\n")
    with pytest.raises(UsageError, match="does not exist") as refused:
        sound_settings(tmp_path / name)
    assert refused.value.fix == fix.format(tmp_path)
