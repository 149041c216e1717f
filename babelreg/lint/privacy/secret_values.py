"""Secrets in values: tokens by the shape that their issuer documents, passwords in addresses, card numbers.

Shapes are from the pages of the issuers; most have a prefix, made so that scanners find them. Placeholders and keys
that documentation shows are not secrets.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.privacy.pii_values import SAMPLE_CARDS, is_valid_luhn
from babelreg.lint.schema.field import words

SHORTEST_TOKEN = 13
"""Characters of the shortest token and of the shortest card number."""


class Secret(NamedTuple):
    """A secret: its kind (``what``), and a masked form to show."""

    what: str
    shown: str


# Lengths are bounded, so that a hostile text takes linear time.
_SHAPES = {
    "AWS access key": r"(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])",
    "Stripe key": r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9_]{10,200}|whsec_[A-Za-z0-9]{24,100}",
    "GitHub token": r"gh[opsru]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}",
    "GitLab token": r"gl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_-]{20,200}",
    "Slack token": r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[0-9]-[A-Za-z0-9-]{10,250}",
    "Slack webhook": r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/]{20,100}",
    "Google key": r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,250}|GOCSPX-[A-Za-z0-9_-]{28}",
    "OpenAI or Anthropic key": r"sk-(?:proj-|ant-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,250}",
    "SendGrid key": r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}",
    "Twilio key": r"SK[0-9a-f]{32}(?![A-Za-z0-9])",
    "Mailgun key": r"key-[0-9a-f]{32}(?![A-Za-z0-9])",
    "Mailchimp key": r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])",
    "npm token": r"npm_[A-Za-z0-9]{36}",
    "PyPI token": r"pypi-[A-Za-z0-9_-]{50,250}",
    "Docker token": r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,100}",
    "Hugging Face token": r"hf_[A-Za-z0-9]{30,60}",
    "Shopify token": r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}",
    "Square token": r"(?:EAAA|sq0[a-z]{3}-)[A-Za-z0-9_-]{22,80}",
    "PayPal token": r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    "Telegram bot token": r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    "Discord token": r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    "DigitalOcean token": r"do[opr]_v1_[0-9a-f]{64}",
    "Databricks token": r"dapi[0-9a-f]{32}",
    "Vault token": r"hv[bsr]\.[A-Za-z0-9_-]{24,250}",
    "Terraform token": r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,80}",
    "New Relic key": r"NRAK-[A-Z0-9]{27}",
    "Grafana token": r"gl(?:sa|c)_[A-Za-z0-9_=+/-]{32,250}",
    "Sentry token": r"sntry[su]_[A-Za-z0-9_=+/-]{40,250}",
    "Atlassian token": r"AT[AC]TT3[A-Za-z0-9_=-]{50,250}",
    "Postman key": r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
    "PlanetScale password": r"pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_.-]{32,64}",
    "age secret key": r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    "Azure storage key": r"AccountKey=[A-Za-z0-9+/]{40,100}={0,2}",
    "Azure signature": r"[?&]sig=[A-Za-z0-9%+/]{40,100}",
    "JSON Web Token": r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}",
    "private key": r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    "bearer token": r"[Bb]earer [A-Za-z0-9._~+/-]{16,4000}",
    "basic credentials": r"[Bb]asic [A-Za-z0-9+/]{12,400}={0,2}(?![A-Za-z0-9 ])",
}
_KINDS = list(_SHAPES)
_TOKEN = LazyPattern(r"(?<![A-Za-z0-9])(?:" + "|".join(f"({shape})" for shape in _SHAPES.values()) + ")")
_LONG_WORD = re.compile(r"[A-Za-z0-9_-]{15}").search
_SIGN = re.compile(
    r"eyJ|slack\.com/|gl(?:sa|c)_|sntry|AT[AC]TT3|pscale_|AccountKey=|sig=|PRIVATE KEY|earer |asic |://"
).search
"""Every shape has such a word or such a sign."""
_IN_ADDRESS = LazyPattern(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@?#]{0,100}:([^\s/@]{1,200})@")
_ASSIGNED = LazyPattern(
    r"(?:password|passwd|pwd|passphrase|client_?secret|secret_?key|api_?key|access_?token|refresh_?token)"
    r"\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?([^\s\"'&;,}\\]{1,200})",
    re.IGNORECASE,
)
_PLACEHOLDER = LazyPattern(
    r"example|placeholder|redacted|masked|hidden|dummy|change.?me|replace.?me|your|x{4}|\*\*|\.\.\.|…|[<>{}$]",
    re.IGNORECASE,
)
_WORDS_FOR_NOTHING = frozenset(
    ["", "password", "passwd", "secret", "token", "string", "text", "none", "null", "true", "false", "pass", "unknown"]
)
_FEW_CHARACTERS = 3
_SHORTEST_PASSWORD = 4


def may_have_token(text: str) -> bool:
    """Return False only for a text in which :func:`token` finds nothing: of nearly all texts, and much faster."""
    return len(text) >= SHORTEST_TOKEN and bool(_LONG_WORD(text) or _SIGN(text))


def token(text: str) -> Secret | None:
    """Return the token in ``text``, a private key or credentials included; None where there is none."""
    if not may_have_token(text):
        return None
    for match in _TOKEN.finditer(text):
        if not _is_placeholder(match[0]):
            return Secret(_KINDS[(match.lastindex or 1) - 1], f"{match[0][:4]}***")
    for match in _IN_ADDRESS.finditer(text) if "://" in text else ():
        if not _is_no_password(match[1]):
            return Secret("password in an address", f"{match[0].partition('://')[0]}://***")
    return None


def password(text: str, named: tuple[str, ...]) -> Secret | None:
    """Return the password in ``text``: all of it where the name of the field says so, or behind ``password=``."""
    if is_secret_name(named):
        return None if _is_no_password(text) else Secret(" ".join(named[-2:]), "***")
    if _is_random_secret_name(named) and looks_random(text) and not _is_placeholder(text):
        return Secret(named[-1], "***")
    match = next((m for m in _ASSIGNED.finditer(text) if not _is_no_password(m[1])), None)
    return Secret("password in a text", "***") if match else None


def _is_no_password(text: str) -> bool:
    return len(text) < _SHORTEST_PASSWORD or text.lower() in _WORDS_FOR_NOTHING or _is_placeholder(text)


def _is_placeholder(text: str) -> bool:
    body = text.rpartition("_")[2] or text
    return _PLACEHOLDER.search(text) is not None or len(set(body)) <= _FEW_CHARACTERS


def _names(listed: str) -> frozenset[tuple[str, ...]]:
    return frozenset(words(name) for name in listed.split(","))


# By the last words of a name.
_NAMES = _names(
    "password,passwd,pwd,passphrase,pass phrase,passcode,pass code,client secret,secret key,api key,apikey,api secret,"
    "access token,refresh token,auth token,bearer token,session token,private key,signing key,encryption key,"
    "security code,cvv,cvc,otp,one time code"
)
_MAX_WORDS = max(map(len, _NAMES))
# Any of these in a name: a value of it is not to be published, whatever it looks like.
_WORDS = frozenset(
    words(
        "password passwd passwort pwd pw pass passphrase passcode secret secrets token tokens apikey credential "
        "credentials cookie cookies authorization auth otp pin cvv cvc jwt session signature nonce salt"
    )
)


def is_secret_name(named: tuple[str, ...]) -> bool:
    """Return True when the words of a name end in those of a password, a key or a code."""
    while named and named[-1].isdigit():
        named = named[:-1]
    return any(named[-length:] in _NAMES for length in range(1, min(_MAX_WORDS, len(named)) + 1))


def _is_random_secret_name(named: tuple[str, ...]) -> bool:
    """Return True for names of secrets and of harmless things alike, such as the token of a page."""
    return bool(named) and named[-1] in ("token", "secret", "authorization", "credentials")


def has_secret_name(named: tuple[str, ...]) -> bool:
    """Return True when a name has a word of secrets at all: callers leave the value out in doubt."""
    return is_secret_name(named) or not _WORDS.isdisjoint(named)


_RUN = LazyPattern(r"[A-Za-z0-9+_=-]{20,}")
_BASE64 = LazyPattern(r"(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9])[A-Za-z0-9+/]{40,400}={0,2}")
_UUID = LazyPattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_MANY_CHARACTERS = 10


def looks_random(text: str) -> bool:
    """Return True where a long word of ``text`` mixes letters with digits, or both cases; a UUID does not count.

    Base64 as secret keys of AWS have it counts as a word only where it is the whole text: a path looks like it.
    """
    return _is_random(text) if _BASE64.fullmatch(text) else any(_is_random(run[0]) for run in _RUN.finditer(text))


def _is_random(run: str) -> bool:
    if len(set(run)) < _MANY_CHARACTERS or _UUID.match(run):
        return False
    letters = [character for character in run if character.isalpha()]
    has_digit = any(character.isdigit() for character in run)
    return bool(letters) and (has_digit or (any(map(str.isupper, letters)) and any(map(str.islower, letters))))


# Digits in one run, or in the groups that are printed on cards.
_CARD = LazyPattern(
    r"(?<![\w.+-])(?:[0-9]{13,19}|[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{1,7}|[0-9]{4}([ -])[0-9]{6}\2[0-9]{4,5})"
    r"(?![\w-]|\.[0-9])"
)
# Ranges of the large issuers, with the lengths of their numbers. Source: ISO/IEC 7812, lists of the networks.
_ISSUERS = LazyPattern(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})|(?:5[1-5]|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12,14}|"
    r"3[47][0-9]{13}|6(?:011|5[0-9]{2}|4[4-9][0-9]|22[1-9])[0-9]{12}|35(?:2[89]|[3-8][0-9])[0-9]{12}|"
    r"3(?:0[0-5]|[68][0-9])[0-9]{11}|62[0-9]{14,17}"
)
_MAX_DISTINCT_OF_SAMPLES = 3


def card_number(text: str) -> Secret | None:
    """Return the card number in ``text``, by its check digit and its issuer's range; None for known test numbers."""
    for match in _CARD.finditer(text):
        digits = re.sub("[ -]", "", match[0])
        known = digits in SAMPLE_CARDS or len(set(digits)) <= _MAX_DISTINCT_OF_SAMPLES
        if not known and is_valid_luhn(digits) and _is_issued(digits):
            return Secret("card number", f"{digits[:4]}***{digits[-2:]}")
    return None


def _is_issued(digits: str) -> bool:
    return _ISSUERS.fullmatch(digits) is not None
