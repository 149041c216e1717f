"""Whatever a registry says, the Python made from it compiles, runs nothing of its own, and loses no property."""

from __future__ import annotations

import ast
import builtins
from itertools import takewhile
from typing import Any

import pytest

from babelreg.finding import Place
from babelreg.gen.target import File
from babelreg.gen.targets import python
from babelreg.model import Message, Registry, Urn
from babelreg.schema.pointer import Pointer
from babelreg.typemap.python import shape

_CANARY = "babelreg_canary"
_RUN = f"__import__('builtins').{_CANARY}.append(1)"

PAYLOADS = [
    pytest.param(f'"""\n{_RUN}\n"""', id="the end of a docstring"),
    pytest.param(f"'''\n{_RUN}\n'''", id="the end of the other docstring"),
    pytest.param(f'\\"""\n{_RUN}\n#', id="an escaped end of a docstring"),
    pytest.param(f'"\n{_RUN}\nx = "', id="the end of a string"),
    pytest.param(f"'\n{_RUN}\nx = '", id="the end of the other string"),
    pytest.param(f"\n{_RUN}\n", id="lines of their own"),
    pytest.param(f"\r{_RUN}\r", id="carriage returns"),
    pytest.param(f"\x0c{_RUN}\x0c", id="form feeds"),
    pytest.param(f"\x85{_RUN}\u2028{_RUN}\u2029{_RUN}", id="line ends of Unicode"),
    pytest.param("trailing \\", id="a backslash at the end"),
    pytest.param(f"\\N{{BULLET}} \\x22 {_RUN}", id="escape sequences"),
    pytest.param("{{ 7 * 7 }} {% for x in y %}", id="a template"),
    pytest.param("{0} %s ${x} {_RUN}", id="format fields"),
    pytest.param("\u202e\u2066 \u2069 \u200b", id="characters that reorder or hide text"),
    pytest.param("\ud800", id="a lone surrogate"),
    pytest.param("\x00", id="a null"),
    pytest.param("ﬁ", id="a ligature"),
    pytest.param("class", id="a keyword"),
    pytest.param("__class__", id="a dunder"),
    pytest.param("__init_subclass__", id="a hook of classes"),
    pytest.param("model_config", id="what pydantic keeps for itself"),
    pytest.param("model_post_init", id="a hook of pydantic"),
    pytest.param("Model", id="the base class"),
    pytest.param("SCHEMA", id="a name of the module"),
    pytest.param("message", id="a function of the module"),
    pytest.param("MessagesHostileProducer", id="the producer's name"),
    pytest.param("MESSAGES_HOSTILE", id="the constant's name"),
    pytest.param("Literal", id="a name of typing"),
    pytest.param("None", id="None"),
    pytest.param("../../evil", id="a path"),
    pytest.param("os.system", id="a dotted name"),
    pytest.param("this.s", id="a module that prints when imported"),
    pytest.param("subprocess.Popen", id="a class that starts programs"),
    pytest.param("a" * 5000, id="a very long text"),
]


class Written:
    """A source that exists only in a test."""

    path = "messages/hostile.yaml"

    def place(self, pointer: Pointer = (), *, key: bool = False) -> Place:
        return Place(self.path)


def schema(text: str) -> dict[str, Any]:
    """A schema with ``text`` wherever a text can stand."""
    keys = ("title", "description", "$comment", "format", "pattern", "default", "x-python-type", "customTypePath",
            "customBasePath", "x-python-import", "x-enum-varnames", "contentEncoding", "discriminator")  # fmt: skip
    everywhere: dict[str, Any] = dict.fromkeys(keys, text)
    return {
        "$id": text,
        "type": "object",
        **everywhere,
        "required": [text, f"{text} again"],
        "properties": {
            text: {"type": "string", **everywhere},
            f"{text} ": {"enum": [text, f"{text}!"]},
            "fixed": {"const": text, **everywhere},
            "nested": {"type": "object", **everywhere, "properties": {text: {"type": "integer", **everywhere}}},
            "listed": {"type": "array", "items": {"type": "object", "properties": {text: True}}},
            "chosen": {"oneOf": [{"type": "object", "properties": {"kind": {"const": text}}}, {"type": "null"}]},
            "mapped": {"type": "object", "additionalProperties": {"type": "string", **everywhere}},
            "defined": {"$ref": "#/$defs/" + text.replace("~", "~0").replace("/", "~1")},
        },
        "$defs": {text: {"type": "object", **everywhere, "properties": {text: {"type": "string"}}}},
    }


def registry(text: str) -> Registry:
    message = Message(
        urn="urn:babel:messages:hostile",
        parsed=Urn.parse("urn:babel:messages:hostile"),
        source=Written(),
        kind=text,
        description=text,
        owner=text,
        queue=text,
        sunset=text,
        status="deprecated",
        data=schema(text),
        schema=schema(text),
    )
    return Registry("", messages=(message,))


def written(text: str) -> dict[str, File]:
    own = takewhile(lambda file: "/_babelreg/" not in file.path, python.files(registry(text), {}))
    return {file.path: file for file in own}


_STATEMENTS = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Pass)


@pytest.mark.parametrize("text", PAYLOADS)
def test_the_module_holds_declarations_only(text: str) -> None:
    files = written(text)
    for path in ("messages/messages_hostile.py", "messages/_schemas/messages_hostile.py"):
        source = files[path].text
        source.encode("utf-8")
        tree = ast.parse(source)
        for statement in ast.walk(tree):
            if isinstance(statement, ast.stmt) and not isinstance(statement, _STATEMENTS):
                assert isinstance(statement, ast.Expr)
                assert isinstance(statement.value, ast.Constant)
            if isinstance(statement, ast.Call):
                assert isinstance(statement.func, ast.Name)
                assert statement.func.id in ("Field", "deprecated", "message")
            if isinstance(statement, ast.ImportFrom):
                inside = ("_babelreg.runtime", "_babelreg.runtime.model", "_schemas.messages_hostile")
                inside = (*inside, "_babelreg.runtime.deprecation")
                assert statement.module in ("__future__", "typing", "pydantic", *inside)
        for character in source:
            assert character == "\n" or character.isprintable(), f"U+{ord(character):04X} in {path}"


@pytest.mark.parametrize("text", PAYLOADS)
def test_running_it_runs_nothing_of_the_registry(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(builtins, _CANARY, seen, raising=False)
    source = written(text)["messages/_schemas/messages_hostile.py"].text
    names: dict[str, Any] = {}
    exec(compile(source, "schema", "exec"), names)
    assert names["SCHEMA"] == schema(text)
    assert seen == []


@pytest.mark.parametrize("text", PAYLOADS)
def test_every_property_has_its_attribute(text: str) -> None:
    found = shape(schema(text), "Hostile", reserved=("HostileProducer",))
    wires = [attribute.wire for attribute in found.classes["Hostile"].attributes]
    assert set(wires) == {*schema(text)["properties"], *schema(text)["required"]}
    source = written(text)["messages/messages_hostile.py"].text
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    lines = [line for line in classes["MessagesHostile"].body if isinstance(line, ast.AnnAssign)]
    assert len(lines) == len(wires)
    assert not classes.keys() & {"SCHEMA", "Model", "Producer", "Field", "Literal", "MISSING", "Any", "Annotated"}
    assert len(classes) == sum(isinstance(node, ast.ClassDef) for node in ast.parse(source).body)
