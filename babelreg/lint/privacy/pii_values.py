"""Values that identify a real person: e-mail addresses, bank accounts, card numbers.

Values reserved for examples, known test numbers and addresses of roles are not personal.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.schema.field import words


class PersonalValue(NamedTuple):
    """A personal value: its kind (``what``), a masked form to show, and a harmless one to use ``instead``."""

    what: str
    shown: str
    instead: str


def _words(text: str) -> list[str]:
    return text.split()


_ADDRESS = LazyPattern(r"(?:[^<>@]{0,80}<)?([A-Za-z0-9._%+'-]{1,64})@([A-Za-z0-9.-]{1,250}\.[A-Za-z]{2,24})>?\Z")
# RFC 2606 and RFC 6761; .local, .lan and .internal lead nowhere either; the others are names of files (icon@2x.png)
_RESERVED_TLDS = frozenset(
    words("example test invalid localhost local lan internal arpa png jpg jpeg gif svg webp js css json yaml git")
)
_RESERVED_DOMAINS = frozenset(
    words(
        "test tests testing demo dummy fake acme foo bar baz domain yourdomain mydomain company mycompany yourcompany "
        "corp contoso fabrikam northwind initech globex sample placeholder email client "
        "myclient yourclient customer mycustomer"
    )
)
_IN_RESERVED_DOMAIN = ("example", "noreply", "placeholder", "invalid", "no-reply")
_ROLES = frozenset(
    words(
        "noreply donotreply support info admin administrator webmaster postmaster hostmaster abuse help helpdesk "
        "sales contact hello hi office team billing security service services newsletter news notification "
        "notifications notify alert alerts marketing press jobs career careers hr root git mailer mailerdaemon "
        "daemon bounce bounces order orders shop store test tests tester testing user users username name email "
        "mail foo bar baz someone somebody anyone you your me sample demo dummy example api bot robot system "
        "customer customers account accounts accounting payment payments invoice invoices finance legal privacy "
        "dpo feedback media events booking bookings reservations enquiries inquiries it dev developer developers "
        "ops devops sysadmin nobody anonymous jane john johndoe janedoe placeholder sender recipient from to "
        "reply feed updates receipts returns warehouse logistics"
    )
)
_IBAN = LazyPattern(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\Z")
# How long an IBAN is in each country. Source: the SWIFT IBAN registry.
_LENGTHS = dict(
    part.split("=")
    for part in _words(
        "AD=24 AE=23 AL=28 AT=20 AZ=28 BA=20 BE=16 BG=22 BH=22 BR=29 BY=28 CH=21 CR=22 CY=28 CZ=24 DE=22 DK=18 "
        "DO=28 EE=20 EG=29 ES=24 FI=18 FO=18 FR=27 GB=22 GE=22 GI=23 GL=18 GR=27 GT=28 HR=21 HU=28 IE=22 IL=23 "
        "IQ=23 IS=26 IT=27 JO=30 KW=30 KZ=20 LB=28 LC=32 LI=21 LT=20 LU=20 LV=21 MC=27 MD=24 ME=22 MK=19 MR=27 "
        "MT=31 MU=30 NL=18 NO=15 PK=24 PL=28 PS=29 PT=25 QA=29 RO=24 RS=22 SA=24 SC=31 SE=24 SI=19 SK=24 SM=27 "
        "ST=25 SV=28 TL=23 TN=24 TR=26 UA=29 VA=22 VG=24 XK=20"
    )
)
# Those that the registry of the standard, encyclopaedias and payment providers show; no account is behind them.
SAMPLE_IBANS = frozenset(
    _words(
        "AD1200012030200359100100 AE070331234567890123456 AT611904300234573201 BE68539007547034 "
        "BG80BNBG96611020345678 CH9300762011623852957 CZ6508000000192000145399 CY17002001280000001200527600 "
        "DE89370400440532013000 DK5000400440116243 EE382200221020145685 ES9121000418450200051332 "
        "FI2112345600000785 FR1420041010050500013M02606 FR7630006000011234567890189 GB29NWBK60161331926819 "
        "GB82WEST12345698765432 GB33BUKB20201555555555 GR1601101250000000012300695 HR1210010051863000160 "
        "HU42117730161111101800000000 IE29AIBK93115212345678 IS140159260076545510730339 "
        "IT60X0542811101000000123456 LI21088100002324013AA LT121000011101001000 LU280019400644750000 "
        "LV80BANK0000435195001 MC5811222000010123456789030 MT84MALT011000012345MTLCAST001S NL91ABNA0417164300 "
        "NL39RABO0300065264 NO9386011117947 PL61109010140000071219812874 PT50000201231234567890154 "
        "RO49AAAA1B31007593840000 SA0380000000608010167519 SE4550000000058398257466 SI56263300012039086 "
        "SK3112000000198742637541 SM86U0322509800000000270100 TR330006100519786457841326 DE02120300000000202051 "
        "DE02500105170137075030 DE75512108001245126199 AT483200000012345864 CH5604835012345678009 "
        "BE71096123456769"
    )
)
_CARD_NAMES = frozenset(words("card pan cc creditcard cardnumber"))
_CARD = LazyPattern(r"[0-9](?:[ -]?[0-9]){12,18}\Z")
# Those that payment providers give out for tests.
SAMPLE_CARDS = frozenset(
    _words(
        "4242424242424242 4111111111111111 4012888888881881 4000056655665556 4000000000000002 4000000000009995 "
        "4000002500003155 4000003800000446 4917610000000000 4222222222222 5555555555554444 5200828282828210 "
        "5105105105105100 5454545454545454 2223003122003222 2223000048400011 378282246310005 371449635398431 "
        "378734493671000 370000000000002 6011111111111117 6011000990139424 6011000000000004 3056930009020004 "
        "30569309025904 38520000023237 36227206271667 3566002020360505 3530111333300000 6200000000000005 "
        "5019717010103742 6331101999990016 6304000000000000 4988438843884305 4646464646464644"
    )
)
_MAX_DISTINCT_OF_SAMPLES = 3


def personal_value(text: str, named: tuple[str, ...]) -> PersonalValue | None:
    """Return the personal value in ``text``, or None. ``named`` are the words of the field's name, needed for cards."""
    if "@" in text:
        return _address(text)
    if text[0].isdigit():
        return None if _CARD_NAMES.isdisjoint(named) else _card(text)
    if text[0].isupper() and text[2:3].isdigit():
        return _account(text)
    return None


