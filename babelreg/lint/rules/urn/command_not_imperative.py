"""A command whose name is not an imperative.

A command asks for something to be done: `media:thumbnail.generate`, `notifications:email.welcome.send`. Named like a
report of what happened (`thumbnail.generated`) it will be taken for an event, and any number of services may act on it.
Only a form that is clearly not an imperative is reported; a noun, an unknown word and a word that may be both are not.

Bad::

    urn: urn:babel:media:thumbnail.generated
    kind: command

Good::

    urn: urn:babel:media:thumbnail.generate
    kind: command

Fix::

    A name that is published cannot be changed: retire the message and declare a new one, or waive the finding for
    it. If it does report what happened, `kind: event` is the fix, as long as nobody depends on it as a command.
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
        if message.kind != "command" or message.parsed is None:
            continue
        name = message.parsed.name
        reading = english.read(name)
        if reading.contradicts_command:
            text = f"the command '{name}' is not an imperative: '{reading.word}' is {_form(reading.form.value)}"
            suggestion = english.as_command(name)
            fix = "say what to do, or write kind: event"
            if suggestion:
                fix = f"name it '{suggestion}', or write kind: event"
            at = message.urn.rfind(reading.word)
            yield Problem(text, message.source, ("urn",), offset=max(at, 0), fix=fix, urn=message.urn)


def _form(form: str) -> str:
    return {"past": "past tense", "gerund": "a gerund"}.get(form, "third person")
