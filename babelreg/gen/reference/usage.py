"""Python that sends or handles a message, where the package of ``gen python`` can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from babelreg.gen.python_code import usage_example
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.model import Message, Registry

__all__ = ["Usage"]


class Usage(NamedTuple):
    """The Python package in examples, and the roles of the service that it is for, if it is for one."""

    python: PackageOptions
    roles: Roles

    @classmethod
    def of(cls, registry: Registry, options: Mapping[str, Any]) -> Usage:
        """Return the options of target python, from ``options`` or the registry. Raises UsageError for invalid ones."""
        python = options.get("python", registry.settings.gen.get("python") or {})
        return cls(PackageOptions.of(python, registry.settings), Roles.of(options))

    def send(self, message: Message) -> str | None:
        """Return code that sends ``message``; None where the package has no producer of it."""
        if self.python.foreign or not self.roles.sends(message.urn):
            return None
        python = self.python
        return usage_example.send(message, python.package, python.models, typed=python.typed)

    def handle(self, message: Message) -> str | None:
        """Return code that handles ``message``; None where the service does not consume it."""
        if self.python.foreign or (self.roles.service is not None and message.urn not in self.roles.consumes):
            return None
        return usage_example.handle(message, self.python.package, self.python.models)

    def facts_of(self, message: Message) -> list[Any]:
        """Return the inputs of the page of ``message`` among the options."""
        python, roles = self.python, self.roles
        handled = roles.service is None or message.urn in roles.consumes
        facts: list[Any] = [python.wire] if python.foreign else []
        return [*facts, python.package, python.models, python.typed, roles.sends(message.urn), handled]
