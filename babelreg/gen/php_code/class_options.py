"""Options of generated PHP classes: their namespace, and the framework's interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.errors import UsageError
from babelreg.gen.option import Option
from babelreg.typemap.php.names import is_namespace

NAMESPACE = Option("namespace", "The namespace of the classes.", "Messages", command_line=True, metavar="NAME")
SYMFONY = Option("symfony", "Make the messages those of the SDK's adapter for Symfony, too.", False, command_line=True)


def namespace_of(options: Mapping[str, Any]) -> str:
    """Return the namespace. Raises UsageError for one that PHP does not allow."""
    name = NAMESPACE.value(options, "php")
    if not isinstance(name, str) or not is_namespace(name):
        raise UsageError(
            f"{name!r} cannot be a namespace of PHP: names of letters, digits and '_', joined by '\\', no keyword",
            fix="set gen.php.namespace in babelreg.yaml, or pass --namespace 'Acme\\Messages'",
        )
    return name
