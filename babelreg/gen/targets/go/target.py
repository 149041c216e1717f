"""A Go package: the data of each message as structs, and typed handlers and publishers for the Go SDK.

messages/
  orders-created-v2.go   OrdersCreatedV2, the types of its parts, the constants of its URN and queue
  registry_index.go      what the service sends and handles, and the queues that services read
  messages.go            Publish and Handle, for the SDK's App
  json_values.go         Optional, Nullable, Int, and what encodes and decodes

The package imports the standard library alone. In a service's repository there are the messages of the service,
Publish takes those that it produces, and Handle those that it consumes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.go_code.package_option import PACKAGE, package_of
from babelreg.gen.hooks import TargetHooks

if TYPE_CHECKING:
    from babelreg.gen.option import Option
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "Go structs of data, handlers and publishers, for the Go SDK"
options: tuple[Option, ...] = (PACKAGE,)


def own_folder(options: Mapping[str, Any]) -> str:
    """Return the folder of the package. Raises UsageError for an invalid name."""
    return package_of(options)


hooks = TargetHooks(aliases=("golang",), languages=("go",), own_folder=own_folder)


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the package, file by file.

    Raises UsageError for an invalid name of the package, BabelregError where two messages would get one type name.
    """
    from babelreg.gen.targets.go import package

    return package.files(registry, options)
