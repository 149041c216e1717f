"""PHP spelling of names and texts: classes, accessors, constants, string literals, docblocks.

The class of a message is ``Messages\\OrdersCreated``, one of its parts ``Messages\\OrdersCreated\\Line``: PHP allows a
class and a namespace of one name, so no part has the name of a message. PHP ignores the case of classes and methods,
and so do many file systems. Identifiers consist of ASCII letters, digits and underscores. All other texts of a
registry become string literals or docblocks here, in which characters that are invisible, or displayed out of order,
are escaped.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

from babelreg.model import Urn
from babelreg.typemap.names import class_name, in_ascii, is_plain, pascal, visible

__all__ = [
    *("attributes", "claim", "constant", "docblock", "is_namespace", "is_reserved", "literal", "message_class"),
    *("parameter", "part"),
]

_KEYWORDS = (
    *("__halt_compiler", "abstract", "and", "array", "as", "bool", "break", "callable", "case", "catch", "class"),
    *("clone", "const", "continue", "declare", "default", "die", "do", "echo", "else", "elseif", "empty"),
    *("enddeclare", "endfor", "endforeach", "endif", "endswitch", "endwhile", "enum", "eval", "exit", "extends"),
    *("false", "final", "finally", "float", "fn", "for", "foreach", "function", "global", "goto", "if"),
    *("implements", "include", "include_once", "instanceof", "insteadof", "int", "interface", "isset"),
    *("iterable", "list", "match", "mixed", "namespace", "never", "new", "null", "numeric", "object", "or"),
    *("parent", "print", "private", "protected", "public", "readonly", "require", "require_once", "resource"),
    *("return", "self", "static", "string", "switch", "throw", "trait", "true", "try", "unset", "use", "var"),
    *("void", "while", "xor", "yield"),
)  # fmt: skip
_SHARED = (
    *("Consumed", "Handlers", "InvalidData", "JsonObject", "JsonType", "Message", "Produced", "Publisher", "Received"),
    *("Registry", "stdClass"),
    *("Dispatcher", "EnvelopeCodec", "HasRawBody", "InboundMessage", "PolyglotJob", "PolyglotMessage"),
    *("Transport", "UnknownUrnException"),
)  # fmt: skip
"""Classes of the generated namespace besides those of messages, and those of the SDK that it imports."""

_RESERVED = frozenset(name.lower() for name in (*_KEYWORDS, *_SHARED))
"""Names that no class gets, in lower case."""

_ACCESSORS = ("get", "has", "with", "without")
_OWN_MEMBERS = ("getbabelurn", "getbabeltraceid", "getextra", "hasextra", "withextra", "withoutextra")
_PLAIN_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
_WORDS = re.compile(r"[A-Za-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEGMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SINGLE_QUOTED = re.compile(r"[ -&(-\[\]-~]*\Z")  # printable ASCII but the quote and the backslash
_LONGEST_NAME = 100
_LONGEST = 110


def is_reserved(name: str) -> bool:
    """Return True for a name that PHP, or the generated namespace, gives a meaning."""
    return name.lower() in _RESERVED


def message_class(urn: Urn) -> str:
    """Return the name of the class of a message: ``OrdersCreated``; ``MessageHandlers`` beside ``Handlers``."""
    name = class_name(urn)
    return f"Message{name}" if is_reserved(name) else name


def is_namespace(name: str) -> bool:
    """Return True for a text that can be the namespace of the messages: ``Acme\\Messages``."""
    segments = name.split("\\")
    return all(_SEGMENT.match(segment) and segment.lower() not in _KEYWORDS for segment in segments)


def part(name: str) -> str:
    """Return the name of the class of a part: ``List``, which is a keyword, is ``ListData``; ``2nd`` is ``Part2nd``."""
    short = name[:_LONGEST_NAME]  # which is the name of a file, too
    if not short[:1].isalpha():
        return f"Part{short}"
    return f"{short}Data" if is_reserved(short) else short


def attributes(properties: Iterable[str], classes: Set[str] = frozenset()) -> dict[str, str]:
    """Return ``{property: word}`` for one class: ``order_id`` is ``OrderId``, as in ``getOrderId`` and ``withOrderId``.

    The names of all accessors are unique. A property in plain ``snake_case`` keeps its name beside any other spelling.
    ``classes`` share no names with methods.
    """
    return dict(_attributes(tuple(properties)))


@lru_cache(maxsize=4096)  # parts of messages, such as lines, often have the same properties
def _attributes(ordered: tuple[str, ...]) -> dict[str, str]:
    plain = [name for name in ordered if _PLAIN_NAME.match(name)]
    words: dict[str, str] = {}
    used = set(_OWN_MEMBERS)
    for name in dict.fromkeys([*plain, *ordered]):
        words[name] = _claim_accessors(_word(name), used)
    return {name: words[name] for name in ordered}


@lru_cache(maxsize=4096)
def _word(name: str) -> str:
    word = pascal(name)
    return word if word[0].isalpha() else f"Field{word}"


def _claim_accessors(word: str, used: set[str]) -> str:
    candidate, number = word, 2
    while not used.isdisjoint(accessors := [f"{prefix}{candidate}".lower() for prefix in _ACCESSORS]):
        candidate, number = f"{word}_{number}", number + 1
    used.update(accessors)
    return candidate


def parameter(word: str) -> str:
    """Return the parameter of a constructor for the accessors of ``word``: ``OrderId`` is ``orderId``."""
    name = word[0].lower() + word[1:]
    return "this_" if name == "this" else name


def claim(name: str, used: set[str]) -> str:
    """Return ``name``, or ``name2`` and so on where it is ``used`` but for its case; it is used from now on."""
    candidate, number = name, 2
    while candidate.lower() in used:
        candidate, number = f"{name}{number}", number + 1
    used.add(candidate.lower())
    return candidate


def constant(*texts: str) -> str:
    """Return the name of a constant: ``status`` and ``in-store`` are ``STATUS_IN_STORE``."""
    name = "_".join(word for text in texts for word in _constant_words(text)).upper()[:_LONGEST_NAME]
    return name if name[0].isalpha() else f"FIELD_{name}"


def _constant_words(text: str) -> list[str]:
    return _WORDS.findall(_HUMP.sub(" ", in_ascii(text))) or ["FIELD" if text else "EMPTY"]


def literal(text: str) -> str:
    """Return ``text`` as a string literal; all but plain printable text is escaped.

    An unpaired surrogate, which no UTF-8 holds, is kept; PHP then refuses to encode the text.
    """
    if _SINGLE_QUOTED.match(text):
        return f"'{text}'"
    if all(is_plain(character) for character in text):
        escaped = text.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return '"' + "".join(map(_in_literal, text)) + '"'


def _in_literal(character: str) -> str:
    if character in '"\\$':
        return f"\\{character}"
    if is_plain(character):
        return character
    return f"\\u{{{ord(character):x}}}"


# Tools read tags wherever a word begins with @, and some their own ones anywhere.
_TAG = re.compile(r"(?<![A-Za-z0-9_.+-])@")
_TOOL = re.compile(r"@(?=phpstan|psalm|phan|phpcs|suppress|noinspection|codingstandards)", re.IGNORECASE)


def docblock(paragraphs: Iterable[str | None], tags: Sequence[str] = (), indent: str = "") -> str:
    """Return a docblock with its indent and newline, or "" where nothing is to be said.

    ``tags`` are lines of our own, such as ``@deprecated``; a ``@`` in ``paragraphs`` begins no tag.
    """
    longest = _LONGEST - len(indent)
    blocks = [_formatted(text, longest) for text in paragraphs if text and text.strip()]
    lines = [line for block in blocks for line in ("", *block)][1:]
    if tags:
        lines += [*([""] if lines else []), *("@" + _untagged(visible(tag[1:]).replace("\n", " ")) for tag in tags)]
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


@lru_cache(maxsize=4096)  # fragments and limits are the same in many messages
def _formatted(text: str, longest: int) -> tuple[str, ...]:
    shown = visible(text).strip()
    lines = [piece for line in shown.split("\n") for piece in _wrapped(line.rstrip(), longest)]
    return tuple(_untagged(line) for line in lines)


def _untagged(line: str) -> str:
    return _TAG.sub(r"\\@", _TOOL.sub("@ ", line)).replace("*/", "*\\/")


def _wrapped(line: str, longest: int) -> list[str]:
    if len(line) <= longest:
        return [line]
    return textwrap.wrap(line, longest, break_on_hyphens=False) or [""]
