"""How source files are spelled: for each kind a pattern of tokens, of which each is a comment or a string.

Every pattern goes once through a text, whatever the text is: what opens is taken to its end or to the end of the line
(of the file), so that nothing is looked at twice. A file of no known kind is plain text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

__all__ = ["Language", "language_of"]

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
# A pattern of JavaScript where no quotient can stand; bounded, since what is no pattern is looked at for nothing.
_PATTERN = (
    r"(?P<c5>(?:(?<=[(,=:\[!&|?{};~^+*%<>-])|(?<=return))[ \t]*+"
    r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/)"
)
_LINES = (r'(?P<s1>"(?:[^"\\]|\\.)*+"?)', r"(?P<s2>'(?:[^'\\]|\\.)*+'?)")


@dataclass(frozen=True, slots=True)
class Language:
    """``tokens`` matches one comment (groups c…) or string (groups s…). None: plain text, read line by line.

    ``joins`` is what puts two strings together when it stands between them. ``adjacent``: so does nothing at all.
    ``remark`` opens a comment in plain text.
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
    """How the file ``path`` is spelled, by its name alone."""
    name = PurePosixPath(path).name.lower()
    suffix = name.rpartition(".")[2]
    if suffix in _languages():
        return _languages()[suffix]
    if name.startswith(".env") or name in ("dockerfile", "makefile", "procfile"):
        suffix = "env"
    return _plain().get(suffix) or _TEXT


_TEXT = Language("text", None, remark=re.compile(r"^\s*(?:#|//|\*|--|;|<!--|/\*)"))