def _address(text: str) -> PersonalValue | None:
    match = _ADDRESS.match(text)
    if match is None:
        return None
    local, domain = match[1].lower(), match[2].lower()
    labels = domain.split(".")
    name = "".join(words(local.partition("+")[0]))
    reserved = labels[-1] in _RESERVED_TLDS or not _RESERVED_DOMAINS.isdisjoint(labels[:-1])
    if reserved or name in _ROLES or not name or any(part in domain for part in _IN_RESERVED_DOMAIN):
        return None
    return PersonalValue("e-mail address", f"{match[1][0]}***@{match[2]}", "ada@example.com")


def _account(text: str) -> PersonalValue | None:
    if not _IBAN.match(text):
        return None
    iban = text.replace(" ", "")
    if _LENGTHS.get(iban[:2]) != str(len(iban)) or iban in SAMPLE_IBANS or not is_valid_iban(iban):
        return None
    if len(set(iban[4:])) <= _MAX_DISTINCT_OF_SAMPLES:
        return None  # all zeros, all ones
    return PersonalValue("bank account", f"{iban[:4]}***{iban[-2:]}", "DE89370400440532013000")


def _card(text: str) -> PersonalValue | None:
    if not _CARD.match(text):
        return None
    number = re.sub("[ -]", "", text)
    if number in SAMPLE_CARDS or len(set(number)) <= _MAX_DISTINCT_OF_SAMPLES or not is_valid_luhn(number):
        return None
    return PersonalValue("card number", f"{number[:4]}***{number[-2:]}", "4242424242424242")


def is_valid_iban(iban: str) -> bool:
    """Return True when the check digits are right. Source: ISO 13616, ISO/IEC 7064 (MOD 97-10)."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def is_valid_luhn(number: str) -> bool:
    """Return True when the check digit is right. Source: ISO/IEC 7812-1, annex B."""
    doubled = [int(c) * (1 + at % 2) for at, c in enumerate(reversed(number))]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0
