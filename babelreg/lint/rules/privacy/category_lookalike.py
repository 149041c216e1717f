"""One category of personal data under two spellings.

Requests for access or erasure are handled by the categories of the inventory. `birth_date` and `BirthDate` are two
categories, and the second is forgotten. The rule reports names that differ only in capitals, separators or a plural;
the most frequent one counts as correct.

Bad::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        born: {type: string, x-gdpr-sensitive: birth_date}
        birthday: {type: string, x-gdpr-sensitive: birth_date}
        child_born: {type: string, x-gdpr-sensitive: BirthDate}

Good::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        born: {type: string, x-gdpr-sensitive: birth_date}
        birthday: {type: string, x-gdpr-sensitive: birth_date}
        child_born: {type: string, x-gdpr-sensitive: birth_date}

Fix::

    Paste the line that the finding offers. Validators ignore the mark: no message is validated differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.naming.lookalikes import variants
from babelreg.lint.privacy.sensitivity_marks import MARK
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    marked = [(category, field) for field in scope.fields_with(MARK) if isinstance(category := field.schema[MARK], str)]
    suggestion = variants(Counter(category for category, _ in marked))
    for category, field in marked if suggestion else ():
        if category in suggestion:
            text = f"{field.shown} has the category '{category}', which is spelled '{suggestion[category]}' elsewhere"
            at = (*field.pointer, MARK)
            yield Problem(text, field.source, at, fix=f"{MARK}: {suggestion[category]}", urn=field.urn)
