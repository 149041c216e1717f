"""Names of fields with personal data: e-mail addresses, phone numbers, names of persons.

The last words of a name tell the kind of value: ``billing_email`` is an address, ``email_sent_count``,
``email_template_id`` and ``phone_verified`` are not. Some names are personal only in data about a person (``street``);
they are unsure, and callers also check the object of the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from babelreg.lint.schema.field import words


class PiiGuess(NamedTuple):
    """Likely ``category`` for ``x-gdpr-sensitive``. ``sure`` is False if the name alone is not enough."""

    category: str
    sure: bool = True


def _tails(**named: str) -> Mapping[tuple[str, ...], str]:
    return {tuple(tail.split()): category for category, tails in named.items() for tail in tails.split(",")}


USER_ID = "user_id"
"""The category of identifiers of users, which does not make the fields of the same object personal."""
# By the last words of a name. Names are separated by commas.
_SURE = _tails(
    email="email,e mail,emails,email address,e mail address,email addresses",
    phone="phone,phones,phone number,phone numbers,phone no,phonenumber,telephone,telephone number,telephone no,"
    "mobile number,mobile phone,mobile phone number,mobilenumber,cell phone,cellphone,cell phone number,msisdn",
    name="first name,firstname,last name,lastname,given name,givenname,given names,family name,familyname,middle name,"
    "middlename,maiden name,surname,surnames,forename,cardholder name,card holder name,account holder name,"
    "patient name,passenger name,guest name,employee name,recipient name,customer name,applicant name,beneficiary name",
    birth_date="birth date,birthdate,date of birth,birthday,dob,place of birth,birth place,birthplace,year of birth,"
    "birth year",
    national_id="ssn,social security number,national insurance number,nino,passport number,passport no,national id,"
    "national identity number,national identification number,identity card number,id card number,"
    "driver license number,drivers license number,driver licence number,driving licence number,"
    "driving license number,personnummer,cpf,pesel,aadhaar,aadhaar number,nhs number",
    bank_account="iban,bank account number",
    card_number="credit card number,creditcard number,debit card number,card number,cardnumber,primary account number",
    address="home address,postal address,residential address,shipping address,delivery address,billing address,"
    "mailing address",
    ip_address="client ip,client ip address,user ip,user ip address,customer ip,customer ip address,visitor ip,"
    "visitor ip address,login ip,last login ip,remote ip,remote ip address,remote addr,signup ip",
    user_id="user id,userid,user uuid,user guid,user ids,userids",
    special="ethnicity,ethnic origin,sexual orientation,religious belief,religious beliefs,political opinion,"
    "political opinions",
)
_UNSURE = _tails(
    name="full name,fullname",
    address="address,street,street address,street name,house number,address line",
    ip_address="ip,ip address,ip addr",
)
# Whole names that are personal beside the name of a person.
_LIKELY = _tails(
    address="zip,zip code,zipcode,postcode,post code,postal code,postalcode,city,town",
    contact="to,cc,bcc",
    text="note,notes,remark,remarks",
)
# Packages, fonts and products have family names, too.
_NOT_ONLY_OF_PERSONS = frozenset({("family", "name"), ("familyname",)})
_MAX_WORDS = max(map(len, (*_SURE, *_UNSURE)))
# Owners that are not persons; and transformations after which a value no longer identifies anybody.
_NOT_OF_A_PERSON = frozenset(
    words(
        "company business org organization organisation corporate merchant shop store seller supplier vendor "
        "warehouse support noreply abuse feedback proxy hotline office department helpdesk desk team group system "
        "service server host bot smtp from reply template placeholder sample example default test dummy font "
        "product instance gift loyalty graphics report hashed hash masked encrypted redacted anonymized "
        "anonymised pseudonymized pseudonymised obfuscated tokenized"
    )
)
_QUESTIONS = frozenset(
    words("is has was can should must needs requires require allow allows supports unique num total")
)
_PEOPLE = frozenset(
    words(
        "customer user person recipient buyer shopper patient employee guest passenger subscriber visitor "
        "applicant student beneficiary shipping delivery billing home consignee payer holder resident traveller "
        "traveler contact citizen donor"
    )
)


@lru_cache(maxsize=1 << 14)
def guess_pii(named: tuple[str, ...]) -> PiiGuess | None:
    """Return the likely category of a field whose name has these words, or None if it is not personal."""
    while named and named[-1].isdigit():
        named = named[:-1]
    if not named or impersonal(named):
        return None
    for length in range(min(_MAX_WORDS, len(named)), 0, -1):
        tail = named[-length:]
        if tail in _SURE:
            ambiguous = tail in _NOT_ONLY_OF_PERSONS and length < len(named) and not about_people(named[:-length])
            return None if ambiguous else PiiGuess(_SURE[tail])
        if tail in _UNSURE:
            return PiiGuess(_UNSURE[tail], sure=False)
    return None


def guess_likely_pii(named: tuple[str, ...]) -> PiiGuess | None:
    """Return the category of a field with this name where another field beside it is about a person."""
    category = _LIKELY.get(named)
    return PiiGuess(category, sure=False) if category else None


def impersonal(named: tuple[str, ...]) -> bool:
    """Return True when a name of these words is clearly not personal: ``support_email``."""
    return bool(named) and (named[0] in _QUESTIONS or not _NOT_OF_A_PERSON.isdisjoint(named))


@lru_cache(maxsize=1 << 14)
def about_people(named: tuple[str, ...]) -> bool:
    """Return True when a name of these words is about persons: ``customer``, ``users``, ``shipping_address``."""
    return not _PEOPLE.isdisjoint(named) or not _PEOPLE.isdisjoint(word.removesuffix("s") for word in named)
