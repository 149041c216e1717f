"""Lexers of programming languages: for each a pattern whose matches are the comments and strings of a file.

Every pattern reads a text once: an unterminated token ends at the end of the line or of the file, so matching takes
linear time for any input. A file of an unknown language is plain text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

_words = str.split
_SLASHES = r"(?P<c1>//[^\n]*)|(?P<c2>/\*.*?(?:\*/|\Z))"
_HASH = r"(?P<c3>\#[^\n]*)"
_DOUBLE = r'(?P<s1>"(?:[^"\\\n]|\\.)*+"?)'
_SINGLE = r"(?P<s2>'(?:[^'\\\n]|\\.)*+'?)"
_CHARACTER = r"(?P<c4>'(?:[^'\\\n]|\\.[^'\n]{0,8})')"
_TRIPLE = r'(?P<s3>"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z))'
_TRIPLE_SINGLE = r"(?P<s4>'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\Z))"
_TEMPLATE = r"(?P<s5>`(?:[^`\\]|\\.)*+`?)"
_RAW = r"(?P<s6>`[^`]*+`?)"
_VERBATIM = r'(?P<s7>\$?@\$?"(?:[^"]|"")*+"?)'
_HEREDOC = r"""(?P<s8><<<[ \t]*(?P<quote>['"]?)(?P<end>\w++)(?P=quote)[^\n]*+\n.*?(?:\n[ \t]*(?P=end)\b|\Z))"""
# A regular expression of JavaScript where no quotient can be; bounded, since a text that is not one costs time.
_PATTERN = (
    r"(?P<c5>(?:(?<=[(,=:\[!&|?{};~^+*%<>-])|(?<=return))[ \t]*+"
    r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/)"
)
_LINES = (r'(?P<s1>"(?:[^"\\]|\\.)*+"?)', r"(?P<s2>'(?:[^'\\]|\\.)*+'?)")


@dataclass(frozen=True, slots=True)
class Language:
    """Lexer of one language: ``tokens`` matches a comment (groups c…) or a string (groups s…). None: plain text.

    ``joins`` are the operators that concatenate two strings; with ``adjacent``, strings next to each other are
    concatenated, too. ``remark`` matches the start of a comment in plain text.
    """

    name: str
    tokens: re.Pattern[str] | None
    joins: tuple[str, ...] = ("+",)
    adjacent: bool = False
    remark: re.Pattern[str] | None = None


def _tokens(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.DOTALL)


@cache
def _languages() -> dict[str, Language]:
    c_like = Language("c", _tokens(_SLASHES, _TRIPLE, _DOUBLE, _CHARACTER))
    csharp = Language("csharp", _tokens(_SLASHES, _VERBATIM, _TRIPLE, _DOUBLE, _CHARACTER))
    go = Language("go", _tokens(_SLASHES, _DOUBLE, _RAW, _CHARACTER))
    script = Language("javascript", _tokens(_SLASHES, _PATTERN, _TEMPLATE, _DOUBLE, _SINGLE))
    php = Language("php", _tokens(_SLASHES, r"(?P<c3>\#(?!\[)[^\n]*)", _HEREDOC, *_LINES), ("+", "."))
    python = Language("python", _tokens(_HASH, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE), ("+", "%"), adjacent=True)
    ruby = Language("ruby", _tokens(r"(?P<c3>\#(?!\{)[^\n]*)", _DOUBLE, _SINGLE), ("+", "%"), adjacent=True)
    shell = Language("shell", _tokens(r"(?P<c3>(?<!\S)\#[^\n]*)", _DOUBLE, r"(?P<s2>'[^'\n]*+'?)"))
    sql = Language("sql", _tokens(r"(?P<c1>--[^\n]*)", r"(?P<c2>/\*.*?(?:\*/|\Z))", _DOUBLE, _SINGLE), ("||", "+"))
    return {
        **dict.fromkeys(_words("java kt kts scala groovy gradle swift rs c h cc cpp hpp m dart proto"), c_like),
        **dict.fromkeys(_words("cs csx fs vb"), csharp),
        "go": go,
        **dict.fromkeys(_words("js mjs cjs jsx ts mts cts tsx vue svelte"), script),
        **dict.fromkeys(_words("php phtml"), php),
        **dict.fromkeys(_words("py pyi pyw"), python),
        **dict.fromkeys(_words("rb rake ex exs"), ruby),
        **dict.fromkeys(_words("sh bash zsh"), shell),
        "sql": sql,
    }


@cache
def _plain() -> dict[str, Language]:
    hashes = Language("settings", None, remark=re.compile(r"(?:^|(?<=\s))[#;]"))
    markup = Language("markup", None, remark=re.compile(r"<!--"))
    data = Language("data", None, remark=re.compile(r"(?!)"))
    return {
        **dict.fromkeys(_words("yaml yml toml ini cfg conf env properties tf hcl tfvars neon"), hashes),
        **dict.fromkeys(_words("xml csproj config plist xaml"), markup),
        **dict.fromkeys(_words("json jsonl json5 ipynb csv tsv"), data),
    }


def language_of(path: str) -> Language:
    """Return the language of the file ``path``, by its name alone."""
    name = PurePosixPath(path).name.lower()
    suffix = name.rpartition(".")[2]
    if suffix in _languages():
        return _languages()[suffix]
    if name.startswith(".env") or name in ("dockerfile", "makefile", "procfile"):
        suffix = "env"
    return _plain().get(suffix) or _TEXT


_TEXT = Language("text", None, remark=re.compile(r"^\s*(?:#|//|\*|--|;|<!--|/\*)"))
