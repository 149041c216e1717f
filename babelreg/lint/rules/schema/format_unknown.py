"""A misspelt `format`: JSON Schema does not define it, but a similar one.

Formats are asserted on every message, but a validator ignores one that it does not know: `datetime` refuses
nothing at all, and the column in the lake becomes plain text. Formats of your own are not reported.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        placed_at: {type: string, format: datetime}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        placed_at: {type: string, format: date-time}

Fix::

    Write the name of the standard. Values are then checked, so first look at recorded messages: if some do not have
    that format, a new version is needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.schema.keywords_by_type import FORMATS

severity = Severity.WARNING
profile = "standard"

_MEANT = {
    **dict.fromkeys(
        ("datetime", "timestamp", "iso8601", "iso-8601", "rfc3339", "rfc-3339", "iso-date-time"), "date-time"
    ),
    **dict.fromkeys(("iso-date", "full-date", "yyyy-mm-dd"), "date"),
    **dict.fromkeys(("guid", "uuid4", "uuid-v4", "uuidv4"), "uuid"),
    **dict.fromkeys(("url", "href", "http-url", "https-url", "website"), "uri"),
    **dict.fromkeys(("e-mail", "mail", "emailaddress", "email-address"), "email"),
    **dict.fromkeys(("ip-address", "ipaddress", "ip"), "ipv4"),
    **dict.fromkeys(("host", "host-name", "fqdn"), "hostname"),
    **dict.fromkeys(("iso-duration", "iso8601-duration"), "duration"),
    **dict.fromkeys(("regexp", "regular-expression"), "regex"),
}
_PLAIN = {name.replace("-", ""): name for name in FORMATS}


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("format"):
        form = field.schema["format"]
        if not isinstance(form, str) or form in FORMATS or (field.types and "string" not in field.types):
            continue
        suggestion = _suggestion(form)
        if suggestion is not None:
            text = f"'{form}' is not a format of JSON Schema, so nothing is checked"
            at = (*field.pointer, "format")
            yield Problem(text, field.source, at, fix=f"format: {suggestion}", urn=field.urn)


def _suggestion(form: str) -> str | None:
    folded = form.lower().replace("_", "-").replace(" ", "-")
    return _MEANT.get(folded) or _PLAIN.get(folded.replace("-", ""))
