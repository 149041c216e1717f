"""The English of message names: is `order.created` past, `email.welcome.send` imperative, `status.update` unsure?

Verbs come from a lexicon (``verbs.txt``, terms in ``NOTICE.txt``) read on first use; everything else is spelling.
"""

from __future__ import annotations

from babelreg.lint.english.lexicon import base, past
from babelreg.lint.english.name import Form, Reading, as_command, as_event, form, read

__all__ = ["Form", "Reading", "as_command", "as_event", "base", "form", "past", "read"]
