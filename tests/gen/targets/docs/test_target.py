from __future__ import annotations

import os
import posixpath
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from generated import MYPY, write_runtime

from babelreg import load
from babelreg.gen.target import files_by_path
from babelreg.gen.targets.docs import target as docs
from babelreg.gen.targets.python import target as python
from babelreg.gen.write import write
from babelreg.model import Registry

pytestmark = pytest.mark.mypy

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "registry.example"
GOLDEN = ROOT / "tests" / "golden" / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\\)\]\(([^)]*)\)")
BROKER = 'BabelQueue("redis://localhost:6379/0")'
HOSTILE = (
    "</td><script>alert(1)</script> | `x` [a](javascript:alert(1)) ![](http://e/x.png) <!-- --> *b* $x$ &lt; http://e/"
)


def in_memory(files: dict[str, str]) -> Registry:
    plain = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: team-orders\n", **files}
    return load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in plain.items()}))


def message(more: str = "", urn: str = "urn:babel:orders:created") -> str:
    return f"urn: {urn}\nkind: event\nstatus: active\nowner: team-orders\nproducers: [orders-api]\n{more}"


def texts(registry: Registry, options: dict[str, Any] | None = None) -> dict[str, str]:
    return {path: file.text for path, file in files_by_path(docs.files(registry, options or {})).items()}


