"""A property is no longer marked as personal data.

Consumers mask, encrypt, expire or omit what `x-gdpr-sensitive` marks. Without the mark, the same values are passed on
unprotected, in messages that stay valid.

Bad::

    # before
    data:
      type: object
      properties:
        email: {type: string, x-gdpr-sensitive: email}
    # after
    data:
      type: object
      properties:
        email: {type: string}

Good::

    # before
    data:
      type: object
      properties:
        email: {type: string, x-gdpr-sensitive: email}
    # after
    data:
      type: object
      properties:
        email: {type: string, x-gdpr-sensitive: email, description: Where to write.}

Fix::

    Restore the mark. If the values are no longer personal data, add a new property for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.finding import Severity

severity = Severity.ERROR
_MARK = "x-gdpr-sensitive"


def check(pair: Pair) -> Iterator[Change]:
    if not pair.data_changed:
        return
    for path, new in pair.new_fields.items():
        old = pair.old_fields.get(path)
        marked = old.keyword_value(_MARK) if old else None
        if old and marked not in (None, False) and new.keyword_value(_MARK) in (None, False):
            message = f"property '{path}' is no longer marked {_MARK}"
            keep = f"write `{_MARK}: {marked if isinstance(marked, str) else 'true'}` there again"
            yield Change(message, new.pointer, (*old.pointer, _MARK), key=True, keep=keep, fields=(path,))
