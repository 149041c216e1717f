"""Code that sends or handles a message, in the languages of the services that do, where generated code exists for them.

``_LANGUAGES`` has a line for each language. A message whose services use none of them is shown in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from babelreg.gen.go_code import usage_example as go
from babelreg.gen.go_code.package_option import package_of
from babelreg.gen.go_code.shared_structs import SharedStructs
from babelreg.gen.php_code import usage_example as php
from babelreg.gen.php_code.class_options import namespace_of
from babelreg.gen.php_code.shared_parts import SharedParts
from babelreg.gen.python_code import usage_example as python
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.target import generated_messages
from babelreg.gen.typescript_code import usage_example as typescript
from babelreg.model import Message, Registry, topology
from babelreg.model.topology import subscriptions_of
from babelreg.typemap.go.names import message_type

_DEFAULT = "python"


class CodeExample(NamedTuple):
    """Code in one language. ``syntax`` is its name for highlighters, ``command`` writes what the code imports."""

    language: str
    syntax: str
    command: str
    source: str


class _Language(Protocol):
    """Examples in one language.

    ``queue`` is the queue that producers name; None where it is not known. ``inbox`` is the one that the service reads.
    ``facts`` are the inputs of both examples besides the message and these queues.
    """

    name: str
    target: str

    def __init__(self, registry: Registry, options: Mapping[str, Any]) -> None: ...
    def send(self, message: Message, queue: str | None) -> str | None: ...
    def handle(self, message: Message, inbox: str) -> str | None: ...
    def facts(self, message: Message) -> list[Any]: ...


class _Python:
    name, target = "Python", "python"

    def __init__(self, registry: Registry, options: Mapping[str, Any]) -> None:
        self.package = PackageOptions.of(_options_of("python", registry, options), registry.settings)

    def send(self, message: Message, queue: str | None) -> str | None:
        package = self.package
        if package.foreign:
            return None
        return python.send(message, package.package, package.models, typed=package.typed)

    def handle(self, message: Message, inbox: str) -> str | None:
        if self.package.foreign:
            return None
        return python.handle(message, self.package.package, self.package.models)

    def facts(self, message: Message) -> list[Any]:
        package = self.package
        return [package.wire if package.foreign else None, package.package, package.models, package.typed]


class _TypeScript:
    name, target = "TypeScript", "typescript"

    def __init__(self, registry: Registry, options: Mapping[str, Any]) -> None:
        pass

    def send(self, message: Message, queue: str | None) -> str:
        return typescript.send(message, None if queue else message.queue or message.context)

    def handle(self, message: Message, inbox: str) -> str:
        return typescript.handle(message, inbox)

    def facts(self, message: Message) -> list[Any]:
        return []


class _Go:
    name, target = "Go", "go"

    def __init__(self, registry: Registry, options: Mapping[str, Any]) -> None:
        self.registry = registry
        self.package = package_of(_options_of("go", registry, options))

    @cached_property
    def shared(self) -> SharedStructs:
        return SharedStructs(self.registry, list(generated_messages(self.registry)))

    def send(self, message: Message, queue: str | None) -> str:
        assert message.parsed is not None
        constant = f"{self.package}.{message_type(message.parsed)}_Queue" if queue else None
        return go.send(message, self.package, self.shared, constant)

    def handle(self, message: Message, inbox: str) -> str:
        return go.handle(message, self.package, self.shared)

    def facts(self, message: Message) -> list[Any]:
        return [self.package, self.shared.digest_of(message)]


class _Php:
    name, target = "PHP", "php"

    def __init__(self, registry: Registry, options: Mapping[str, Any]) -> None:
        self.registry = registry
        self.namespace = namespace_of(_options_of("php", registry, options))
        self.others = len(Roles.of(options).consumes) > 1

    @cached_property
    def shared(self) -> SharedParts:
        return SharedParts(self.registry, list(generated_messages(self.registry)))

    def send(self, message: Message, queue: str | None) -> str:
        named = None if queue else message.queue or message.context
        return php.send(message, self.namespace, self.shared, named, strict=self.strict(message))

    def handle(self, message: Message, inbox: str) -> str:
        return php.handle(message, self.namespace, inbox, others=self.others, strict=self.strict(message))

    def facts(self, message: Message) -> list[Any]:
        return [self.namespace, self.others, self.strict(message), self.shared.digest_of(message)]

    def strict(self, message: Message) -> bool:
        return self.registry.compatibility(message.context).reader == "strict"


def _options_of(target: str, registry: Registry, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of ``target`` of the service, or those of the registry."""
    given: Mapping[str, Any] = options.get(target, registry.settings.gen.get(target) or {})
    return given


_LANGUAGES: Mapping[str, type[_Language]] = {"python": _Python, "node": _TypeScript, "go": _Go, "php": _Php}
"""By the ``lang`` of a service, in the order of pages."""


class Usage:
    """Examples for a registry, or for the service that ``roles`` are of."""

    def __init__(self, registry: Registry, options: Mapping[str, Any]) -> None:
        """Take the options of the targets from ``options`` or the registry. Raises UsageError for invalid ones."""
        self._registry = registry
        self._roles = Roles.of(options)
        self._queues = (options.get("topology") or topology(registry)).sources
        self._languages = {name: language(registry, options) for name, language in _LANGUAGES.items()}

    def send(self, message: Message) -> list[CodeExample]:
        """Return code that sends ``message``, in the languages of its producers; none where the service does not."""
        queue = self._queues.get(message.urn)
        return [
            example
            for name in self._senders(message)
            if (example := self._example(name, self._languages[name].send(message, queue)))
        ]

    def handle(self, message: Message) -> list[CodeExample]:
        """Return code that handles ``message``, in the languages of its consumers; none where the service does not."""
        return [
            example
            for name, inbox in self._readers(message).items()
            if (example := self._example(name, self._languages[name].handle(message, inbox)))
        ]

    def facts_of(self, message: Message) -> list[Any]:
        """Return the inputs of the page of ``message`` among the options and the services."""
        senders, readers = self._senders(message), self._readers(message)
        known = {name: self._languages[name].facts(message) for name in (*senders, *readers)}
        return [senders, readers, self._queues.get(message.urn), known]

    def _senders(self, message: Message) -> list[str]:
        if not self._roles.sends(message.urn):
            return []
        service = self._roles.service
        return self._known(message.producers if service is None else (service,))

    def _readers(self, message: Message) -> dict[str, str]:
        """Return the languages of the consumers, each with the inbox of the first of them."""
        service, other = self._roles.service, message.queue or message.context
        if service is not None and message.urn not in self._roles.consumes:
            return {}
        inboxes = {each.service: each.queue for each in subscriptions_of(self._registry, message)}
        if service is not None:
            inboxes = {service: inboxes.get(service, other)}
        by_language = {self._lang(name): queue for name, queue in reversed(inboxes.items())}
        return {name: by_language.get(name, other) for name in self._known(inboxes)}

    def _known(self, services: Iterable[str]) -> list[str]:
        used = {self._lang(service) for service in services}
        return [name for name in self._languages if name in used] or [_DEFAULT]

    def _lang(self, service: str) -> str | None:
        known = self._registry.services.get(service)
        return known.lang if known else None

    def _example(self, name: str, source: str | None) -> CodeExample | None:
        if source is None:
            return None
        language = self._languages[name]
        return CodeExample(language.name, language.target, f"babelreg gen {language.target}", source)
