"""English grammar of message names: `order.created` is past, `email.send` imperative, `status.update` ambiguous.

Verbs come from a lexicon (``verbs.txt``, licence in ``NOTICE.txt``) that is read on first use; regular forms follow
spelling rules.
"""

from __future__ import annotations

from babelreg.lint.english.lexicon import base, past
from babelreg.lint.english.name_reading import NameReading, VerbForm, as_command, as_event, form, read

__all__ = ["NameReading", "VerbForm", "as_command", "as_event", "base", "form", "past", "read"]
