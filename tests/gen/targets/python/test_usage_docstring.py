"""The docstring of a generated package, run as it stands, for registries of all kinds; and the width of its lines."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generated import write_package, write_runtime
from python_copies import run

from babelreg import load
from babelreg.cli import main
from babelreg.gen.target import File
from babelreg.gen.targets.python import target as python
from babelreg.gen.targets.spark import target as spark
from babelreg.gen.write import write
from babelreg.model import Registry
from babelreg.model.service_subset import share_of

EXAMPLE = Path(__file__).resolve().parents[4] / "registry.example"
BROKER = '"redis://localhost:6379/0"'
Made = tuple[Registry, dict[str, Any]]


def in_memory(messages: dict[str, str], services: dict[str, str] | None = None) -> Registry:
    files = {"babelreg.yaml": b"version: 1\n"}
    for path, lines in messages.items():
        context, _, name = path.partition("/")
        files[f"{context}/_context.yaml"] = b"owner: t\n"
        files[f"{path}.yaml"] = f"urn: urn:babel:{context}:{name}\nkind: event\nowner: t\n{lines}".encode()
    for name, lines in (services or {}).items():
        files[f"_services/{name}.yaml"] = f"owner: t\nlang: python\n{lines}".encode()
    registry = load.from_tree(load.files.tree.Memory(files))
    assert not registry.defects
    return registry


def of_init(folder: Path) -> Made:
    with pytest.raises(SystemExit):
        main(["init", str(folder / "registry")])
    return load.registry(folder / "registry"), {}


def of_service(registry: Registry, service: str) -> Made:
    share = share_of(registry, service)
    return share.part, {"service": service, **share.urns}


ODD = r"""
data:
  type: object
  required: ["a-b", class, nested]
  properties:
    "a-b": {type: string}
    class: {type: string}
    nested: {type: array, items: {type: object, required: [n], properties: {n: {type: number}}}}
examples:
  - {"a-b": "\"\"\" \\ {{ x }} \u202e é", class: "LONG", nested: [{n: 1}, {n: 2.5}]}
