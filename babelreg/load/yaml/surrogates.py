"""JSON's surrogate pairs in double-quoted YAML: ``"\\ud83d\\ude00"`` is one character beyond U+FFFF.

JSON has no other escape for such a character, and libyaml refuses this one. So the parser is given the text with
escapes of private-use characters in their place, of the same length, so that positions stay; what it makes of them is
put right in every scalar. The private range is one of which the text uses no character.
"""

from __future__ import annotations

import re
from typing import Any

from yaml.events import ScalarEvent

from babelreg.lazy_pattern import LazyPattern
from babelreg.load.files.defect import Defect

# Of a run of backslashes the last begins an escape where their number is odd.
_ESCAPE = LazyPattern(r"(?<!\\)((?:\\\\)*)(\\u([dD][89a-fA-F][0-9a-fA-F]{2}))")
_ANY_ESCAPE = LazyPattern(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_PRIVATE = (0xE000, 0xE800, 0xF000)
_FIRST, _LOW, _COUNT = 0xD800, 0xDC00, 0x800  # the surrogates, of which the second half of a pair is a low one


def has_surrogates(text: str) -> bool:
    """Return True where ``text`` may hold the escape of a surrogate."""
    return "\\ud" in text or "\\uD" in text


class Restoring:
    """A parser of ``text`` whose scalars hold the characters that surrogate pairs encode."""

    def __init__(self, text: str, parser: Any) -> None:
        """Raises Defect where the text uses all private characters."""
        self._text = text
        self._start = _unused(text)
        last = self._start + _COUNT - 1
        self._character = re.compile(f"[{chr(self._start)}-{chr(last)}]+")
        digits = "[89a-f]" if self._start & 0x800 else "[0-7]"
        self._spelled = re.compile(rf"\\u{self._start >> 12:x}{digits}[0-9a-f]{{2}}")
        self._parser = parser(_ESCAPE.sub(self._stand_in, text))

    def _stand_in(self, match: re.Match[str]) -> str:
        return f"{match[1]}\\u{int(match[3], 16) - _FIRST + self._start:04x}"

    def get_event(self) -> Any:
        """Return the next event, with the true value of a scalar. Raises Defect for half a pair."""
        event = self._parser.get_event()
        if type(event) is ScalarEvent:
            event.value = self._restored(event)
        return event

    def _restored(self, event: Any) -> str:
        value: str = event.value
        raw = self._text[event.start_mark.index : event.end_mark.index]
        if not has_surrogates(raw):
            return value
        if event.style != '"':
            spelled = [match[2] for match in _ESCAPE.finditer(raw)]
            return self._spelled.sub(lambda match: self._original(match[0], spelled), value)
        _check_pairs(raw, event)
        return self._character.sub(self._paired, value)

    def _original(self, stand_in: str, spelled: list[str]) -> str:
        """Take from ``spelled`` the next text that ``stand_in`` is for; a comment may hold others before it."""
        unit = int(stand_in[2:], 16) - self._start + _FIRST
        while int(original := spelled.pop(0)[2:], 16) != unit:
            pass
        return f"\\u{original}"

    def _paired(self, match: re.Match[str]) -> str:
        units = "".join(chr(ord(letter) - self._start + _FIRST) for letter in match[0])
        return units.encode("utf-16", "surrogatepass").decode("utf-16")


def _unused(text: str) -> int:
    """Return the first character of a private range of which ``text`` has neither a character nor an escape."""
    for start in _PRIVATE:
        last = start + _COUNT - 1
        first, digits = f"[{start >> 12:x}{start >> 12:X}]", "[89a-fA-F]" if start & 0x800 else "[0-7]"
        if not re.search(rf"[{chr(start)}-{chr(last)}]|\\(?:u|U0000){first}{digits}[0-9a-fA-F]{{2}}", text):
            return start
    message = "the file has surrogate pairs and characters of all private ranges"
    raise Defect("yaml-syntax", message, 1, 1, fix="write the characters themselves, not as escapes")


def _check_pairs(raw: str, event: Any) -> None:
    """Raise Defect for half a pair in ``raw``, a scalar in double quotes."""
    high: re.Match[str] | None = None
    for match in _ANY_ESCAPE.finditer(raw):
        unit = int(match[1], 16) if match[1] is not None and _ESCAPE.match(match[0]) else None
        is_low = unit is not None and unit >= _LOW
        if high is not None and not (is_low and match.start() == high.end()):
            raise _half(raw, high, event)
        if is_low and high is None:
            raise _half(raw, match, event)
        high = match if unit is not None and not is_low else None
    if high is not None:
        raise _half(raw, high, event)


def _half(raw: str, match: re.Match[str], event: Any) -> Defect:
    before = raw[: match.start()]
    line = event.start_mark.line + before.count("\n") + 1
    column = match.start() - before.rfind("\n") if "\n" in before else event.start_mark.column + match.start() + 1
    message = f"{match[0]} is an unpaired surrogate, not a character"
    fix = 'write the whole pair, as in "\\ud83d\\ude00", or the character itself'
    return Defect("yaml-syntax", message, line, column, fix=fix)
