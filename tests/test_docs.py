"""README.md and docs/ show what really happens: command blocks are run, tables are generated from the code."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path

import commands
import pytest
from each import each

from babelreg.containment.certificates.rules import RULES
from babelreg.load.registry import file_validation

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "tools"
RENEW = "out of date: python tools/docs.py --write"


def _tool(name: str):
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


command_blocks = _tool("command_blocks")
reference = _tool("reference")
docs = _tool("docs")
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text("utf-8") for page in docs.PAGES}
SPARK = re.compile(r"^babelreg spark (?!.*--dry-run)", re.MULTILINE)


def _with_blocks():
    for path, text in TEXTS.items():
        if command_blocks.BLOCK.search(text):
            starts_java = any(SPARK.search(command) for command in command_blocks.commands(text))
            yield pytest.param(text, id=path, marks=[pytest.mark.spark] if starts_java else [])


@pytest.mark.parametrize("text", [*_with_blocks()])
def test_the_commands_of_a_page_print_what_it_shows(text, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    assert command_blocks.renew(text, home, commands.words()) == text, RENEW


@pytest.mark.parametrize("path", [path for path, text in TEXTS.items() if docs.GENERATED.search(text)])
def test_the_tables_of_a_page_are_those_of_the_code(path):
    assert docs.generated(TEXTS[path]) == TEXTS[path], RENEW


def test_every_table_is_in_a_page():
    shown = [name for text in TEXTS.values() for _, name, _ in docs.GENERATED.findall(text)]
    assert sorted(shown) == sorted(reference.TABLES)


def test_every_rule_of_proofs_states_its_premises_and_why_it_is_sound(monkeypatch):
    rows = [row.split(" | ") for row in reference.TABLES["rules of proofs"]().splitlines()[2:]]
    assert [row[0] for row in rows] == [f"| `{name}`" for name in RULES]
    assert all(len(row) == 4 and all(cell.strip("| ") for cell in row) for row in rows)
    monkeypatch.setitem(RULES, "types", lambda *_: [])
    with pytest.raises(ValueError, match="does not state its premises"):
        reference.TABLES["rules of proofs"]()


def _page(*commands: str, text: str = "In a new folder, `shop`:") -> str:
    lines = "".join(f"{command}\n" for command in commands)
    return f"{text}\n\n```sh\n{lines}```\n"


START = "mkdir shop && cd shop"


@pytest.mark.parametrize(
    "page, error",
    [
        pytest.param(_page("ls"), "the first command is not", id="it makes no folder"),
        pytest.param(_page("mkdir shop && cd tour"), "the first command is not", id="it enters another folder"),
        pytest.param(_page(START, text="Look:"), "does not name the folder `shop`", id="the text names no folder"),
        pytest.param(_page(START, "$ ls"), "a command has a prompt", id="a prompt, which a reader copies"),
        pytest.param(_page(START, "sed -i s/a/b/ x"), "uses sed", id="it edits by sed"),
        pytest.param(_page(START, "ls | sed s/a/b/"), "uses sed", id="it edits output by sed"),
        pytest.param(_page(START, "ls  # all"), "an interactive shell", id="a comment, which zsh refuses"),
        pytest.param(_page(START, "echo wow!"), "an interactive shell", id="a history expansion"),
        pytest.param(_page(START, "babelreg mint urn:babel:a:b"), "asks for the sunset", id="it asks a question"),
        pytest.param(_page(START, "cd /"), "leaves its folder", id="it goes elsewhere"),
        pytest.param(_page(START, "cd ~/babelreg && ls"), "leaves its folder", id="it goes into a clone"),
        pytest.param(
            _page(START, "cd .. && touch a.txt"), "writes outside its folder `shop`: a.txt", id="it writes above"
        ),
        pytest.param(
            _page(START, "exit 1") + _page("ls"), "the shell ended after 1 of 2 blocks", id="it ends the shell"
        ),
        pytest.param(_page(START, "python -c 'import no_such'"), "a command crashed", id="it shows a crash"),
        pytest.param(
            _page(START, "echo 'babelreg: this is a bug in babelreg 0'"), "a command crashed", id="it shows a bug"
        ),
    ],
)
def test_a_page_that_a_reader_could_not_paste_is_refused(page, error, tmp_path):
    with pytest.raises(command_blocks.PageError, match=re.escape(error)):
        command_blocks.renew(page, tmp_path)


@each("path", [ROOT / "CONTRIBUTING.md", *docs.PAGES], ids=lambda path: path.name)
def test_no_block_has_a_prompt_that_a_reader_copies(path):
    blocks = re.findall(r"^```(?!output)[a-z]*\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert [block for block in blocks if re.search(r"^(?:\$|>>>) ", block, re.MULTILINE)] == []


def test_no_command_but_mint_asks_a_question():
    asking = re.compile(r"click\.(?:prompt|confirm|getchar|pause)\(|\binput\(")
    modules = [path.stem for path in (ROOT / "babelreg").rglob("*.py") if asking.search(path.read_text("utf-8"))]
    assert modules == ["mint"]


def test_the_blocks_of_a_page_share_one_shell(tmp_path):
    page = _page(START, "word=hello && mkdir below && cd below") + _page("echo $word && pwd")
    assert "```sh\necho $word && pwd\n```\n\n```output\nhello\n~/shop/below\n```\n" in command_blocks.renew(
        page, tmp_path
    )


def test_a_heredoc_and_output_on_stderr_keep_their_place(tmp_path):
    page = _page(START, "cat > a.txt <<'END'\n$ not a command\nEND", "cat a.txt; cat b.txt 2>&1 | cut -c1-4")
    assert "b.txt 2>&1 | cut -c1-4\n```\n\n```output\n$ not a command\ncat:\n```\n" in command_blocks.renew(
        page, tmp_path
    )


FORMATS = (*file_validation.FORMATS, "service-repo", "lock")
KEYS = {name: list(reference.keys(json.loads(file_validation.schema_text(name)))) for name in FORMATS}


@pytest.mark.parametrize("name", FORMATS)
def test_every_key_of_a_file_is_described(name):
    assert [path for path, node, _ in KEYS[name] if not node.get("description")] == []
    section = TEXTS["docs/registry.md"].partition(f"<!-- generated: keys of {name} -->")[2].partition("<!-- /")[0]
    assert [path for path, _, _ in KEYS[name] if f"\n| `{path}` |" not in section] == []


def test_the_keys_are_those_of_the_whole_schema():
    def named(node):
        if isinstance(node, dict):
            properties = node.get("properties")
            if isinstance(properties, dict):
                yield from (key for key, below in properties.items() if below is not False)
            for key, below in node.items():
                yield from named(below if key != "if" else None)
        elif isinstance(node, list):
            for below in node:
                yield from named(below)

    for name, keys in KEYS.items():
        listed = {re.split(r"\.|\[\]\.", path)[-1] for path, _, _ in keys}
        assert set(named(json.loads(file_validation.schema_text(name)))) == listed, name


NOT_ANNOTATIONS = {
    *("x-attempts", "x-schema-version", "x-source-lang", "x-tenant"),
    *("x-max-length", "x-overflow", "x-dead-letter-exchange", "x-dead-letter-routing-key", "x-dead-letter-strategy"),
    *("x-acquired-count", "x-death", "x-delivery-count", "x-queue-type"),
    *("x-received-from", "x-shovelled"),
    "x-removed",
}
"""Headers and queue arguments of AMQP, a name for an extension of meta, and a keyword of the schemas of our own files."""
EXPORTED = ("x-babel-", "x-babelreg-", "x-known-values", "x-one-of", "x-generated")
"""Members of exported documents, which docs/export.md describes; no registry has them."""


def test_every_annotation_of_a_schema_is_described():
    pattern = re.compile(r"[\"'](x-[a-z]+(?:-[a-z]+)*)[\"']")
    used = {name for path in (ROOT / "babelreg").rglob("*.py") for name in pattern.findall(path.read_text("utf-8"))}
    assert used >= {"x-unit", "x-open-enum", "x-gdpr-sensitive"}
    annotations = {name for name in used - NOT_ANNOTATIONS if not name.startswith(EXPORTED)}
    assert [name for name in sorted(annotations) if f"| `{name}` |" not in TEXTS["docs/registry.md"]] == []


def test_the_architecture_names_every_folder():
    folders = {path.parent.name for path in (ROOT / "babelreg").glob("*/__init__.py")}
    assert [name for name in sorted(folders) if f"`{name}/`" not in TEXTS["docs/architecture.md"]] == []


def test_the_readme_is_short_and_its_links_lead_somewhere():
    text = TEXTS["README.md"]
    assert len(text.splitlines()) <= 220
    for verb in ("lint", "breaking", "mint", "gen", "validate", "lake"):
        assert f"\n### {verb}\n" in text
        assert re.search(rf"^babelreg {verb}\b", text, re.MULTILINE)
    links = [link.partition("#")[0] for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text)]
    assert [link for link in links if not (ROOT / link).is_file()] == []
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} - set(links) == set()


def test_the_command_line_checks_and_renews_a_page(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(_page(START, "echo new") + "\n```output\nold\n```\n", "utf-8")
    assert docs.main(["--check", str(page)]) == 1
    assert f"out of date: {page}" in capsys.readouterr().out
    assert docs.main(["--write", str(page)]) == 0
    assert "echo new\n```\n\n```output\nnew\n```\n" in page.read_text("utf-8")
    assert docs.main(["--check", str(page)]) == 0
