from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from syntax_trees import modules

import babelreg
from babelreg import load
from babelreg.errors import BabelregError, UsageError
from babelreg.gen.option import Option, resolve
from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.gen.python_code.package_options import MODELS
from babelreg.gen.target import File, digest, files_by_path, generated_messages, header
from babelreg.gen.targets import TARGETS, target_for_language
from babelreg.model import Registry, Settings
from babelreg.model.service import LANGUAGES

OTHER_MEANINGS = {
    ("containment/certificates/pattern_terms.py", "python"),  # an engine of patterns
    ("cli/lake/recorded_traffic.py", "spark"),  # an engine
    ("exchange/sources/asyncapi_document.py", "asyncapi"),  # a key of a document
    ("lint/rules/topology/queue_shared.py", "python"),  # the language of a service
    ("scan/urn_literals.py", "python"),  # the language of a source file
}
"""Comparisons with a word that is a target's name, too."""


def operands(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a comparison compares, also the members of ``x in ("a", "b")``."""
    match node:
        case ast.Compare():
            for operand in (node.left, *node.comparators):
                yield from operand.elts if isinstance(operand, ast.Tuple | ast.List | ast.Set) else [operand]
        case ast.MatchValue():
            yield node.value


class Example:
    summary = "an example"
    options = (Option("package", "Its name."),)

    def files(self, registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
        yield File("a.txt", "a\n")


def registry(settings: str) -> Registry:
    return load.from_tree(load.files.tree.Memory({"babelreg.yaml": settings.encode()}))


def test_settings_come_from_the_registry_and_the_command_line_wins() -> None:
    loaded = registry("version: 1\ngen:\n  example: {package: one}\n")
    assert resolve("example", Example().options, loaded, {}) == {"package": "one"}
    assert resolve("example", Example().options, loaded, {"package": "two"}) == {"package": "two"}


@pytest.mark.parametrize(
    "settings, given, said",
    [
        pytest.param("gen:\n  example: {pakage: x}\n", {}, "did you mean 'package'?", id="a misspelt key"),
        pytest.param("", {"colour": "red"}, "its settings: package", id="an option of another target"),
    ],
)
def test_a_wrong_setting_is_a_clear_error(settings: str, given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve("example", Example().options, registry("version: 1\n" + settings), given)
    assert said in str(caught.value)


def test_settings_that_are_no_mapping_are_a_clear_error() -> None:
    with pytest.raises(UsageError, match="must be a mapping"):
        resolve("example", Example().options, Registry("", Settings(gen={"example": [1]})), {})


def test_a_misspelt_key_has_its_place() -> None:
    with pytest.raises(UsageError) as caught:
        resolve("example", Example().options, registry("version: 1\ngen:\n  example: {pakage: x}\n"), {})
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
        files_by_path(File(path, "") for path in paths)


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
    assert [message.urn for message in generated_messages(load.from_tree(load.files.tree.Memory(files)))] == [
        "urn:babel:orders:created"
    ]


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_says_what_it_is(name: str) -> None:
    target = TARGETS[name]
    assert target.summary
    assert not target.summary.endswith(".")
    assert all(option.help.endswith(".") for option in target.options)


def test_the_schema_of_babelreg_yaml_lists_the_options_of_targets() -> None:
    schema = json.loads((Path(babelreg.__file__).parent / "load/registry/schemas/settings.schema.json").read_text())
    listed = schema["properties"]["gen"]["properties"]
    assert listed.keys() <= TARGETS.keys()
    for name, settings in listed.items():
        declared = {option.key: option for option in TARGETS[name].options}
        assert settings["properties"].keys() == declared.keys(), name
        for key, value in settings["properties"].items():
            assert value["description"] == declared[key].help, f"gen.{name}.{key}"
            assert value.get("default") == declared[key].default, f"gen.{name}.{key}"
            assert tuple(value.get("enum", ())) == declared[key].choices, f"gen.{name}.{key}"
            assert value.get("x-removed", {}) == declared[key].removed, f"gen.{name}.{key}"


def test_every_kind_of_model_can_be_chosen() -> None:
    assert tuple(KINDS) == MODELS.choices


@pytest.mark.parametrize("name", TARGETS)
def test_an_option_has_one_way_to_be_written_on_the_command_line(name: str) -> None:
    from babelreg.cli.gen.group import command

    names = [parameter.name for parameter in command.commands[name].params]
    assert len(names) == len(set(names))
    declared = {option.key for option in TARGETS[name].options if option.command_line}
    assert declared <= set(names)
    assert not declared & {"target", "out", "check_only", "dry_run", "no_cache", "registry", "style", "output"}


def test_no_two_targets_have_the_same_alias_or_language() -> None:
    aliases = [word for target in TARGETS.values() for word in target.hooks.aliases]
    languages = [lang for target in TARGETS.values() for lang in target.hooks.languages]
    assert len(aliases) == len({*aliases} - TARGETS.keys())
    assert len(languages) == len({*languages})
    assert {*languages} <= {*LANGUAGES}


@pytest.mark.parametrize(
    "lang, target",
    [
        pytest.param("node", "typescript", id="a language with another name"),
        pytest.param("dotnet", "jsonschema", id="a language without a target"),
    ],
)
def test_the_target_of_a_language(lang: str, target: str) -> None:
    assert target_for_language(lang) == target


def test_only_a_family_compares_with_the_names_of_its_targets() -> None:
    """Other code asks a hook, so that a new target is one package and one line."""
    found = {
        (module.name, operand.value)
        for module in modules()
        if not module.name.startswith("gen/targets/")
        for comparison in ast.walk(module.tree)
        for operand in operands(comparison)
        if isinstance(operand, ast.Constant) and operand.value in TARGETS
    }
    assert found == OTHER_MEANINGS


TEXTS = """
import hashlib, json, sys
from babelreg import load
from babelreg.gen.target import files_by_path
from babelreg.gen.targets import TARGETS
registry = load.registry(sys.argv[1])
texts = {name: {p: f.text for p, f in files_by_path(target.files(registry, {})).items()} for name, target in TARGETS.items()}
print(json.dumps({name: hashlib.sha256(json.dumps(list(made.items())).encode()).hexdigest() for name, made in texts.items()}))
"""


def test_two_runs_give_the_same_bytes_whatever_the_hash_seed() -> None:
    root = Path(babelreg.__file__).parents[1]
    command = [sys.executable, "-c", TEXTS, str(root / "registry.example")]
    processes = [
        subprocess.Popen(command, cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE)
        for seed in ("1", "77")
    ]
    first, second = (json.loads(process.communicate()[0]) for process in processes)
    assert first == second
    assert first.keys() == TARGETS.keys()
