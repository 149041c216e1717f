"""A message with aliases, consumed by a service without generated code.

Code that babelreg generates (Python, Go, PHP, TypeScript) registers its handlers under the URN and all aliases. There
is no generated code for Java and .NET: such a service gets the message under the name that was sent, and an SDK without
a handler for that name treats it as an unknown URN.

Bad::

    # file: web/clicked.yaml
    urn: urn:babel:web:clicked
    aliases: [com.shop.web.clicked]
    # file: _services/click-report.yaml
    owner: team-web
    lang: java
    consumes:
      - urn: urn:babel:web:clicked

Good::

    # file: web/clicked.yaml
    urn: urn:babel:web:clicked
    aliases: [com.shop.web.clicked]
    # file: _services/click-report.yaml
    owner: team-web
    lang: python
    consumes:
      - urn: urn:babel:web:clicked

Fix::

    Register the handler of the service under each alias, too, and waive the finding there; or let the producers send
    the URN, and remove the alias once nothing is sent under it.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"

_WITHOUT_GENERATED_CODE = {"java": "Java", "dotnet": ".NET"}


def check(scope: Scope) -> Iterator[Problem]:
    registry = scope.registry
    for message in registry.by_urn.values():
        if not message.aliases or message.status == "retired":
            continue
        names = ", ".join(f"'{alias}'" for alias in message.aliases)
        for name in registry.consumers(message.urn):
            service = registry.services.get(name)
            if service is None or service.lang not in _WITHOUT_GENERATED_CODE:
                continue
            lang = _WITHOUT_GENERATED_CODE[service.lang]
            text = f"'{name}' ({lang}) consumes it and receives it as {names}, but no code is generated for {lang}"
            fix = f"register the handler of '{name}' under these names as well"
            yield Problem(text, message.source, ("aliases",), fix=fix, urn=message.urn, against=service.source.place())
