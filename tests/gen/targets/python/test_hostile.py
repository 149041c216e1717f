"""Whatever a registry says, the Python made from it compiles, runs nothing of its own, and loses no property."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import hostile
import pytest
from each import each
from generated import write_runtime
from hypothesis import given, settings

from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.gen.target import File, files_by_path
from babelreg.gen.targets.python import target
from babelreg.gen.write import write
from babelreg.load.files.defect import Defect
from babelreg.load.yaml import parser
from babelreg.typemap.python.types import shape_of

CASES = hostile.cases()
each_case = each("name", CASES)

_STATEMENTS = (ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Pass)
_ELSEWHERE = ("__future__", "collections.abc", "typing", "typing_extensions", "pydantic")
_CALLED = ("Field", "TypedDict", "deprecated", "message")


@cache
def files(models: str) -> dict[str, File]:
    return files_by_path(target.files(hostile.registry(), {"models": models}))


def texts(models: str, name: str) -> list[str]:
    number = list(CASES).index(name)
    return [files(models)[f"messages/{folder}hostile_case{number}.py"].text for folder in ("", "_schemas/")]


@cache  # kinds of models share the module of the schema
def held_to_declarations(source: str) -> None:
    """Docstrings, imports that we chose, classes of annotations, and assignments: nothing that a registry says runs."""
    source.encode("utf-8")
    assert hostile.unprintable(source) == set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            held_to_annotations(node)
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            assert isinstance(node, ast.Expr)
            assert isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            assert node.func.id in _CALLED
        if isinstance(node, ast.ImportFrom):
            ours = node.level == 1 and str(node.module).startswith("_schemas.hostile_case")
            runtime = node.level == 0 and str(node.module).startswith("babelreg_runtime.runtime")
            assert ours or runtime or (node.level == 0 and node.module in _ELSEWHERE)
        assert not isinstance(node, ast.Attribute | ast.JoinedStr | ast.Lambda | ast.NamedExpr | ast.comprehension)


def held_to_annotations(found: ast.ClassDef) -> None:
    """No name twice, none that hooks into the making of classes, none that Python would spell otherwise."""
    names = [
        line.target.id for line in found.body if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    ]
    assert len(names) == len(set(names)) == sum(isinstance(line, ast.AnnAssign) for line in found.body)
    assert all(name.isascii() and not name.startswith("__") for name in names)
    assert {keyword.arg for keyword in found.keywords} <= {"frozen", "kw_only", "tag", "tag_field", "total"}
    assert all(isinstance(keyword.value, ast.Constant) for keyword in found.keywords)


@each_case
@pytest.mark.parametrize("models", KINDS)
def test_a_module_holds_declarations_only(models: str, name: str) -> None:
    for source in texts(models, name):
        held_to_declarations(source)


@each_case
def test_every_property_has_its_attribute(name: str) -> None:
    schema = CASES[name][1]
    if not isinstance(schema.get("properties"), dict):
        return
    found = shape_of(schema, "Hostile", reserved=("HostileProducer",)).classes["Hostile"].attributes
    wires = {attribute.wire for attribute in found}
    required = schema.get("required", [])
    assert wires == {*schema["properties"], *(required if isinstance(required, list) else [])}
    assert len({attribute.name for attribute in found}) == len(wires)


def test_the_index_names_each_message_and_nothing_else() -> None:
    tree = ast.parse(files("pydantic")["messages/__init__.pyi"].text)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "case" in str(node.module)]
    modules = {f".{node.module}" for node in imports} | {name.name for node in imports for name in node.names}
    assert len(tree.body) == sum(isinstance(statement, ast.ImportFrom) for statement in tree.body)
    assert modules
    assert modules <= {
        word
        for n in range(len(CASES))
        for word in (f".hostile_case{n}", f"HostileCase{n}", f"HostileCase{n}Producer", f"HOSTILE_CASE{n}")
    }


RUN = """
import builtins, importlib, json, sys

seen = []
setattr(builtins, sys.argv[1], seen)
import messages
from messages import HostileCase{plain}Producer  # what any message needs is imported now

watched = []
REFUSED = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.", "ctypes.", "os.remove")


def hook(event, args):
    if event.startswith(REFUSED) or (event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")):
        watched.append(event)


sys.addaudithook(hook)
before = {{name.partition(".")[0] for name in sys.modules}}
with open("documents.json") as file:
    documents = json.load(file)
lost = []
for number, document in documents:
    module = importlib.import_module(f"messages.hostile_case{{number}}")
    message = getattr(module, f"HOSTILE_CASE{{number}}")
    if document is not None and message.dump(message.parse(document)) != document:
        lost.append(number)
after = {{name.partition(".")[0] for name in sys.modules}}
print(json.dumps([seen, watched, sorted(after - before), lost]))
"""


@pytest.mark.parametrize("models", KINDS)
def test_running_it_runs_nothing_of_the_registry_and_loses_nothing(models: str, tmp_path: Path) -> None:
    plain = {"plain": ("x", hostile.of_names(["a", "b"]))}
    cases = {name: case for name, case in CASES.items() if has_bytes(case)}
    registry = hostile.registry({**cases, **plain})
    write(tmp_path, "python", target.files(registry, {"models": models}))
    write_runtime(tmp_path)
    known = hostile.documents()
    said = [(number, known.get(name)) for number, name in enumerate(cases)]
    assert sum(document is not None for _, document in said) > 75
    (tmp_path / "documents.json").write_text(json.dumps(said))
    script = RUN.format(plain=len(cases))
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [sys.executable, "-B", "-W", "error", "-W", "ignore::DeprecationWarning", "-c", script, hostile.TRACE]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    seen, watched, imported, lost = json.loads(done.stdout)
    assert (seen, watched, imported) == ([], [], [])
    assert [list(cases)[number] for number in lost] == []


def has_bytes(value: Any) -> bool:
    """False for an unpaired surrogate, which libraries do not hold as a text. YAML has no way to write one, either."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@settings(max_examples=20, deadline=None)
@given(hostile.texts())
def test_no_text_gets_out(text: str) -> None:
    made = files_by_path(target.files(hostile.registry({"fuzz": (text, hostile.of_text(text))}), {}))
    held_to_declarations(made["messages/hostile_case0.py"].text)
    held_to_declarations(made["messages/_schemas/hostile_case0.py"].text)


@pytest.mark.parametrize("text", ['a: "\\ud800"\n', '"\\ud800": a\n', '{"a": "\\udc00"}\n'])
def test_no_registry_can_hold_half_a_surrogate_pair(text: str) -> None:
    with pytest.raises(Defect, match="an unpaired surrogate"):
        parser.read(text)
