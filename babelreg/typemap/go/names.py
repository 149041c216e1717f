"""Go spelling of names and texts: field names, string literals, comments.

A type of a message is ``OrdersCreated``, a part of it ``OrdersCreated_Line``: all files of a package share one set of
names, and no message's own name has an underscore. Identifiers consist of ASCII letters, digits and underscores. All
other texts of a registry become string literals or comments here, in which characters that are invisible, or displayed
out of order, are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Set
from functools import lru_cache

from babelreg.model import Urn
from babelreg.typemap.names import class_name, in_ascii, is_plain, pascal, visible

_RESERVED = frozenset([
    *("BigInt", "Consumed", "Consumer", "Data", "Handle", "Inbox", "Inboxes", "Int", "Message", "NewInt", "NotNull"),
    *("Null", "Nullable", "Optional", "Payload", "Produced", "Publish", "Publisher", "Some"),
])  # fmt: skip
"""Exported names of the package besides those of messages."""

_OWN_MEMBERS = frozenset(["Extra", "MarshalJSON", "URN", "UnmarshalJSON"])
_INITIALISMS = frozenset(["API", "EAN", "HTML", "HTTP", "IBAN", "ID", "IP", "JSON", "SKU", "UID", "URI", "URL", "UUID"])
_PLAIN_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
_WORDS = re.compile(r"[A-Za-z0-9]+")
_SIMPLE = re.compile(r"[ !#-\[\]-~]*\Z")  # printable ASCII but the double quote and the backslash
_IN_TAG = re.compile(r"[A-Za-z0-9_. $@:-]*\Z")
_LONGEST = 100

# gofmt rewrites lists, headings and definitions of links in comments; tools read a paragraph that begins `Deprecated:`.
_MARKUP = re.compile(r"[-*+•#\[]|[0-9]+[.)]|Deprecated:|BUG\(")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_SENTENCE_END = (".", "!", "?", ":", ";", ",", "…", ")", "`", '"', "'", "“", "”")


def message_type(urn: Urn) -> str:
    """Return the name of the struct of a message: ``OrdersCreated``; ``MessageNewInt`` beside ``NewInt``."""
    name = class_name(urn)
    return f"Message{name}" if name in _RESERVED else name


def attributes(properties: Iterable[str], classes: Set[str] = frozenset()) -> dict[str, str]:
    """Return ``{property: field}`` for one struct, with unique fields: ``order_id`` is ``OrderID``.

    A property in plain ``snake_case`` keeps its name beside any other spelling. ``classes`` share no names with fields.
    """
    ordered = list(properties)
    plain = [name for name in ordered if _PLAIN_NAME.match(name)]
    fields: dict[str, str] = {}
    used = set(_OWN_MEMBERS)
    for name in dict.fromkeys([*plain, *ordered]):
        fields[name] = claim(_field(name), used)
    return {name: fields[name] for name in ordered}


@lru_cache(maxsize=4096)
def _field(name: str) -> str:
    words = [_word(word) for word in _WORDS.findall(in_ascii(name))]
    field = "".join(words) or "Field"
    return field if field[0].isalpha() else f"Field{field}"


def _word(word: str) -> str:
    if word.upper() in _INITIALISMS:
        return word.upper()
    spelled = pascal(word)
    return f"{spelled[:-2]}ID" if spelled.endswith("Id") else spelled


def claim(name: str, used: set[str]) -> str:
    """Return ``name``, or ``name_2`` and so on where it is ``used``; the result is used from now on."""
    candidate, number = name, 2
    while candidate in used:
        candidate, number = f"{name}_{number}", number + 1
    used.add(candidate)
    return candidate


def literal(text: str) -> str:
    """Return ``text`` as an interpreted string literal; all but plain printable text is escaped.

    An unpaired surrogate, which no Go string holds, becomes U+FFFD, as it does in Go's decoder.
    """
    if _SIMPLE.match(text):
        return f'"{text}"'
    return '"' + "".join(_in_literal(character) for character in text) + '"'


def _in_literal(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if is_plain(character):
        return character
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        return "\\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def tag(name: str) -> str:
    """Return the tag of the field of the property ``name``."""
    return f'`wire:"{name}"`' if _IN_TAG.match(name) else literal(f"wire:{literal(name)}")


def comment(paragraphs: Iterable[str | None], deprecated: str | None = None, indent: str = "") -> str:
    """Return a comment with its indent and newlines, or "" where nothing is to be said.

    ``deprecated`` is a sentence of our own, for a last paragraph that tools read as a deprecation; one that begins so
    in ``paragraphs`` is none. gofmt leaves the comment as it is.
    """
    longest = _LONGEST - len(indent)
    texts = [text for each in paragraphs if each and (text := _formatted(each, longest))]
    if deprecated:
        texts.append(f"Deprecated: {' '.join(_split(deprecated))}")
    lines = "\n\n".join(texts).split("\n") if texts else []
    return "".join([f"{indent}// {line}\n" if line else f"{indent}//\n" for line in lines])


@lru_cache(maxsize=4096)  # fragments and limits are the same in many messages
def _formatted(text: str, longest: int) -> str:
    return "\n\n".join("\n".join(_lines(paragraph, longest)) for paragraph in _split(text))


def _split(text: str) -> Iterator[str]:
    """Yield the paragraphs that are not empty, with blanks for line ends."""
    shown = visible(text)
    for paragraph in _BLANK_LINE.split(shown) if "\n" in shown else (shown,):
        # gofmt makes quotation marks of two backquotes, and of two apostrophes.
        words = " ".join(paragraph.split()).replace("``", "“").replace("''", "”")
        if words:
            yield words if words.endswith(_SENTENCE_END) else f"{words}."


def _lines(text: str, longest: int) -> Iterator[str]:
    if len(text) <= longest:
        yield f"\\{text}" if _MARKUP.match(text) else text
        return
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > longest:
            yield line
            line = ""
        if line:
            line += f" {word}"
        else:
            line = f"\\{word}" if _MARKUP.match(word) else word
    yield line


def is_package(name: str, taken: Collection[str] = ()) -> bool:
    """Return True for a text that can be the name of a package."""
    return re.fullmatch(r"[a-z][a-z0-9_]*", name, re.A) is not None and name not in _KEYWORDS and name not in taken


_KEYWORDS = frozenset([
    *("break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go"),
    *("goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type"),
    "var", "main", "init", "internal", "vendor", "testdata",
])  # fmt: skip
