"""An invalid mark of personal data.

`x-gdpr-sensitive` holds `true`, a category as text, or `false` where a name misleads. A misspelt key marks nothing,
and a quoted or YAML-like truth value (`yes`, `"true"`) becomes a category of that name: the field goes on
unprotected, or the inventory lists a category that does not exist.

Bad::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        email: {type: string, x-gdpr-sensitve: email}
        phone: {type: string, x-gdpr-sensitive: yes}

Good::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        email: {type: string, x-gdpr-sensitive: email}
        phone: {type: string, x-gdpr-sensitive: true}

Fix::

    Paste the line that the finding offers. For more than one category, mark each field by itself, or choose one
    word for the whole object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.privacy.sensitivity_marks import MARK
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "standard"

_LIKE_IT = re.compile(r"g[dp]{1,2}r?p?.*sens")
_YES = frozenset({"true", "yes", "on", "y", "1"})
_NO = frozenset({"false", "no", "off", "n", "0", "none", "null", "~", ""})


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with(MARK):
        suggestion = _suggestion(field.schema[MARK])
        if suggestion is not None:
            text = f"{field.shown} has an invalid {MARK} mark"
            yield Problem(text, field.source, (*field.pointer, MARK), fix=f"{MARK}: {suggestion}", urn=field.urn)
    for keyword in scope.keywords:
        if keyword != MARK and _LIKE_IT.search(re.sub("[^a-z]", "", keyword.lower())):
            for field in scope.fields_with(keyword):
                text = f"{field.shown} is marked '{keyword}', a keyword that no tool knows"
                fix = f"{MARK}: {_valid_mark(field.schema[keyword])}"
                yield Problem(text, field.source, (*field.pointer, keyword), key=True, fix=fix, urn=field.urn)


def _suggestion(mark: Any) -> str | None:
    """Return the valid form of ``mark``; None if it is valid."""
    if isinstance(mark, bool):
        return None
    if not isinstance(mark, str):
        return "true, or one category as a string"
    if mark.strip().lower() in _YES:
        return "true"
    return "false" if mark.strip().lower() in _NO else None


def _valid_mark(value: Any) -> str:
    if isinstance(value, str):
        return _suggestion(value) or value
    return "false" if value is False else "true"