"""
PLAIN = "data: {type: object, properties: {a: {type: integer}}}\nexamples: [{a: 1}]\n"
LONG = f"data: {{type: object, required: [text], properties: {{text: {{type: string}}}}}}\nexamples: [{{text: '{'ab ' * 90}'}}]\n"
CONSUMES = "consumes: [{urn: urn:babel:shop:made}, {urn: urn:babel:shop:paid}, {urn: urn:babel:shop:sent}]\n"
THREE = {"shop/made": PLAIN, "shop/paid": PLAIN + "producers: [api]\n", "shop/sent": PLAIN}

REGISTRIES: dict[str, Callable[[Path], Made]] = {
    "that of init": of_init,
    "that of init, for its consumer": lambda folder: of_service(of_init(folder)[0], "orders-worker"),
    "that of init, for its producer": lambda folder: of_service(of_init(folder)[0], "orders-api"),
    "the example": lambda folder: (load.registry(EXAMPLE), {}),
    "the example as dictionaries": lambda folder: (load.registry(EXAMPLE), {"models": "typeddict"}),
    "the example with typed formats": lambda folder: (load.registry(EXAMPLE), {"formats": "typed"}),
    "one for a service that sends and handles": lambda folder: of_service(load.registry(EXAMPLE), "media-worker"),
    "one for a service that handles several": lambda folder: of_service(in_memory(THREE, {"worker": CONSUMES}), "worker"),
    "one for a service that it does not know": lambda folder: of_service(load.registry(EXAMPLE), "nobody"),
    "one without messages": lambda folder: (in_memory({}), {}),
    "one without examples": lambda folder: (in_memory({"shop/made": PLAIN.partition("examples")[0]}), {}),
    "one whose only example is not valid": lambda folder: (in_memory({"shop/made": PLAIN.replace("{a: 1}", "{a: x}")}), {}),
    "one with a deprecated message": lambda folder: (
        in_memory({"shop/made": PLAIN + "status: deprecated\nsunset: '2099-01-01'\n"}), {}),
    "one with odd names and values": lambda folder: (in_memory({"shop/made": ODD.replace("LONG", "x" * 200)}), {}),
    "one with long texts": lambda folder: (in_memory({"shop/made": LONG}), {"package": "events"}),
    "one with a message called as the app": lambda folder: (in_memory({"babel/queue": PLAIN}), {}),
    "one with a message called as our own": lambda folder: (in_memory({"sql/outbox": PLAIN}), {}),
}  # fmt: skip


def docstring_of(folder: Path, package: str) -> str:
    return ast.get_docstring(ast.parse((folder / package / "__init__.py").read_text("utf-8"))) or ""


# The docstring does not depend on the form: one registry for each kind of model shows that it runs on both. A copied
# runtime is compiled again by each process, which takes longer than all else here.
FORM_AND_REGISTRY = [
    *(("package", name) for name in REGISTRIES),
    *(("vendored", f"the example{kind}") for kind in ("", " as dictionaries")),
]


@pytest.mark.parametrize("form, name", FORM_AND_REGISTRY)
def test_the_docstring_runs_and_names_what_there_is(form: str, name: str, tmp_path: Path) -> None:
    registry, options = REGISTRIES[name](tmp_path)
    out = tmp_path / "src"
    package = options.get("package", "messages")
    write_package(out, registry, options, form=form)
    about = docstring_of(out, package)
    code = textwrap.dedent("\n".join(line for line in about.splitlines() if line.startswith("    ") or not line))
    modules = {path.stem for path in (out / package).glob("*_*.py")} - {"__init__", "_consumer", "_outbox", "_topology"}
    assert ("BabelQueue" in code) == bool(modules), "code where there is a message, and only there"
    script = code.replace(BROKER, '"memory://"').replace(
        "consumer.run()", "assert consumer.run(max_messages=1) in (0, 1)"
    )
    done = run(out, f"{script}\nimport {package}\nprint(*{package}.__all__)")
    assert done.returncode == 0, done.stderr + script
    exported = done.stdout.splitlines()[-1].split()
    mentioned = set(re.findall(r"\b\w+Producer\b", about))
    assert mentioned <= set(exported)
    assert ("Producer" in about) == any(name.endswith("Producer") for name in set(exported) - {"AsyncProducer"})


def test_what_the_docstring_of_init_sends_arrives(tmp_path: Path) -> None:
    registry, options = of_init(tmp_path)
    write(tmp_path / "src", "python", python.files(registry, options))
    write_runtime(tmp_path / "src")
    about = docstring_of(tmp_path / "src", "messages")
    code = textwrap.dedent("\n".join(line for line in about.splitlines() if line.startswith("    ") or not line))
    done = run(tmp_path / "src", code.replace(BROKER, '"memory://"').replace(".run()", ".run(max_messages=1)"))
    assert (done.stdout.split()[:1], done.stderr) == (["1"], "")


def test_one_more_field_leaves_the_docstring_as_it_is() -> None:
    more = PLAIN.replace("properties: {", "required: [a], properties: {b: {type: string}, ")
    texts = [
        next(
            file.text
            for file in python.files(in_memory({"shop/made": lines}), {})
            if file.path.endswith("/__init__.py")
        )
        for lines in (PLAIN, more)
    ]
    assert texts[0] == texts[1]


NAME = "a-context-with-a-long-name/and.a.name.of.many.words.that.says.all"
KIND, REQUIRED = "value_0_" + "v" * 30, "r" * 60
DEEP = {"type": "array", "items": {"type": "object", "properties": {"deep_" * 8: {"type": "string"}}}}
WIDE: dict[str, Any] = {
    "status": "deprecated",
    "sunset": "2099-01-01",
    "description": 'Words, and a word of \\\\ backslashes and """ quotes. ' * 6 + "x" * 300,
    "queue": "q" * 100,
    "data": {
        "type": "object",
        "required": ["kind", REQUIRED],
        "properties": {
            "kind": {"enum": [KIND.replace("0", str(n)) for n in range(9)], "description": "d " * 200},
            REQUIRED: {"type": "string", "pattern": f"^{'[a-z]' * 60}$"},
            "key " * 18: {"type": "string"},
            "odd key " * 9: {"enum": list(range(3)) + [f"w{n}" * 12 for n in range(9)]},
            "either": {
                "oneOf": [
                    {
                        "type": "object",
                        "title": f"Either{n}" * 4,
                        "required": ["k"],
                        "properties": {"k": {"const": f"one_{n}" * 4}},
                    }
                    for n in range(6)
                ]
            },
            "nested": {"type": "array", "items": {"type": "object", "additionalProperties": DEEP}},
        },
    },
    "examples": [{"kind": KIND, REQUIRED: "abc" * 60}],
}


WIDTHS = [
    pytest.param(lambda: load.registry(EXAMPLE), id="the example"),
    pytest.param(
        lambda: in_memory({NAME: "".join(f"{key}: {json.dumps(value)}\n" for key, value in WIDE.items())}),
        id="one where everything is long",
    ),
]


@pytest.mark.parametrize("models", ["pydantic", "typeddict"])
@pytest.mark.parametrize("registry", WIDTHS)
def test_no_line_of_generated_python_is_longer_than_120(
    tmp_path: Path, registry: Callable[[], Registry], models: str
) -> None:
    made = list(python.files(registry(), {"models": models}))
    assert long_lines(made) == []
    write(tmp_path, "python", made)
    write_runtime(tmp_path)
    names = [Path(file.path).stem for file in made if file.path.count("/") == 1 and file.path.endswith(".py")]
    imports = "\n".join(f"import messages.{name}" for name in names if name != "__init__")
    assert run(tmp_path, f"import messages\n{imports}").stderr == ""


@pytest.mark.parametrize("registry", WIDTHS)
def test_no_line_of_generated_spark_code_is_longer_than_120(tmp_path: Path, registry: Callable[[], Registry]) -> None:
    made = list(spark.files(registry(), {}))
    assert long_lines(file for file in made if file.path.endswith(".py")) == []
    for file in made:
        if file.path.endswith(".py"):
            ast.parse(file.text)


def long_lines(files: Any) -> list[tuple[str, str]]:
    """The lines that could be shorter: a stub repeats a name on its line, and pip reads a requirement on one."""

    def of(file: File) -> list[tuple[str, str]]:
        lines = [line for line in file.text.splitlines() if len(line) > 120 and not file.path.endswith(".txt")]
        return [(file.path, line) for line in lines if not re.fullmatch(r" +(\w+) as \1,", line)]

    return [one for file in files for one in of(file)]
