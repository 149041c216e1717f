"""An event whose name is not in the past tense.

An event says what happened: `orders:created`, `billing:payment.captured`. Named like a request (`thumbnail.generate`)
it will be taken for one, and two services do the same work. Only a form that is clearly not a past tense is reported; a
word that may be both (`put`, `set`), a noun and an unknown word are not.

Bad::

    urn: urn:babel:media:thumbnail.generate
    kind: event

Good::

    urn: urn:babel:media:thumbnail.generated
    kind: event

Fix::

    A name that is published cannot be changed: retire the message and declare a new one, or waive the finding for
    it. If it does ask for something, `kind: command` is the fix, as long as nobody depends on it as an event.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    from babelreg.lint import english

    for message in scope.messages:
        if message.kind != "event" or message.parsed is None:
            continue
        name = message.parsed.name
        reading = english.read(name)
        if reading.contradicts_event:
            text = f"the event '{name}' is not in the past tense: '{reading.word}' is {_form(reading.form.value)}"
            suggestion = english.as_event(name)
            fix = "say what happened, or write kind: command"
            if suggestion:
                fix = f"name it '{suggestion}', or write kind: command"
            at = message.urn.rfind(reading.word)
            yield Problem(text, message.source, ("urn",), offset=max(at, 0), fix=fix, urn=message.urn)


def _form(form: str) -> str:
    return "an imperative" if form == "base" else form
