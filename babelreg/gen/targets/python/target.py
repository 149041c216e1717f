"""Typed Python on the ``babelqueue`` package: data models and a producer per message, and consumers.

messages/
  __init__.py            every class, imported on first access
  requirements.txt       the requirements of the package
  orders_created.py      OrdersCreated, its nested classes, OrdersCreatedProducer
  testing.py             an in-memory broker for tests of the service
  common.py              the classes of shared fragments
  worker.py              the command that runs a consumer
  _schemas/              the JSON Schema of each message's data
  _babelreg/             the runtime (a copy), unless the package imports babelreg_runtime
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import TargetHooks
from babelreg.gen.python_code.package_options import OPTIONS, PackageOptions

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "Typed data models, producers and consumers on the babelqueue package"
options = OPTIONS


def own_folder(options: Mapping[str, Any]) -> str:
    """Return the folder of the package. Raises UsageError for an option with an invalid value."""
    return PackageOptions.of(options).package


hooks = TargetHooks(languages=("python",), own_folder=own_folder)


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the package, file by file.

    Raises UsageError for an option with an invalid value, BabelregError where two messages would get one class name.
    """
    from babelreg.gen.targets.python import package

    return package.files(registry, options)
