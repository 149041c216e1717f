from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from babelreg import load
from babelreg.errors import BabelregError, UsageError
from babelreg.gen.target import File, collect, digest, header, living, settle
from babelreg.gen.targets import TARGETS
from babelreg.model import Registry, Settings


class Example:
    summary = "an example"
    settings: Mapping[str, str] = {"package": "its name"}

    def files(self, registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
        yield File("a.txt", "a\n")


def registry(settings: str) -> Registry:
    return load.from_tree(load.files.tree.Memory({"babelreg.yaml": settings.encode()}))


def test_settings_come_from_the_registry_and_the_command_line_wins() -> None:
    loaded = registry("version: 1\ngen:\n  example: {package: one}\n")
    assert settle("example", Example(), loaded, {}) == {"package": "one"}
    assert settle("example", Example(), loaded, {"package": "two"}) == {"package": "two"}


@pytest.mark.parametrize(
    "settings, given, said",
    [
        pytest.param("gen:\n  example: {pakage: x}\n", {}, "did you mean 'package'?", id="a misspelt key"),
        pytest.param("", {"colour": "red"}, "it knows: package", id="an option of another target"),
    ],
)
def test_a_wrong_setting_is_a_clear_error(settings: str, given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        settle("example", Example(), registry("version: 1\n" + settings), given)
    assert said in str(caught.value)


def test_settings_that_are_no_mapping_are_a_clear_error() -> None:
    with pytest.raises(UsageError, match="must be a mapping"):
        settle("example", Example(), Registry("", Settings(gen={"example": [1]})), {})


def test_a_misspelt_key_has_its_place() -> None:
    with pytest.raises(UsageError) as caught:
        settle("example", Example(), registry("version: 1\ngen:\n  example: {pakage: x}\n"), {})
    assert str(caught.value).startswith("babelreg.yaml:3:13:")


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(["a.py", "a.py"], id="twice the same path"),
        pytest.param(["a.py", "A.py"], id="paths that one disk folds"),
        pytest.param(["../a.py"], id="out of the folder"),
        pytest.param(["/etc/passwd"], id="an absolute path"),
        pytest.param(["a/./b"], id="a dot as a step"),
        pytest.param(["a\\b"], id="a backslash"),
        pytest.param([""], id="no path"),
    ],
)
def test_paths_that_would_do_harm_are_refused(paths: list[str]) -> None:
    with pytest.raises(BabelregError):
        collect(File(path, "") for path in paths)


def test_the_header_changes_with_its_inputs_and_with_the_order_of_keys() -> None:
    assert header("python", "a.yaml", {"a": 1, "b": 2}) == header("python", "a.yaml", {"a": 1, "b": 2})
    assert header("python", "a.yaml", {"a": 1}) != header("python", "a.yaml", {"a": 2})
    assert digest({"a": 1, "b": 2}) != digest({"b": 2, "a": 1})


def test_retired_messages_get_no_code() -> None:
    files = {
        "babelreg.yaml": b"version: 1\n",
        "orders/_context.yaml": b"owner: t\n",
        "orders/created.yaml": b"urn: urn:babel:orders:created\nkind: event\nstatus: active\ndata: {type: object}\n",
        "orders/placed.yaml": b'urn: urn:babel:orders:placed\nstatus: retired\nretired_on: "2026-01-31"\n',
    }
    assert [message.urn for message in living(load.from_tree(load.files.tree.Memory(files)))] == [
        "urn:babel:orders:created"
    ]


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_says_what_it_is(name: str) -> None:
    target = TARGETS[name]
    assert target.summary
    assert not target.summary.endswith(".")
    assert all(isinstance(line, str) and line for line in target.settings.values())
