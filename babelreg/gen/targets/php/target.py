"""PHP classes: the data of each message with typed accessors, and typed handlers and publisher for the PHP SDK.

OrdersCreatedV2.php          OrdersCreatedV2, a job of the SDK, with its URN and queue
OrdersCreatedV2/Line.php     a part of its data
Common/Money.php             an object of a shared fragment
Handlers.php, Publisher.php  what receives and sends messages, with the SDK's interfaces
Registry.php                 the classes by URN, and the queues that services read
JsonObject.php, ...          what the classes stand on; the same in every registry

The folder is the root of a namespace, as PSR-4 has it. Only the SDK is needed. In a service's repository there are the
messages of the service, Publisher takes those that it produces, and Handlers needs one for each that it consumes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import TargetHooks
from babelreg.gen.php_code.class_options import NAMESPACE, SYMFONY

if TYPE_CHECKING:
    from babelreg.gen.option import Option
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "PHP classes of data, handlers and publisher, for the PHP SDK"
options: tuple[Option, ...] = (NAMESPACE, SYMFONY)
hooks = TargetHooks(languages=("php",), service_folder="src/Messages")


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the classes, file by file.

    Raises UsageError for an invalid namespace, BabelregError where two messages would get one class name.
    """
    from babelreg.gen.targets.php import classes

    return classes.files(registry, options)
