"""Candidate strings: lengths at the bounds, strings that match a pattern or have a format."""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.containment.search.node import Nodes
from babelreg.schema.regex.samples import samples

_PLAIN = ("", "a", "x", " ", "0", "A", "é", "-", "zz", "a b", "1.5", "a" * 64, "ab1", "_", "/", "a@b", "Aa0-", "\n")
"""Plain strings; the line feed is what a dot does not match."""
_LONGEST_AT_BOUND = 1 << 17
"""Limit of the characters of a string at a bound: beyond 65,535, the usual limit of columns and of queues."""
_FORMATS = {
    "date-time": ("2024-02-29T12:00:00Z", "2024-01-01T00:00:00+02:00"),
    "date": ("2024-02-29",),
    "time": ("12:00:00Z",),
    "duration": ("P1D", "PT1H"),
    "email": ("ada@example.com", "a@b.co"),  # the shortest may belong to a person; examples are published
    "idn-email": ("ada@example.com", "a@b.co"),
    "hostname": ("a.co",),
    "idn-hostname": ("a.co",),
    "ipv4": ("127.0.0.1",),
    "ipv6": ("::1",),
    "uri": ("http://a.co/b", "urn:a:b"),
    "uri-reference": ("/a", "http://a.co"),
    "iri": ("http://a.co/b",),
    "iri-reference": ("/a",),
    "uri-template": ("/a/{b}",),
    "json-pointer": ("/a",),
    "relative-json-pointer": ("0",),
    "regex": ("^a$",),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000",),
}

_PADDED_FORMATS = {
    "date-time": ("2024-02-29T12:00:00.", "0", "Z"),
    "time": ("12:00:00.", "0", "Z"),
    "duration": ("P", "1", "D"),
    "email": ("a@", "b.", "co"),
    "idn-email": ("a@", "b.", "co"),
    "hostname": ("", "b.", "co"),
    "idn-hostname": ("", "b.", "co"),
    "uri-template": ("/", "a", ""),
    "regex": ("", "a", ""),
}
"""By format: the start, what may be repeated, and the end. Of other formats the last character is repeated."""
_LONGEST_LOCAL_PART, _LONGEST_HOST = 64, 253
"""RFC 5321, 4.5.3.1; RFC 1035, 2.3.4."""


def strings(alternative: Nodes, hints: Nodes) -> Iterator[str]:
    """Yield strings that ``alternative`` allows and ``hints`` may refuse."""
    least, most = _lengths(alternative)
    patterns = _texts(alternative, "pattern")
    for name in _texts(alternative, "format"):
        yield from _FORMATS.get(name, ())
    for pattern in patterns:
        yield from (fitted for sample in samples(pattern) for fitted in _fitted(sample, least, most))
        # A pattern without anchors matches anywhere.
        yield from (text for sample in samples(pattern)[:1] for text in (f"a{sample}", f"{sample}a"))
    yield from ("a" * length for length in _lengths_at_bounds(least, most, hints))
    for name in _texts((*alternative, *hints), "format"):
        yield from _FORMATS.get(name, ())
        yield from (_of_format(name, length) for length in _lengths_at_bounds(least, most, hints))
    for pattern in _texts(hints, "pattern"):
        yield from (fitted for sample in samples(pattern) for fitted in _fitted(sample, least, most))
    for text in _PLAIN:
        yield from _fitted(text, least, most)


def _of_format(name: str, length: int) -> str:
    """Return a string of about ``length`` characters that has the format; of any characters, if it is not known."""
    usual = _FORMATS.get(name, ("a",))[0]
    start, filler, end = _PADDED_FORMATS.get(name, (usual[:-1], usual[-1], ""))
    if start.endswith("@") and length > _LONGEST_HOST:
        start = f"{'a' * _LONGEST_LOCAL_PART}@"
    return start + (filler * length)[: max(length - len(start) - len(end), 1)] + end


def _lengths_at_bounds(least: int, most: int | None, hints: Nodes) -> Iterator[int]:
    lengths = [least]
    for hint in hints:
        for keyword, offset in (("minLength", -1), ("maxLength", 1), ("minLength", 0), ("maxLength", 0)):
            lengths += [hint.count(keyword) + offset] if keyword in hint.schema else []
    lengths += [least + 1, most if most is not None else least + 3]
    for length in dict.fromkeys(lengths):
        if least <= length <= min(most if most is not None else _LONGEST_AT_BOUND, _LONGEST_AT_BOUND):
            yield length


def _lengths(alternative: Nodes) -> tuple[int, int | None]:
    lows = [node.count("minLength") for node in alternative]
    highs = [high for node in alternative if (high := node.count("maxLength", -1)) >= 0]
    return min(max(lows, default=0), _LONGEST_AT_BOUND), min(highs, default=None)


def _fitted(text: str, least: int, most: int | None) -> Iterator[str]:
    if len(text) < least:
        filler = text[-1] if text else "a"
        yield text + filler * (least - len(text))
    elif most is None or len(text) <= most:
        yield text
    else:
        yield text[:most]


def _texts(nodes: Nodes, keyword: str) -> list[str]:
    return list(dict.fromkeys(v for node in nodes if isinstance(v := node.schema.get(keyword), str)))
