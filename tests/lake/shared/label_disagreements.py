"""Where Python's ``jsonschema[format-nongpl]`` judges otherwise than the labels, and what the standard's text says.

In every case the text decides for the label, and so for the Arrow pass, which agrees with all labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import jsonschema
import labels

__all__ = ["DECIDED", "disagreeing"]

_ECMA = "JSON Schema Core, 6.4: patterns are ECMA-262 regular expressions, Unicode ones. "
_RFC_3339 = "RFC 3339, 5.6: "
_DURATION = "RFC 3339, appendix A: "
_MAILBOX = "RFC 5321, 4.1.2: "

DECIDED: dict[tuple[str, str], str] = {
    ("pattern", "a line feed at its end"): _ECMA + "Without the flag m, $ is the end of the text; Python's is before a last line feed, too.",
    ("pattern", "digits of Bengali"): _ECMA + r"\d is 0 to 9; Python's is every digit of Unicode.",
    ("pattern-inside", "a byte order mark"): _ECMA + r"\s holds U+FEFF; Python's does not.",
    ("pattern-inside", "a letter that is none of ASCII"): _ECMA + r"\w is a to z, A to Z, 0 to 9 and _; Python's is every letter.",
    ("pattern-unicode", "a capital"): _ECMA + r"\p{Lu} is a property; Python's re raises an error.",
    ("pattern-unicode", "an astral one after it"): _ECMA + r"\p{Lu} is a property; Python's re raises an error.",
    ("pattern-unicode", "a small one"): _ECMA + r"\p{Lu} is a property; Python's re raises an error.",
    ("pattern-unicode", "too much"): _ECMA + r"\p{Lu} is a property; Python's re raises an error.",
    ("multipleOf-cents", "cents"): "JSON Schema Validation, 6.2.1: the quotient is an integer, of the decimals that stand there; jsonschema divides floats.",
    ("multipleOf-cents", "0.07, which floats divide badly"): "JSON Schema Validation, 6.2.1: as above.",
    ("date-time", "a leap second"): _RFC_3339 + "time-second is 00 to 60 by leap second rules; jsonschema asks datetime, which has none.",
    ("date-time", "a leap second, told with an offset"): _RFC_3339 + "as above; appendix D tells one with an offset.",
    ("date-time", "the year 0000"): _RFC_3339 + "date-fullyear is four digits, 0000 among them (section 1); datetime begins with 1.",
    ("date-time", "a line feed at its end"): _RFC_3339 + "nothing follows time-offset; Python's $ lets it pass.",
    ("duration", "a fraction"): _DURATION + "units are digits alone.",
    ("duration", "years and days without months"): _DURATION + "dur-year is followed by dur-month alone.",
    ("duration", "hours and seconds without minutes"): _DURATION + "dur-hour is followed by dur-minute alone.",
    ("email", "no local part"): _MAILBOX + "Local-part has a character; jsonschema asks for an @, no more.",
    ("email", "no domain"): _MAILBOX + "Domain has a label.",
    ("email", "two dots"): _MAILBOX + "a dot stands between atoms.",
    ("email", "a dot first"): _MAILBOX + "a dot stands between atoms.",
    ("email", "a dot before the at"): _MAILBOX + "a dot stands between atoms.",
    ("email", "a space"): _MAILBOX + "atext holds no space, unless it is quoted.",
    ("email", "two ats"): _MAILBOX + "atext holds no @, unless it is quoted.",
    ("email", "a hyphen first in the domain"): _MAILBOX + "sub-domain begins with a letter or a digit.",
    ("email", "an IPv4 literal of 256"): "RFC 5321, 4.1.3: Snum is 0 to 255.",
    ("duration", "less than nothing"): _DURATION + "units are digits alone.",
    ("email", "an underscore in the domain"): _MAILBOX + "sub-domain holds letters, digits and hyphens.",
    ("email", "a dot last in the domain"): _MAILBOX + "a dot stands between sub-domains.",
    ("email", "other letters"): _MAILBOX + "atext is ASCII; RFC 6531 is the format idn-email.",
    ("email", "a comment"): _MAILBOX + "atext holds no bracket; comments are RFC 5322's.",
    ("email", "a literal that is no address"): "RFC 5321, 4.1.3: a literal is an IPv4 address, or has a tag and a colon.",
    ("email", "a quote that is not closed"): _MAILBOX + "Quoted-string ends with a quote.",
    ("email", "a line feed at its end"): _MAILBOX + "Domain holds none.",
    ("email", "a comma"): _MAILBOX + "atext holds no comma, unless it is quoted.",
    ("hostname", "a line feed at its end"): "RFC 1123, 2.1: a name holds letters, digits, hyphens and dots.",
    ("email", "a name before it"): _MAILBOX + "Mailbox has no display name; that is RFC 5322's name-addr.",
    ("uri-template", "a space"): "RFC 6570, 2.1: literals hold no space.",
    ("uri-template", "a percent alone"): "RFC 6570, 2.1: a percent is followed by two hexadecimal digits.",
    ("regex", "an inline flag"): _ECMA + "Flags stand in a group, (?i:…), or outside.",
    ("regex", "a comment of Perl"): _ECMA + "There are no comments.",
    ("regex", "a possessive repeat"): _ECMA + "A quantifier stands after an atom, not after another one.",
    ("regex", "an end of Python"): _ECMA + r"\Z is no escape of a Unicode pattern.",
    ("regex", "a group of Python"): _ECMA + "A named group is (?<name>…).",
}  # fmt: skip
"""By rule and class (see ``labels``): the text that decides."""


def disagreeing(values: int, seed: int = 5) -> Iterator[tuple[str, str]]:
    """The rules and classes of whose first ``values`` values ``jsonschema`` judges at least one otherwise."""
    rng, checker = Random(seed), jsonschema.Draft202012Validator.FORMAT_CHECKER
    for rule, how, valid, schema, build in labels.classes():
        validator = jsonschema.Draft202012Validator(schema, format_checker=checker)
        for _ in range(values):
            value = build(rng)
            try:
                agrees = validator.is_valid(value) == valid
            except re.error:
                agrees = False
            if not agrees:
                yield rule, how
                break
