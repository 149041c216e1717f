"""Role of a service for a URN, produces or consumes, by the call around the URN in its code.

The names of calls are those of the BabelQueue SDKs and their adapters (PHP, Laravel, Symfony, Go, Python, Java, Spring,
.NET, Node), and common names of wrappers. Only the text near the literal is read, so the cost of each is bounded.
"""

from __future__ import annotations

import re

_words = str.split
_LOOK_BACK = 400
_LOOK_AHEAD = 80
_QUEUE_AHEAD = 200
_MAX_CALLS = 3
_MAX_NAME = 80
_PRODUCES = frozenset(
    _words(
        "publish publishasync publishlater publish_async later send sendasync sendmessage send_message send_async "
        "sendto dispatch dispatchasync produce produceasync emit enqueue enqueueasync make makeenvelope make_envelope "
        "newtask new_task signaturefor send_task apply_async producer publisher"
    )
)
_CONSUMES = frozenset(
    _words(
        "handler handle handles handlefunc handle_func on subscribe subscribeasync consume consumes consumer listen "
        "listens listener onmessage on_message registerhandler register_handler addhandler add_handler "
        "babelhandler babellistener asmessagehandler"
    )
)
_PARTIAL_MATCHES = frozenset(
    _words(
        "startswith starts_with hasprefix has_prefix str_starts_with endswith includes contains replace split test "
        "match matches preg_match substr strpos str_contains indexof trimprefix removeprefix compile regexp"
    )
)
# queue="orders", queue: 'orders', ->onQueue('orders'), .queue("orders"), WithQueue("orders"); within one statement
_QUEUE = re.compile(
    r"""(?:(?!;|\n\s*\n|\burn:)[\s\S])*?queue["']?\s*(?:=>|=|:|\()\s*["']([A-Za-z0-9_.-]{1,100})["']""", re.IGNORECASE
)
_BRACKETS = re.compile(r"[()\[\]{};]")
_FUNCTION = r"(?:async\b|function\b|fn\b|func\b|lambda\b|static\s+f|\(|\w+\s*=>|[\\\w]+::class\b|\[[^\]]*::class)"
_KEY_OF_FUNCTION = re.compile(rf"\s*(?:=>|:)\s*(?:{_FUNCTION})")
_ARM = re.compile(r"\s*(?:->|=>\s*(?:\$|await\s|return\s)?[\w$>\\.-]+\()")
_ITEM_OF_FUNCTION = re.compile(rf"\s*\]\s*=\s*(?:{_FUNCTION})")
_COMPARED = re.compile(r"\s*(?:===?(?!=)|\.equals(?:IgnoreCase)?\b)")
_COMPARED_BEFORE = re.compile(r"(?:[!=]=|\bis|\beq|\bequals\()\s*\Z")
_CASE = re.compile(r"\s*(?:case|when)\b")
_OWN_URN = re.compile(r"\b(?:get_?)?babel_?urn\b[^{}]{0,120}(?:\{|=>|:)\s*(?:return\s*)?\Z", re.IGNORECASE)


def role_of(text: str, start: int, end: int) -> str | None:
    """Return ``produces`` or ``consumes`` for the literal from ``start`` to ``end``; None in doubt."""
    before = text[max(start - _LOOK_BACK, 0) : start]
    after = text[end : end + _LOOK_AHEAD]
    if _OWN_URN.search(before):
        return "produces"
    line = before.rpartition("\n")[2]
    if _CASE.match(line) or _COMPARED.match(after) or _COMPARED_BEFORE.search(before):
        return "consumes"
    if _KEY_OF_FUNCTION.match(after) or _ARM.match(after):
        return "consumes"
    if line.rstrip().endswith("[") and _ITEM_OF_FUNCTION.match(after):
        return "consumes"
    for name in _callees(before):
        if name in _PRODUCES:
            return "produces"
        if name in _CONSUMES:
            return "consumes"
    return None


def queue_of(text: str, end: int) -> str | None:
    """Return the queue that the statement names behind the literal that ends at ``end``; None in doubt."""
    matched = _QUEUE.match(text[end : end + _QUEUE_AHEAD])
    return matched[1] if matched else None


def is_part(text: str, start: int) -> bool:
    """Return True when the literal at ``start`` is matched against parts of texts, so that it may be a prefix."""
    return next(iter(_callees(text[max(start - _LOOK_BACK, 0) : start])), "") in _PARTIAL_MATCHES


def _callees(before: str) -> list[str]:
    """Return the names of the calls that are open at the end of ``before``, innermost first, within one statement."""
    names: list[str] = []
    closed = 0
    for bracket in reversed(list(_BRACKETS.finditer(before))):
        at, character = bracket.start(), bracket[0]
        if character in ")]}":
            closed += 1
        elif character in "([{" and closed:
            closed -= 1
        elif character == "(":
            callee = _name_before(before[max(at - _MAX_NAME, 0) : at])
            if callee:
                names.append(callee.lower())
            if len(names) == _MAX_CALLS:
                break
        elif character == ";" or (character == "{" and before[:at].rstrip()[-1:] not in ("(", ",", ":", "=", "[", "")):
            break
    return names


def _name_before(text: str) -> str:
    """Return the name at the end of ``text``, before any type arguments: ``send<Order>``."""
    text = text.rstrip()
    if text.endswith(">"):
        text = text[: max(text.rfind("<"), 0)].rstrip()
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return text[start:]
