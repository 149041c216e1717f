"""Texts that are in a format, or just not, known by construction from the grammar that the format names.

Each class is a sentence about what was built, so that a validator that judges otherwise is told apart by it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

__all__ = ["BAD", "GOOD"]

Build = Callable[[Random], str]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALNUM = _LETTERS + "0123456789"
_HEX = "0123456789abcdef"
_LONG = "a" * 64


def below(rng: Random, limit: int) -> int:
    """A whole number from 0, by ``random`` alone, which is the same in every Python."""
    return int(rng.random() * limit)


def word(rng: Random, least: int = 1, most: int = 8, of: str = _ALNUM) -> str:
    """Some characters out of ``of``."""
    return "".join(of[below(rng, len(of))] for _ in range(least + below(rng, most - least + 1)))


def _two(rng: Random, least: int, limit: int) -> str:
    return f"{least + below(rng, limit - least):02d}"


def _year(rng: Random) -> str:
    return f"{1 + below(rng, 9999):04d}"


def _date(rng: Random) -> str:
    return f"{_year(rng)}-{_two(rng, 1, 13)}-{_two(rng, 1, 29)}"


def _clock(rng: Random) -> str:
    return f"{_two(rng, 0, 24)}:{_two(rng, 0, 60)}:{_two(rng, 0, 60)}"


def _offset(rng: Random) -> str:
    return "Z" if rng.random() < 0.5 else f"{'+-'[below(rng, 2)]}{_two(rng, 0, 24)}:{_two(rng, 0, 60)}"


def _fraction(rng: Random) -> str:
    return "." + word(rng, 1, 12, "0123456789")


def _leap_year(rng: Random) -> int:
    return 4 * (1 + below(rng, 24)) + 2000  # 2100 is none, and not among them


def _label(rng: Random) -> str:
    return word(rng, 1, 10, _LETTERS) + (f"-{word(rng)}" if rng.random() < 0.3 else "")


def _host(rng: Random) -> str:
    return ".".join(_label(rng) for _ in range(1 + below(rng, 3)))


def _ipv4(rng: Random) -> str:
    return ".".join(str(below(rng, 256)) for _ in range(4))


def _groups(rng: Random, count: int) -> str:
    return ":".join(word(rng, 1, 4, _HEX) for _ in range(count))


def _ipv6(rng: Random) -> str:
    left = below(rng, 4)
    return f"{_groups(rng, left)}::{_groups(rng, 1 + below(rng, 3))}"


def _path(rng: Random) -> str:
    return "/".join(word(rng) for _ in range(1 + below(rng, 3)))


def _uri(rng: Random) -> str:
    return f"https://{_host(rng)}/{_path(rng)}?{word(rng)}={word(rng)}#{word(rng)}"


def _uuid(rng: Random) -> str:
    return "-".join(word(rng, n, n, _HEX) for n in (8, 4, 4, 4, 12))


GOOD: dict[str, dict[str, Build]] = {
    "date-time": {
        "an instant": lambda r: f"{_date(r)}T{_clock(r)}{_offset(r)}",
        "with a fraction of any length": lambda r: f"{_date(r)}T{_clock(r)}{_fraction(r)}{_offset(r)}",
        "small t and z": lambda r: f"{_date(r)}t{_clock(r)}z",
        "offset -00:00": lambda r: f"{_date(r)}T{_clock(r)}-00:00",
        "29 February of a leap year": lambda r: f"{_leap_year(r)}-02-29T{_clock(r)}Z",
        "a leap second": lambda r: f"{_year(r)}-{['06-30', '12-31'][below(r, 2)]}T23:59:60Z",
        "a leap second, told with an offset": lambda r: f"{_year(r)}-06-30T{_two(r, 0, 23)}:59:60-00:00"[:11] + "22:59:60-01:00",
        "the year 0000": lambda r: f"0000-{_two(r, 1, 13)}-{_two(r, 1, 29)}T{_clock(r)}Z",
    },
    "date": {"a day": _date, "29 February of a leap year": lambda r: f"{_leap_year(r)}-02-29"},
    "time": {
        "a time": lambda r: f"{_clock(r)}{_offset(r)}",
        "with a fraction": lambda r: f"{_clock(r)}{_fraction(r)}{_offset(r)}",
        "small z": lambda r: f"{_clock(r)}z",
    },
    "duration": {
        "days and hours": lambda r: f"P{below(r, 99)}DT{below(r, 99)}H",
        "all units": lambda r: f"P{below(r, 9)}Y{below(r, 9)}M{below(r, 9)}DT{below(r, 9)}H{below(r, 9)}M{below(r, 99)}S",
        "weeks": lambda r: f"P{below(r, 999)}W",
        "seconds": lambda r: f"PT{below(r, 9999)}S",
    },
    "email": {
        "a mailbox": lambda r: f"{word(r)}@{_host(r)}",
        "dots and signs": lambda r: f"{word(r)}.{word(r)}+{word(r)}!#$%@{_host(r)}",
        "a quoted local part": lambda r: f'"{word(r)} {word(r)}"@{_host(r)}',
        "a quoted at": lambda r: f'"{word(r)}@{word(r)}"@{_host(r)}',
        "an IPv4 literal": lambda r: f"{word(r)}@[{_ipv4(r)}]",
        "an IPv6 literal": lambda r: f"{word(r)}@[IPv6:{_groups(r, 8)}]",
    },
    "idn-email": {"a mailbox": lambda r: f"{word(r)}@{_host(r)}", "in Greek": lambda r: f"{word(r, of='αβγδε')}@{_host(r)}"},
    "hostname": {
        "a name": _host,
        "digits first": lambda r: f"{below(r, 99)}{_host(r)}",
        "one label of 63": lambda r: word(r, 63, 63, _LETTERS),
        "capitals": lambda r: _host(r).upper(),
        "253 characters": lambda r: ".".join([word(r, 49, 49, _LETTERS)] * 5) + ".abc",
    },
    "idn-hostname": {"a name": _host, "in Greek": lambda r: f"{word(r, 2, 5, of='αβγδε')}.{_host(r)}"},
    "ipv4": {"an address": _ipv4},
    "ipv6": {
        "eight groups": lambda r: _groups(r, 8),
        "shortened": _ipv6,
        "with IPv4 at its end": lambda r: f"::{word(r, 1, 4, _HEX)}:{_ipv4(r)}",
        "capitals": lambda r: _groups(r, 8).upper(),
    },
    "uri": {
        "a URL": _uri,
        "a URN": lambda r: f"urn:{word(r, 2, 5, _LETTERS)}:{word(r)}",
        "mailto": lambda r: f"mailto:{word(r)}@{_host(r)}",
        "user, port and percent": lambda r: f"ftp://{word(r)}:{word(r)}@{_host(r)}:{below(r, 65536)}/%{word(r, 2, 2, _HEX)}",
        "an IPv6 host": lambda r: f"http://[{_groups(r, 8)}]:80/",
        "an empty fragment": lambda r: f"http://{_host(r)}/#",
    },
    "uri-reference": {
        "a URL": _uri,
        "a path": lambda r: f"../{_path(r)}",
        "a fragment": lambda r: f"#{word(r)}",
        "no scheme": lambda r: f"//{_host(r)}/{_path(r)}",
        "nothing": lambda r: "",
    },
    "iri": {"a URL": _uri, "in Greek": lambda r: f"https://{_host(r)}/{word(r, of='αβγδε')}"},
    "iri-reference": {"a path in Greek": lambda r: f"{word(r, of='αβγδε')}/{_path(r)}"},
    "uuid": {"a UUID": _uuid, "capitals": lambda r: _uuid(r).upper(), "of no version": lambda r: f"{_uuid(r)[:14]}f{_uuid(r)[15:]}"},
    "uri-template": {
        "variables": lambda r: f"https://{_host(r)}/{{{word(r)}}}{{?{word(r)},{word(r)}*}}",
        "a prefix": lambda r: f"/{{+{word(r)}:{1 + below(r, 9)}}}",
        "no variable": lambda r: f"/{_path(r)}",
    },
    "json-pointer": {"a pointer": lambda r: f"/{_path(r)}", "escapes": lambda r: f"/{word(r)}~0~1{word(r)}", "the root": lambda r: ""},
    "relative-json-pointer": {
        "steps up": lambda r: f"{below(r, 99)}/{_path(r)}",
        "the name": lambda r: f"{below(r, 9)}#",
        "here": lambda r: "0",
    },
    "regex": {"a pattern": lambda r: f"^{word(r)}[a-z]{{1,{1 + below(r, 9)}}}(?:x|y)+$", "ahead": lambda r: f"(?={word(r)})"},
}  # fmt: skip
"""By format and class: what is in it."""

BAD: dict[str, dict[str, Build]] = {
    "date-time": {
        "a 60th second that is none in UTC": lambda r: f"{_year(r)}-12-31T23:59:60+{_two(r, 1, 24)}:00",
        "an underscore for the T": lambda r: f"{_date(r)}_{_clock(r)}Z",
        "two offsets": lambda r: f"{_date(r)}T{_clock(r)}Z+00:00",
        "a month 13": lambda r: f"{_year(r)}-13-{_two(r, 1, 29)}T{_clock(r)}Z",
        "a day 31 of April": lambda r: f"{_year(r)}-04-31T{_clock(r)}Z",
        "29 February of another year": lambda r: f"{_leap_year(r) + 1}-02-29T{_clock(r)}Z",
        "29 February of 1900": lambda r: f"{[1900, 2100, 2200][below(r, 3)]}-02-29T{_clock(r)}Z",
        "a day 0": lambda r: f"{_year(r)}-{_two(r, 1, 13)}-00T{_clock(r)}Z",
        "an hour 24": lambda r: f"{_date(r)}T24:00:00Z",
        "a minute 60": lambda r: f"{_date(r)}T{_two(r, 0, 24)}:60:{_two(r, 0, 60)}Z",
        "a second 61": lambda r: f"{_date(r)}T{_two(r, 0, 24)}:{_two(r, 0, 60)}:61Z",
        "a 60th second within a minute": lambda r: f"{_date(r)}T{_two(r, 0, 23)}:{_two(r, 0, 59)}:60Z",
        "no offset": lambda r: f"{_date(r)}T{_clock(r)}",
        "a space for the T": lambda r: f"{_date(r)} {_clock(r)}Z",
        "an hour of offset 24": lambda r: f"{_date(r)}T{_clock(r)}+24:{_two(r, 0, 60)}",
        "a minute of offset 60": lambda r: f"{_date(r)}T{_clock(r)}+{_two(r, 0, 24)}:60",
        "an offset without colon": lambda r: f"{_date(r)}T{_clock(r)}+{_two(r, 0, 24)}{_two(r, 0, 60)}",
        "no seconds": lambda r: f"{_date(r)}T{_two(r, 0, 24)}:{_two(r, 0, 60)}Z",
        "an empty fraction": lambda r: f"{_date(r)}T{_clock(r)}.Z",
        "a comma for the point": lambda r: f"{_date(r)}T{_clock(r)},{below(r, 9)}Z",
        "digits of Bengali": lambda r: f"{_year(r)}-0১-{_two(r, 10, 29)}T{_clock(r)}Z",
        "a line feed at its end": lambda r: f"{_date(r)}T{_clock(r)}Z\n",
        "a day alone": _date,
        "one digit for the month": lambda r: f"{_year(r)}-{1 + below(r, 9)}-{_two(r, 1, 29)}T{_clock(r)}Z",
        "five digits for the year": lambda r: f"1{_date(r)}T{_clock(r)}Z",
    },
    "date": {
        "a slash": lambda r: _date(r).replace("-", "/"),
        "29 February of another year": lambda r: f"{_leap_year(r) + 1}-02-29",
        "a month 13": lambda r: f"{_year(r)}-13-{_two(r, 1, 29)}",
        "a day 30 of February": lambda r: f"{_year(r)}-02-30",
        "an instant": lambda r: f"{_date(r)}T{_clock(r)}Z",
        "no hyphens": lambda r: _date(r).replace("-", ""),
        "a week": lambda r: f"{_year(r)}-W{_two(r, 1, 53)}-{1 + below(r, 7)}",
        "digits of Bengali": lambda r: f"{_year(r)}-0১-{_two(r, 10, 29)}",
        "a line feed at its end": lambda r: f"{_date(r)}\n",
    },
    "time": {
        "a 60th second that is none in UTC": lambda r: f"23:59:60+{_two(r, 1, 24)}:00",
        "an empty fraction": lambda r: f"{_clock(r)}.Z",
        "no offset": _clock,
        "an hour 24": lambda r: f"24:{_two(r, 0, 60)}:{_two(r, 0, 60)}Z",
        "a minute 60": lambda r: f"{_two(r, 0, 24)}:60:{_two(r, 0, 60)}Z",
        "a 60th second within a minute": lambda r: f"{_two(r, 0, 23)}:{_two(r, 0, 59)}:60Z",
        "no seconds": lambda r: f"{_two(r, 0, 24)}:{_two(r, 0, 60)}Z",
        "an hour of offset 24": lambda r: f"{_clock(r)}+24:00",
    },
    "duration": {
        "less than nothing": lambda r: f"P-{1 + below(r, 9)}D",
        "a space": lambda r: f"P {below(r, 99)}D",
        "nothing after P": lambda r: "P",
        "nothing after T": lambda r: f"P{below(r, 99)}DT",
        "no P": lambda r: f"{below(r, 99)}D",
        "hours without T": lambda r: f"P{below(r, 99)}H",
        "days after T": lambda r: f"PT{below(r, 99)}D",
        "units out of order": lambda r: f"P{below(r, 99)}D{below(r, 99)}Y",
        "weeks beside days": lambda r: f"P{below(r, 99)}W{below(r, 99)}D",
        "a fraction": lambda r: f"P{below(r, 99)}.5D",
        "years and days without months": lambda r: f"P{below(r, 99)}Y{below(r, 99)}D",
        "hours and seconds without minutes": lambda r: f"PT{below(r, 99)}H{below(r, 99)}S",
    },
    "email": {
        "an underscore in the domain": lambda r: f"{word(r)}@{_label(r)}_{_host(r)}",
        "a dot last in the domain": lambda r: f"{word(r)}@{_host(r)}.",
        "other letters": lambda r: f"{word(r, of='αβγδε')}@{_host(r)}",
        "a comment": lambda r: f"{word(r)}({word(r)})@{_host(r)}",
        "a literal that is no address": lambda r: f"{word(r)}@[{word(r, of=_LETTERS)}]",
        "a quote that is not closed": lambda r: f'"{word(r)}@{_host(r)}',
        "a line feed at its end": lambda r: f"{word(r)}@{_host(r)}\n",
        "a comma": lambda r: f"{word(r)},{word(r)}@{_host(r)}",
        "no at": lambda r: f"{word(r)}.{_host(r)}",
        "no local part": lambda r: f"@{_host(r)}",
        "no domain": lambda r: f"{word(r)}@",
        "two dots": lambda r: f"{word(r)}..{word(r)}@{_host(r)}",
        "a dot first": lambda r: f".{word(r)}@{_host(r)}",
        "a dot before the at": lambda r: f"{word(r)}.@{_host(r)}",
        "a space": lambda r: f"{word(r)} {word(r)}@{_host(r)}",
        "two ats": lambda r: f"{word(r)}@{word(r)}@{_host(r)}",
        "a hyphen first in the domain": lambda r: f"{word(r)}@-{_host(r)}",
        "an IPv4 literal of 256": lambda r: f"{word(r)}@[256.{below(r, 256)}.0.1]",
        "a name before it": lambda r: f"{word(r)} <{word(r)}@{_host(r)}>",
    },
    "idn-email": {"no at": lambda r: f"{word(r, of='αβγδε')}.{_host(r)}"},
    "hostname": {
        "a line feed at its end": lambda r: f"{_host(r)}\n",
        "a port": lambda r: f"{_host(r)}:{below(r, 99)}",
        "a hyphen first": lambda r: f"-{_host(r)}",
        "a hyphen last": lambda r: f"{_host(r)}-",
        "an underscore": lambda r: f"{_label(r)}_{_host(r)}",
        "an empty label": lambda r: f"{_label(r)}..{_label(r)}",
        "a label of 64": lambda r: f"{_LONG}.{_host(r)}",
        "254 characters": lambda r: ".".join([word(r, 49, 49, _LETTERS)] * 5) + ".abcd",
        "a space": lambda r: f"{_label(r)} {_label(r)}",
        "nothing": lambda r: "",
        "other letters": lambda r: f"{word(r, of='αβγδε')}.{_host(r)}",
        "a hyphen before the dot": lambda r: f"{word(r)}-.{_host(r)}",
    },
    "idn-hostname": {"a hyphen first": lambda r: f"-{word(r, 2, 5, of='αβγδε')}.{_host(r)}", "a space": lambda r: f"{_label(r)} {_label(r)}"},
    "ipv4": {
        "a part of 256": lambda r: f"{256 + below(r, 99)}.{below(r, 256)}.0.1",
        "three parts": lambda r: _ipv4(r).rpartition(".")[0],
        "five parts": lambda r: f"{_ipv4(r)}.1",
        "a zero first": lambda r: f"0{1 + below(r, 77)}.{below(r, 256)}.0.1",
        "hexadecimal": lambda r: f"0x7f.{below(r, 256)}.0.1",
        "a mask": lambda r: f"{_ipv4(r)}/{below(r, 33)}",
        "one number": lambda r: str(below(r, 2**32)),
        "digits of Bengali": lambda r: f"১.{below(r, 256)}.0.1",
        "a line feed at its end": lambda r: f"{_ipv4(r)}\n",
    },
    "ipv6": {
        "a space first": lambda r: f" {_ipv6(r)}",
        "a mask": lambda r: f"{_ipv6(r)}/64",
        "three parts of IPv4": lambda r: f"::{below(r, 256)}.0.1",
        "nine groups": lambda r: _groups(r, 9),
        "seven groups": lambda r: _groups(r, 7),
        "shortened twice": lambda r: f"{_groups(r, 1)}::{_groups(r, 1)}::{_groups(r, 1)}",
        "five digits": lambda r: f"{word(r, 5, 5, '123456789abcdef')}:{_groups(r, 7)}",
        "a zone": lambda r: f"fe80::{_groups(r, 1)}%eth{below(r, 9)}",
        "three colons": lambda r: f"{_groups(r, 2)}:::{_groups(r, 1)}",
        "a colon last": lambda r: f"{_groups(r, 7)}:",
        "no hexadecimal digit": lambda r: f"{_groups(r, 7)}:g{word(r, 1, 2, _HEX)}",
        "brackets": lambda r: f"[{_groups(r, 8)}]",
        "an IPv4 part of 256": lambda r: f"::256.{below(r, 256)}.0.1",
    },
    "uri": {
        "a bracket that is not closed": lambda r: f"http://[{_groups(r, 8)}/",
        "a control character": lambda r: f"https://{_host(r)}/\x07{word(r)}",
        "an underscore in the scheme": lambda r: f"{word(r, 1, 3, _LETTERS)}_x://{_host(r)}/",
        "two ats": lambda r: f"https://{word(r)}@{word(r)}@{_host(r)}/",
        "no scheme": lambda r: f"//{_host(r)}/{_path(r)}",
        "a path": lambda r: f"/{_path(r)}",
        "a space": lambda r: f"https://{_host(r)}/{word(r)} {word(r)}",
        "a backslash": lambda r: f"https://{_host(r)}\\{word(r)}",
        "a broken percent": lambda r: f"https://{_host(r)}/%{word(r, 1, 1, 'ghijk')}{word(r)}",
        "angle brackets": lambda r: f"https://{_host(r)}/<{word(r)}>",
        "brackets in the path": lambda r: f"https://{_host(r)}/[{word(r)}]",
        "other letters": lambda r: f"https://{_host(r)}/{word(r, of='αβγδε')}",
        "a port of letters": lambda r: f"https://{_host(r)}:{word(r, of=_LETTERS)}/",
        "a quote": lambda r: f'https://{_host(r)}/"{word(r)}',
        "braces": lambda r: f"https://{_host(r)}/{{{word(r)}}}",
        "a digit first in the scheme": lambda r: f"1{word(r, of=_LETTERS)}://{_host(r)}/",
        "two fragments": lambda r: f"https://{_host(r)}/#{word(r)}#{word(r)}",
    },
    "uri-reference": {
        "a backslash": lambda r: f"\\\\{_host(r)}\\{word(r)}",
        "a space": lambda r: f"{word(r)} {word(r)}",
        "a broken percent": lambda r: f"/{_path(r)}%{word(r, 1, 1, 'ghijk')}",
        "other letters": lambda r: f"/{word(r, of='αβγδε')}",
    },
    "iri": {"no scheme": lambda r: f"/{word(r, of='αβγδε')}", "a space": lambda r: f"https://{_host(r)}/{word(r, of='αβγδε')} x"},
    "iri-reference": {"a space": lambda r: f"{word(r, of='αβγδε')} {word(r)}", "a broken percent": lambda r: f"{word(r, of='αβγδε')}%zz"},
    "uuid": {
        "no hyphens": lambda r: _uuid(r).replace("-", ""),
        "a digit too few": lambda r: _uuid(r)[:-1],
        "no hexadecimal digit": lambda r: f"g{_uuid(r)[1:]}",
        "braces": lambda r: f"{{{_uuid(r)}}}",
        "a hyphen elsewhere": lambda r: f"{_uuid(r)[:7]}-{word(r, 1, 1, _HEX)}{_uuid(r)[9:]}",
        "as a URN": lambda r: f"urn:uuid:{_uuid(r)}",
        "a line feed at its end": lambda r: f"{_uuid(r)}\n",
    },
    "uri-template": {
        "a percent alone": lambda r: f"/{word(r)}%{word(r, 1, 3, 'ghijk')}",
        "a prefix of nothing": lambda r: f"/{{{word(r)}:0}}",
        "a brace that is not closed": lambda r: f"/{{{word(r)}",
        "a brace that is not opened": lambda r: f"/{word(r)}}}",
        "no name": lambda r: f"/{word(r)}{{}}",
        "a space": lambda r: f"/{word(r)} {{{word(r)}}}",
        "a prefix without length": lambda r: f"/{{{word(r)}:}}",
    },
    "json-pointer": {
        "no slash first": lambda r: _path(r),
        "a tilde before another": lambda r: f"/{word(r)}~2",
        "a tilde last": lambda r: f"/{word(r)}~",
        "as a fragment": lambda r: f"#/{_path(r)}",
    },
    "relative-json-pointer": {
        "no number": lambda r: f"/{_path(r)}",
        "a zero first": lambda r: f"0{1 + below(r, 9)}/{word(r)}",
        "less than zero": lambda r: f"-{1 + below(r, 9)}/{word(r)}",
        "something after #": lambda r: f"{below(r, 9)}#{word(r)}",
    },
    "regex": {
        "an inline flag": lambda r: f"(?i){word(r)}",
        "a comment of Perl": lambda r: f"(?#{word(r)})",
        "a possessive repeat": lambda r: f"{word(r)}++",
        "a bracket that is not closed": lambda r: f"[{word(r)}",
        "a group that is not closed": lambda r: f"({word(r)}",
        "nothing to repeat": lambda r: f"*{word(r)}",
        "a range the wrong way round": lambda r: f"[z-a]{word(r)}",
        "more at least than at most": lambda r: f"{word(r, of=_LETTERS)}{{3,1}}",
        "an end of Python": lambda r: f"{word(r)}\\Z",
        "a group of Python": lambda r: f"(?P<{word(r, of=_LETTERS)}>x)",
    },
}  # fmt: skip
"""By format and class: what is just not in it."""