def run(folder: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Python in ``folder``, without this repository on its path unless ``env`` says so."""
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    return subprocess.run(
        [sys.executable, *args], cwd=folder, env={**settings, **env}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "_personal-data.md",
        "_personal-data.json",
        "orders/README.md",
        "orders/created.md",
        "orders/created.v2.md",
        "_services/billing-worker.md",
        "llms.txt",
    ],
)
def test_what_a_user_reads(path: str) -> None:
    text = texts(load.registry(EXAMPLE))[path]
    golden = GOLDEN / path
    if os.environ.get("BABELREG_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


def test_a_page_says_what_a_consumer_expects() -> None:
    service = """\
owner: team-crm
consumes:
  - urn: urn:babel:orders:created
    reads: [id]
    expects: {id: {minimum: 1}, state: {enum: ["a|b"]}}
"""
    body = message("data: {type: object, properties: {id: {type: integer}, state: {type: string}}}\n")
    page = texts(in_memory({"orders/created.yaml": body, "_services/crm.yaml": service}))["orders/created.md"]
    assert "| Fields it reads | What it expects |" in page
    assert '`id`: `{"minimum": 1}`' in page
    assert "a|b" not in page.split("What it expects")[1].split("\n\n")[0]


def test_there_is_a_page_for_every_message_context_and_service() -> None:
    pages = set(texts(load.registry(EXAMPLE)))
    messages = {path.relative_to(EXAMPLE).with_suffix(".md").as_posix() for path in EXAMPLE.glob("[a-z]*/[a-z]*.yaml")}
    services = {f"_services/{path.stem}.md" for path in EXAMPLE.glob("_services/*.yaml")}
    contexts = {f"{path.parent.name}/README.md" for path in EXAMPLE.glob("*/_context.yaml")}
    personal = {"_personal-data.md", "_personal-data.json"}
    assert pages == {"README.md", "llms.txt"} | personal | services | contexts | (
        messages - {"orders/placed.md"}
    )  # that one is retired


def test_every_link_leads_to_a_page() -> None:
    pages = texts(load.registry(EXAMPLE))
    for path, text in pages.items():
        for target in LINK.findall(re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)):
            if not target.startswith("https://"):
                assert posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) in pages, (path, target)


def test_many_contexts_of_one_message_share_a_table() -> None:
    files = {}
    for name in "abcdefghij":
        files[f"{name}/_context.yaml"] = "owner: t\n"
        files[f"{name}/created.yaml"] = message(urn=f"urn:babel:{name}:created") + "data: {type: object}\n"
    files["j/paid.yaml"] = message(urn="urn:babel:j:paid") + "data: {type: object}\n"
    index = texts(in_memory(files))["README.md"]
    assert re.findall("^## (.*)", index, re.MULTILINE) == [
        "[j](j/README.md)",
        "[orders](orders/README.md)",
        "Contexts of one message",
        "See also",
    ]
    assert "| [a](a/README.md) | [`a:created`](a/created.md) |" in index
    del files["a/_context.yaml"], files["a/created.yaml"]
    assert "Contexts of one message" not in texts(in_memory(files))["README.md"]


@pytest.fixture(scope="module", params=["pydantic", "typeddict", "pydantic, typed"])
def scripts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the generated package ``messages`` and, per page, the two scripts that the page shows."""
    out = tmp_path_factory.mktemp("shown")
    models, _, typed = str(request.param).partition(", ")
    options = {"models": models, "formats": typed or "text"}
    written = load.registry(EXAMPLE)
    services = {name: service._replace(lang="python") for name, service in written.services.items()}
    registry = replace(written, settings=written.settings._replace(gen={"python": options}), services=services)
    write(out, "python", python.files(registry, options))
    write_runtime(out)
    for path, text in texts(registry).items():
        for number, code in enumerate(BLOCK.findall(text)):
            (out / f"{re.sub('[^a-z0-9]', '_', path)}_{number}.py").write_text(code, "utf-8")
    return out


def test_the_python_on_every_page_runs(scripts: Path) -> None:
    sends = sorted(scripts.glob("*_0.py"))
    assert len(sends) == 10
    script = ["from babelqueue import BabelQueue", "app = BabelQueue('memory://')"]
    for send in sends:
        handle = send.with_name(send.name.replace("_0.py", "_1.py"))
        for shown in (send, handle):
            code = shown.read_text("utf-8")
            assert code.count(BROKER) == 1
            script.append(
                code.replace(BROKER, "app").replace("consumer.run()", "assert consumer.run(max_messages=1) == 1")
            )
    found = run(scripts, "-c", "\n".join(script))
    assert found.returncode == 0, found.stderr
    assert len(found.stdout.splitlines()) == len(sends)


def test_the_python_on_every_page_passes_mypy_and_ruff(scripts: Path) -> None:
    shown = sorted(path.name for path in scripts.glob("*_[01].py"))
    for args in (
        [*MYPY, "--scripts-are-modules", *shown],
        [
            "-m",
            "ruff",
            "check",
            "--isolated",
            "--no-cache",
            "--select",
            "E,F,W,I",
            "--config",
            "line-length=120",
            *shown,
        ],
        ["-m", "ruff", "format", "--check", "--isolated", "--no-cache", *shown],
    ):
        found = run(scripts, *args)
        assert found.returncode == 0, found.stdout + found.stderr


def test_no_text_of_the_registry_is_live() -> None:
    quoted = "'" + HOSTILE.replace("'", "''") + "'"
    data = f"""description: {quoted}
queue: {quoted}
data:
  type: object
  properties:
    {quoted}: {{type: string, description: {quoted}, pattern: {quoted}, x-unit: {quoted}, enum: [{quoted}]}}
    b: {{type: string, x-gdpr-sensitive: {quoted}, default: {quoted}, format: {quoted}}}
examples: [{{b: {quoted}}}]
counterexamples: [{{because: {quoted}, data: {quoted}}}]
"""
    service = f"owner: {quoted}\nlang: php\nrepo: 'javascript:alert(1)'\ncontact: {quoted}\ndescription: {quoted}\n"
    registry = in_memory(
        {
            "orders/created.yaml": message(data),
            "orders/_context.yaml": f"owner: {quoted}\ndescription: {quoted}\ncontact: {quoted}\n",
            "_services/orders-api.yaml": service,
        }
    )
    assert [defect.rule for defect in registry.defects] == []
    pages = texts(registry, {"title": HOSTILE})
    assert pages.pop("_personal-data.json").isascii()
    for path, text in pages.items():
        outside = re.sub(r"^(`{3,})[a-z]*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
        body, headers = re.subn(r"^<!-- Generated by babelreg[^>]* -->$", "", outside, flags=re.MULTILINE)
        assert headers == 1
        assert set(re.findall(r"<[^>]*>?", body)) <= {"<code>", "</code>"}, path
        assert all(re.fullmatch(r"[\w./-]+\.md", target) for target in LINK.findall(body)), path
        assert rendered(text) <= {
            "a",
            "code",
            "strong",
            "pre",
            "p",
            "h1",
            "h2",
            "h3",
            "ul",
            "li",
            "blockquote",
            *TABLE,
        }, path


TABLE = ("table", "thead", "tbody", "tr", "th", "td")


def rendered(text: str) -> set[str]:
    """The HTML elements that a Markdown renderer makes of a page. Empty where no renderer is installed."""
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        return set()
    shown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    assert "javascript:" not in re.sub(r"<code.*?</code>|>[^<]*<", "", shown, flags=re.DOTALL)
    return set(re.findall(r"<([a-z][a-z0-9]*)", shown))


@pytest.mark.parametrize(
    "repo, shown",
    [
        pytest.param("https://git.example.com/a/b", "[git.example.com/a/b](https://git.example.com/a/b)", id="https"),
        pytest.param("javascript:alert(1)", "`javascript:alert(1)`", id="a script"),
        pytest.param("https://e.com/a) [x](b", "[e.com/a) \\[x\\](b](https://e.com/a%29%20%5Bx%5D%28b)", id="brackets"),
        pytest.param("git@example.com:a/b.git", "`git@example.com:a/b.git`", id="no web address"),
    ],
)
def test_only_web_addresses_are_links(repo: str, shown: str) -> None:
    registry = in_memory({"_services/orders-api.yaml": f"owner: t\nlang: php\nrepo: '{repo}'\n"})
    assert f"| {shown} |" in texts(registry)["_services/orders-api.md"]


def test_one_more_field_changes_that_messages_page_alone() -> None:
    before = {
        "orders/created.yaml": message("data: {type: object, properties: {a: {type: string}}}\n"),
        "orders/placed.yaml": message("data: {type: object}\n", "urn:babel:orders:placed"),
        "_services/orders-api.yaml": "owner: t\nlang: php\n",
    }
    after = {**before, "orders/created.yaml": before["orders/created.yaml"].replace("{a:", "{b: {}, a:")}
    old, new = texts(in_memory(before)), texts(in_memory(after))
    assert {path for path in new if old[path] != new[path]} == {"orders/created.md"}


def test_a_message_that_says_little_still_has_a_page() -> None:
    text = texts(
        in_memory(
            {"orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\nowner: t\ndata: {type: object}\n"}
        )
    )["orders/created.md"]
    assert "Its schema declares no fields." in text
    assert "No service declares that it sends this message." in text
    assert "OrdersCreatedProducer(app).send(OrdersCreated())" in text


def test_an_example_that_the_classes_do_not_spell_is_sent_as_json() -> None:
    data = "data: {type: object, properties: {class: {type: string}}}\nexamples: [{class: a, free: [1]}]\n"
    text = texts(in_memory({"orders/created.yaml": message(data)}))["orders/created.md"]
    assert 'OrdersCreated.model_validate(\n        {"class": "a", "free": [1]},\n    ),' in text


def test_a_long_example_is_cut_and_the_rest_counted() -> None:
    data = "data: {type: object}\nexamples: [" + ", ".join("{a: [" + "1, " * 3000 + "1]}" for _ in range(6)) + "]\n"
    text = texts(in_memory({"orders/created.yaml": message(data)}))["orders/created.md"]
    assert text.count("\n…\n```") >= 4
    assert "2 more in `orders/created.yaml`." in text
