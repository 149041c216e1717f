"""The layout changes how a file looks and never what it says; no comment is lost; laid out twice is laid out once."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import growth

from babelreg.load.files.defect import Defect
from babelreg.load.registry import file_validation
from babelreg.load.service import starter
from babelreg.load.yaml import parser
from babelreg.load.yaml.comment_tree import outline
from babelreg.load.yaml.formatter import LayoutError, formatted
from babelreg.load.yaml.key_order import neighbour, role_named

HERE = Path(__file__).parents[1]
EXAMPLE = HERE.parents[1] / "registry.example"


def _texts():
    found = importlib.util.spec_from_file_location("yaml_texts", HERE / "yaml_texts.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


Text = _texts().Text


def role_of(path: Path) -> str:
    names = {"babelreg.yaml": "settings", "_context.yaml": "context"}
    folders = {"_services": "service", "_common": "schema"}
    return names.get(path.name) or folders.get(path.parent.name, "message")


@pytest.mark.parametrize(
    "before, after",
    [
        pytest.param("b:   1\n", "b: 1\n", id="one space behind a colon"),
        pytest.param("a: 1", "a: 1\n", id="a line feed at the end"),
        pytest.param("\n\na: 1\n\n\n\nb: 1\n\n\n", "a: 1\n\nb: 1\n", id="one blank line at most, none around the file"),
        pytest.param("a: 1   \nb: 2\t\n", "a: 1\nb: 2\n", id="no white space at the end of a line"),
        pytest.param("a:\n    b:\n         c: 1\n", "a:\n  b:\n    c: 1\n", id="two spaces a level"),
        pytest.param("a:\n- 1\n- - 2\n", "a:\n  - 1\n  - - 2\n", id="lists are indented"),
        pytest.param("a:\n-   b: 1\n    c: 2\n", "a:\n  - b: 1\n    c: 2\n", id="a mapping starts beside its dash"),
        pytest.param("a: [1,2 ,  {b: c,d: }]\n", "a: [1, 2, {b: c, d: null}]\n", id="brackets are spaced"),
        pytest.param("a: [\n  1,\n  2,\n]\n", "a: [1, 2]\n", id="brackets that fit go on one line"),
        pytest.param("a:\n  - 1\n", "a:\n  - 1\n", id="what stands on lines stays on lines"),
        pytest.param(f"a: [{'x' * 60}, {'y' * 60}]\n", f"a:\n  - {'x' * 60}\n  - {'y' * 60}\n", id="brackets too wide"),
        pytest.param("a: { # why\n  b: 1, # x\n  # y\n}\n", "a:  # why\n  b: 1  # x\n  # y\n", id="brackets with comments"),
        pytest.param(f"# babelreg: allow x -- y\na: [{'x' * 70},{'y' * 70}]\n", f"# babelreg: allow x -- y\na: [{'x' * 70}, {'y' * 70}]\n", id="brackets with a waiver, which is about its line"),
        pytest.param("a: [ # why\n]\n", "a: []  # why\n", id="empty brackets with a comment"),
        pytest.param("a: 'x'\nb: \"z\"\n", "a: x\nb: z\n", id="no quotes around plain words"),
        pytest.param("a: 'no'\nb: '1'\nc: 'a: b'\n", 'a: "no"\nb: "1"\nc: "a: b"\n', id="double quotes where needed"),
        pytest.param("a: '^\\d+$'\nb: 'say \"x\"'\n", "a: '^\\d+$'\nb: 'say \"x\"'\n", id="single quotes where double ones need a backslash"),
        pytest.param("a: no\nb: 2027-01-01\nc: 1_000\nd: ~x\n", 'a: "no"\nb: "2027-01-01"\nc: "1_000"\nd: ~x\n', id="text that others take for something else"),
        pytest.param("a: true\nb: 1.50\nc: null\nd: ~\ne:\n", "a: true\nb: 1.50\nc: null\nd: ~\ne:\n", id="what is no text stays as spelled"),
        pytest.param("y: 1\n'n': 2\n200: 3\n", '"y": 1\n"n": 2\n"200": 3\n', id="keys too"),
        pytest.param('a: "\\u00e9\\n"\n', 'a: "\\u00e9\\n"\n', id="escapes stay"),
        pytest.param("a: |\n     x\n       y\n\n\nb: 1\n", "a: |\n  x\n    y\n\nb: 1\n", id="a block scalar moves as one"),
        pytest.param("a: |+\n  x\n\n\nb: 1\n", "a: |+\n  x\n\n\nb: 1\n", id="blank lines that are kept are its own"),
        pytest.param("a: |2-\n    x\n   y\n", "a: |2-\n    x\n   y\n", id="its own indent stays"),
        pytest.param("a: |\n  x", "a: |-\n  x\n", id="one that the file ends in"),
        pytest.param("a: one\n      two\n\n      three\n", "a: one\n  two\n\n  three\n", id="plain text over lines"),
        pytest.param('a: "one \\\n      two"\n', 'a: "one \\\n  two"\n', id="quoted text over lines"),
        pytest.param(f"a:\n    {'x ' * 60}\n", f"a:\n  {('x ' * 60).strip()}\n", id="text too wide for its key's line"),
        pytest.param("a:\n  x\n", "a: x\n", id="text that fits beside its key"),
        pytest.param("---\n# x\nb: 1\na: 2\n", "---\n# x\nb: 1\na: 2\n", id="the mark of a document stays"),
        pytest.param("? a\n: b\n? |\n  c\n: d\n", 'a: b\n"c\\n": d\n', id="keys written the long way"),
        pytest.param("", "", id="an empty file"),
        pytest.param("# only\n\n\n# comments\n", "# only\n\n# comments\n", id="a file of comments"),
    ],
)  # fmt: skip
def test_a_text_is_laid_out(before, after):
    assert formatted(before) == after
    assert formatted(after) == after
    windows = formatted(before.replace("\n", "\r\n"))
    assert windows == (after.replace("\n", "\r\n") if "\n" in before else after)


HEAD = "# yaml-language-server: $schema=x\n"


@pytest.mark.parametrize(
    "before, after",
    [
        pytest.param("a:\n  # of b\n  b: 1\n", "a:\n  # of b\n  b: 1\n", id="above a member"),
        pytest.param("a: # of a\n  b: 1 # of b\n", "a:  # of a\n  b: 1  # of b\n", id="behind a key and a value"),
        pytest.param("a:\n  b: 1\n  # end of a\nc: 2\n", "a:\n  b: 1\n  # end of a\nc: 2\n", id="at the end of a mapping"),
        pytest.param("a:\n   b:\n      c: 1\n      # c\n   # b\n# d\nd: 2\n", "a:\n  b:\n    c: 1\n    # c\n  # b\n# d\nd: 2\n", id="at the end of several"),
        pytest.param("a:\n  - b: 1\n    # of c\n    c: 2\n", "a:\n  - b: 1\n    # of c\n    c: 2\n", id="within an item"),
        pytest.param("a:\n  -\n    # of b\n    b: 1\n", "a:\n  # of b\n  - b: 1\n", id="between a dash and what it leads"),
        pytest.param("a:\n  - # x\n    b: 1\n", "a:\n  -  # x\n    b: 1\n", id="behind a dash"),
        pytest.param("a:\n  # why\n  x\n", "# why\na: x\n", id="between a key and its text"),
        pytest.param("a: 1\n# end\n", "a: 1\n# end\n", id="at the end of the file"),
        pytest.param("a: '# no comment' # one\n", 'a: "# no comment"  # one\n', id="beside what looks like one"),
        pytest.param("a: | # head\n  # text\n# below\n", "a: | # head\n  # text\n# below\n", id="around a block scalar"),
    ],
)  # fmt: skip
def test_a_comment_stays_with_what_it_belongs_to(before, after):
    assert formatted(before) == after
    assert formatted(after) == after


@pytest.mark.parametrize(
    "role, before, after",
    [
        pytest.param("message", "kind: event\nurn: x\n", "urn: x\nkind: event\n", id="the urn comes first"),
        pytest.param(
            "message",
            "data: {type: object}\n\n# of the urn\nurn: x # u\nx-b: 1\nx-a: 1\n",
            "# of the urn\nurn: x  # u\ndata: {type: object}\n\nx-b: 1\nx-a: 1\n".replace("\n\nx-b", "\nx-b"),
            id="comments go with their key, unknown keys last in their own order",
        ),
        pytest.param(
            "message", f"{HEAD}kind: event\nurn: x\n", f"{HEAD}urn: x\nkind: event\n", id="the first line stays first"
        ),
        pytest.param(
            "message",
            "# about the file\n# babelreg: allow x -- y\nkind: event\nurn: x\n",
            "# about the file\nurn: x\n# babelreg: allow x -- y\nkind: event\n",
            id="a remark for babelreg stays with its line",
        ),
        pytest.param(
            "message",
            "# about the file\n\n# about the kind\nkind: event\nurn: x\n",
            "# about the file\n\nurn: x\n# about the kind\nkind: event\n",
            id="so does what stands above a blank line",
        ),
        pytest.param(
            "message",
            "urn: x\ndata: {properties: {b: {description: B, type: string}, a: {maxLength: 2, type: string}}, type: object}\n",
            "urn: x\ndata: {type: object, properties: {b: {type: string, description: B}, a: {type: string, maxLength: 2}}}\n",
            id="keywords of schemas are ordered and names of properties are not",
        ),
        pytest.param(
            "schema",
            "oneOf:\n  - {description: A, const: {type: 1, $ref: 2}}\nrequired: [b, a]\nexamples: [{type: 1, $ref: 2}]\n",
            "examples: [{type: 1, $ref: 2}]\nrequired: [b, a]\noneOf:\n  - {const: {type: 1, $ref: 2}, description: A}\n",
            id="values are never ordered",
        ),
        pytest.param("service", "consumes: [{reads: [b, a], urn: x}]\nlang: go\n", "lang: go\nconsumes: [{urn: x, reads: [b, a]}]\n", id="a service"),
        pytest.param(
            "settings",
            "lint: {}\nwires:\n  strata: {B: {z: {post: u, request: u}, a: {}}, A: {}}\n  phpmq: {queues: {b: u, a: u}}\nversion: 1\n",
            "version: 1\nwires:\n  phpmq: {queues: {b: u, a: u}}\n  strata: {B: {z: {request: u, post: u}, a: {}}, A: {}}\nlint: {}\n",
            id="names of messages keep their order",
        ),
        pytest.param(
            "settings",
            "spark:\n  hold_above: {urn:b: 1%, urn:a: 2%, total: 5%}\n  engine: local\nwires: {}\nversion: 1\n",
            "version: 1\nwires: {}\nspark:\n  engine: local\n  hold_above: {total: 5%, urn:b: 1%, urn:a: 2%}\n",
            id="settings of spark",
        ),
        pytest.param("message", "upcast:\n  - rename: {b: c, a: b}\nurn: x\n", "urn: x\nupcast:\n  - rename: {b: c, a: b}\n", id="upcasts keep their order"),
    ],
)  # fmt: skip
def test_keys_come_in_the_order_that_people_expect(role, before, after):
    assert formatted(before, role) == after
    assert formatted(after, role) == after


@pytest.mark.parametrize(
    "text, says",
    [
        pytest.param("a: 1\nb: x\u2028y\n", "U[+]2028", id="a line separator"),
        pytest.param("a: 1\rb: 2\n", "U[+]000D", id="a carriage return alone"),
        pytest.param("%YAML 1.1\n---\na: 1\n", "%", id="a directive"),
    ],
)
def test_what_cannot_be_laid_out_is_refused(text, says):
    with pytest.raises(LayoutError, match=says):
        formatted(text)


@pytest.mark.parametrize("inner", ["[]", "{}", "x", "[x, y]", "{a: []}"])
@pytest.mark.parametrize("deep", [55, 58, 59, 60, 61, 100])
def test_brackets_deeper_than_the_line_is_wide_are_laid_out(inner, deep):
    held(f"a: {'[' * deep}{inner}{']' * deep}\n", "any")


@pytest.mark.parametrize("path", [p.relative_to(EXAMPLE).as_posix() for p in sorted(EXAMPLE.rglob("*.yaml"))])
def test_the_example_registry_is_laid_out(path):
    text = (EXAMPLE / path).read_text("utf-8")
    assert formatted(text, role_of(EXAMPLE / path)) == text


def test_a_new_registry_is_laid_out(tmp_path):
    files = starter.registry_files(tmp_path, "orders", "team orders: 1")
    starter.save(files)
    for path in files:
        if path.suffix == ".yaml":
            assert formatted(path.read_text("utf-8"), role_of(path)) == path.read_text("utf-8")


@pytest.mark.parametrize("name", file_validation.FORMATS)
def test_every_key_of_a_format_has_its_place(name):
    assert set(json.loads(file_validation.schema_text(name))["properties"]) == set(role_named(name).keys)


@pytest.mark.parametrize(
    "path, keys, key, behind",
    [
        pytest.param((), ["urn", "kind", "data"], "owner", "kind", id="a key of the message"),
        pytest.param(("data",), ["type", "properties"], "required", "type", id="a keyword"),
        pytest.param(("data", "oneOf", 0), ["properties"], "type", None, id="nothing comes before it"),
        pytest.param(("data", "properties"), ["type"], "required", None, id="a property may have any name"),
    ],
)
def test_a_new_key_has_a_neighbour(path, keys, key, behind):
    assert neighbour("message", path, keys, key) == behind


def _roles() -> list[str]:
    """The names of all roles: those of files, and of mappings below them."""
    found: set[str] = set()
    waiting = [*file_validation.FORMATS]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [role_named(name).other, *role_named(name).members.values()]
    return sorted(found)


ROLES = _roles()


def held(text: str, role: str) -> None:
    """The laws, for one text."""
    laid = formatted(text, role)
    assert json.dumps(parser.read(laid), sort_keys=True) == json.dumps(parser.read(text), sort_keys=True)
    told = outline(text.replace("\r\n", "\n")).comments()
    assert Counter(outline(laid.replace("\r\n", "\n")).comments()) == Counter(told)
    assert formatted(laid, role) == laid
    assert laid == "" or laid.endswith("\n")
    assert ("\r\n" in laid) == (text.count("\r\n") * 2 > text.count("\n"))


@settings(max_examples=fewer(70, 150), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(ROLES))
def test_the_laws_hold_for_all_that_people_write(seed, role):
    held(Text(Random(seed)).document(), role)


@pytest.mark.long
def test_the_laws_hold_a_hundred_thousand_times():
    for seed in range(100_000):
        held(Text(Random(seed)).document(), Random(seed).choice(ROLES))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(EXAMPLE.rglob("*.yaml"))), st.randoms(use_true_random=False))
def test_the_laws_hold_for_damaged_files(path, chance):
    lines = path.read_text("utf-8").split("\n")
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(lines))
        lines[at] = chance.choice(
            [
                f"{lines[at]} # x",
                f"  {lines[at]}",
                "",
                lines[at].strip(),
                f"# {lines[at]}",
                lines[at][:9],
                lines[at] * 2,
            ]
        )
    text = "\n".join(lines)
    try:
        parser.read(text)
    except Defect:
        return
    held(text, role_of(path))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("- " * 100 + "x\n", id="dashes within dashes"),
        pytest.param("- - {a: {b: [" + "y, " * 50 + "]}}\n", id="brackets that must be opened"),
        pytest.param("k:\n a:\n  b: 1\n  # c\n # d\n".replace("k", "k{n}"), id="comments below"),
    ],
)
def test_the_steps_grow_with_the_text_alone(text):
    def lay_out(count: int) -> None:
        formatted("".join(text.replace("{n}", str(n)) for n in range(count)))

    assert growth(lay_out, 10, 80) < 1.5
