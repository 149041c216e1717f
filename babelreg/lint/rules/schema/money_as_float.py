"""An amount of money typed as number.

JSON numbers with a fraction become IEEE 754 doubles, and 0.1 + 0.2 is not 0.3 in any of them: cents get lost on
the way and sums stop adding up. Send whole minor units (cents) as an integer, or a decimal as a string, with
the currency beside it. A number whose name or surroundings suggest something else (a rate, a weight, a score)
is not reported.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        amount: {type: number}
        currency: {type: string}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        amount_minor: {type: integer, description: "In minor units, such as cents."}
        currency: {type: string}

Fix::

    Add a new field in minor units (`amount_minor`, an integer) beside the old one, or mint a version where it replaces
    the old one. If the number is not money, describe what it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField, words
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "standard"

# Words that mean money wherever they end a name; words that mean it among money; and words beside which nothing does.
_SURE = frozenset(
    words("price prices fare fares fee fees salary wage wages subtotal surcharge revenue turnover msrp payout")
)
_LIKELY = frozenset(
    words("amount amounts total totals cost costs balance balances tax vat discount deposit refund charge payment")
)
_MONEY = _SURE | _LIKELY | {"value"}
_AFTER = frozenset(words("due paid net gross total amount value sum incl excl tax vat shipping"))
_CURRENCIES = frozenset(
    words("eur usd gbp chf jpy cny sek nok dkk pln czk huf aud cad nzd inr brl mxn zar krw sgd hkd try")
)
_OTHER = frozenset(
    words(
        "rate rates ratio percent percentage pct factor count score weight index share level change multiplier "
        "quantity qty volume mass time seconds minutes hours distance size bytes elasticity sensitivity per rank "
        "number probability confidence points credits tokens units version"
    )
)
_COMMERCE = frozenset(
    words(
        "order orders invoice invoices invoicing billing payment payments cart carts checkout basket purchase "
        "purchases sale sales refund refunds finance accounting payroll pricing subscription subscriptions quote "
        "quotes shop booking bookings"
    )
)
_CURRENCY = frozenset({"currency", "currencies"})
_UNIT = frozenset({"unit", "units", "uom"})
# With one of these words it is a factor, even beside a currency.
_RATES = frozenset(words("rate rates exchange fx ratio factor percent percentage index quote base pair"))
# What is counted beside prices without being money: an amount there may be one of these.
_COUNTED = frozenset(
    words(
        "miles points credits tokens coins gems xp stars units items kwh kg litres liters hours minutes seats calories"
    )
)
_PROSE_MONEY = LazyPattern(r"\b(?:price|money|monetary|currency|euros?|dollars?|EUR|USD|GBP|cents?)\b|[€$£]")
_PROSE_OTHER = LazyPattern(
    r"\b(?:percent|percentage|ratio|fraction|factor|litres?|liters?|grams?|kg|mg|ml|kilo\w*|met(?:re|er)s?|seconds?|"
    r"minutes|hours|weight|score|probability|credits|points|tokens)\b|%",
    re.IGNORECASE,
)
_CAMEL = LazyPattern(r"[a-z0-9][A-Z]")


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("type", "$ref"):
        if _MONEY.isdisjoint(field.words):
            continue
        types = field.types if "type" in field.schema else scope.types(field)
        if field.name and "number" in types and _is_money(scope, field):
            text = f"'{field.name}' looks like money, but its type is number, which is a float on the wire"
            minor = _with_suffix(field.name, "minor", field.siblings)
            fix = f"{minor}: {{type: integer}}, or type: string with a decimal pattern"
            at = (*field.pointer, "type") if "number" in field.types else field.pointer
            yield Problem(text, field.source, at, fix=fix, urn=field.urn)


def _is_money(scope: Scope, field: SchemaField) -> bool:
    named = tuple(word for word in field.words if not word.isdigit())
    if not named or _OTHER & set(named) or _PROSE_OTHER.search(field.description):
        return False
    core = [word for word in named if word not in _CURRENCIES]
    ends = [named[-1]] if len(core) == len(named) else core[-1:]
    if _AFTER.issuperset(named[1:]):
        ends.append(named[0])
    if _SURE & set(ends):
        return True
    if _LIKELY & set(ends):
        return len(core) < len(named) or _among_money(scope, field)
    return "value" in ends and _beside_currency(scope, field)


def _beside_currency(scope: Scope, field: SchemaField) -> bool:
    """Return True for a value with its currency beside it, as long as it is not a rate or a percentage."""
    around = scope.sibling_words(field)
    if not _CURRENCY & around or (_UNIT | _COUNTED | _RATES) & around:
        return False
    above = {word for step in field.pointer if isinstance(step, str) for word in words(step)}
    urn = set(words(field.message.urn.rpartition("urn:babel:")[2])) if field.message else set()
    return not (_RATES & (above | urn) or _may_be_a_share(field.siblings))


def _may_be_a_share(siblings: Mapping[str, Any]) -> bool:
    """Return True where a type beside a value may say that it is a percentage."""
    kinds = (schema for name, schema in siblings.items() if words(str(name))[-1:] in (("type",), ("kind",), ("mode",)))
    listed = [schema.get("enum") for schema in kinds if isinstance(schema, Mapping)]
    return any(isinstance(values, list) and "percent" in str(values).lower() for values in listed)


def _among_money(scope: Scope, field: SchemaField) -> bool:
    around = scope.sibling_words(field)
    if (_UNIT | _COUNTED) & around and not _CURRENCY & around:
        return False
    if _PROSE_MONEY.search(field.description) or (_CURRENCY | _SURE) & around:
        return True
    return field.message is not None and bool(_COMMERCE & set(words(field.message.urn.rpartition("urn:babel:")[2])))


def _with_suffix(name: str, word: str, siblings: Iterable[str]) -> str:
    """Return ``name`` with the lower-case ``word`` at its end, in its style: ``totalAmount``, ``totalAmountMinor``.

    The style of a single word is that of ``siblings``, the other names in the object.
    """
    letters = "".join(letter for letter in name if letter.isalpha())
    if _separator(name) is None and not _CAMEL.search(name):
        if len(letters) > 1 and letters.isupper():
            return f"{name}_{word.upper()}"
        camel = sum(1 for other in siblings if _CAMEL.search(other))
        separators = [separator for other in siblings if (separator := _separator(other))]
        if camel > len(separators) or name[:1].isupper():
            return name + word.capitalize()
        return name + (max(sorted(set(separators)), key=separators.count) if separators else "_") + word
    separator = _separator(name)
    if separator is None:
        return name + word.capitalize()
    return name + separator + (word.upper() if letters.isupper() else word)


def _separator(name: str) -> str | None:
    return next((separator for separator in ("_", "-", ".", " ") if separator in name.strip(separator)), None)
