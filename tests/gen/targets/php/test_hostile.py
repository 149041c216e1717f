"""Whatever a registry says, it stays inside the strings and comments of the PHP made from it."""

from __future__ import annotations

import re
from functools import cache

import hostile
import pytest
from each import each
from hypothesis import given, settings

from babelreg.gen.target import files_by_path
from babelreg.gen.targets.php import target

CASES = hostile.cases()

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\['\\]|[^'\\\n])*'|"(?:\\(?:["\\$]|u\{[0-9a-f]+\})|[^"\\$\n])*\"""", re.S
)
_NAME = r"[A-Z]\w*"
_TYPE = r"\??(?:[\w\\]+\|)*[\w\\]+"
_JSON = r"JsonType::\w+\((?:[\w\\:(),\ -]|S)*\)"
_LINE = re.compile(
    rf"""
    | <\?php | declare\(strict_types=1\); | namespace\ Messages(?:\\HostileCase\d+)?;
    | use\ Messages\\(?:JsonObject|JsonType); | final\ class\ {_NAME}\ extends\ (?:JsonObject|Message)(?:\ implements\ \w+,\ \w+)?
    | \{{ | \}} | \ {{4}}\{{ | \ {{4}}\}} | \ {{4}}public\ const\ [A-Z]\w*\ =\ S; | \ {{4}}protected\ const\ REQUIRED\ =\ \[(?:\];)?
    | \ {{8}}S, | \ {{4}}\];
    | \ {{4}}public\ function\ __construct\((?:\))? | \ {{8}}{_TYPE}\ \$[a-z]\w*, | \ {{4}}\)\ \{{
    | \ {{8}}parent::__construct\(\[(?:\]\);)? | \ {{12}}S\ =>\ \$[a-z]\w*, | \ {{8}}\]\);
    | \ {{4}}public\ function\ get{_NAME}\(\):\ {_TYPE} | \ {{8}}return\ \$this->value\(S\);
    | \ {{4}}public\ function\ with{_NAME}\({_TYPE}\ \$value\):\ self\ \{{\ return\ \$this->with\(S,\ \$value\);\ \}}
    | \ {{4}}public\ function\ has{_NAME}\(\):\ bool\ \{{\ return\ \$this->has\(S\);\ \}}
    | \ {{4}}public\ function\ without{_NAME}\(\):\ self\ \{{\ return\ \$this->without\(S\);\ \}}
    | \ {{4}}public\ function\ getBabelUrn\(\):\ string\ \{{\ return\ self::URN;\ \}}
    | \ {{4}}protected\ static\ function\ properties\(\):\ array | \ {{8}}return\ \[ | \ {{8}}\];
    | \ {{12}}S\ =>\ {_JSON},
    """,
    re.A | re.X,
)
# Tools take these for orders wherever they are in a comment.
_ORDERS = re.compile(r"@(?:phpstan|psalm|phpcs|suppress|noinspection|phan|codingStandards)", re.IGNORECASE)


@cache
def files():
    return files_by_path(target.files(hostile.registry(), {}))


def made(text: str) -> dict[str, str]:
    registry = hostile.registry({"x": (text, hostile.of_text(text))})
    return {
        path: file.text
        for path, file in files_by_path(target.files(registry, {})).items()
        if path.startswith("HostileCase0")
    }


def held_to_declarations(text: str) -> None:
    """Nothing but declarations is outside of comments and strings, and no comment has a tag or an order of its own."""
    text.encode("utf-8")
    assert hostile.unprintable(text) == set()
    assert text.startswith("<?php\n")
    assert "?>" not in "".join(re.findall(r"//[^\n]*", text.partition("declare(")[0]))
    rest = _TOKEN.sub(lambda match: "" if match[0].startswith("/") else "S", text)
    assert [line for line in rest.splitlines() if not _LINE.fullmatch(line.rstrip(" \t"))] == []
    comments = "\n".join(re.findall(r"/\*.*?\*/", _TOKEN.sub(_without_strings, text), re.S))
    assert set(re.findall(r"(?<![\w.+-])(?<!\\)@([a-z]*)", comments, re.A)) <= {"return", "param", "var", "deprecated"}
    assert not _ORDERS.search(comments)


def _without_strings(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("/*") else ""


def of_case(name: str) -> list[str]:
    prefix = f"HostileCase{list(CASES).index(name)}"
    return [file.text for path, file in files().items() if re.fullmatch(rf"{prefix}(?:/\w+)?\.php", path)]


@each("name", CASES)
def test_nothing_leaves_its_string_or_comment(name):
    texts = of_case(name)
    assert texts
    for text in texts:
        held_to_declarations(text)


_OWN = {
    "the end of a comment": "*/ system('true'); /*",
    "the end of PHP": "?> <?php system('true');",
    "the end of a string": "'; system('true'); $x = '",
    "the end of the other string": '"; system("true"); $x = "',
    "a variable in a string": "$x {$x->y} ${x}",
    "an escaped quote": "\\'; system('true'); //",
    "a backslash at the end": "trailing \\",
    "an attribute": "#[Attribute] x",
    "a heredoc": "<<<END\n{$x}\nEND;",
    "tags": "@var int $x\n@param string $y {@see x} (@return never)",
    "orders to tools": "@phpstan-ignore-next-line @psalm-suppress all x@phpstan-ignore-line",
    "a doctrine annotation": '@ORM\\Entity(repositoryClass="x")',
    "a name of a class": "\\stdClass",
}


@pytest.mark.parametrize("text", _OWN.values(), ids=list(_OWN))
def test_no_text_of_the_language_leaves_its_string_or_comment(text):
    for body in made(text).values():
        held_to_declarations(body)


@settings(max_examples=100, deadline=None)
@given(hostile.texts())
def test_no_text_leaves_its_string_or_comment(text):
    for body in made(text).values():
        held_to_declarations(body)


@pytest.mark.parametrize("path", ["Registry.php", "Handlers.php"])
def test_the_index_has_each_text_in_a_string_or_comment(path):
    text = files()[path].text
    text.encode("utf-8")
    assert hostile.unprintable(text) == set()
    assert hostile.CANARY not in _TOKEN.sub("", text)


@each("name", [name for name in CASES if name.startswith("names: ")])
def test_every_property_has_accessors_of_its_own(name):
    root = files()[f"HostileCase{list(CASES).index(name)}.php"].text
    names = [method.lower() for method in re.findall(r"(?m)^    public function (\w+)\(", root)]
    assert len(names) == len(set(names))  # PHP ignores their case
    properties = CASES[name][1]["properties"]
    for accessor in ("get", "has", "with", "without"):
        found = re.findall(rf"(?m)^    public function {accessor}([A-Z]\w*)\(", root)
        assert len(found) == len(properties) + (accessor == "get")  # getBabelUrn
