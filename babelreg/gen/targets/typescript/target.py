"""TypeScript types: the data of each message, and the handlers and the publisher of the Node SDK.

index.ts                      URNs, queues and inboxes; Messages, Envelope, Handlers, Publisher
orders/created.v2.ts          OrdersCreatedV2 and the types of its parts

The types have no code at run time; URNs, queues and inboxes are the only values. Nothing is imported from outside. With
``validate: ajv`` there are validators, too, and Ajv is imported:

validation.ts                 validators of readers and producers, checked handlers and publishers
keywords.ts, formats.ts       what Ajv judges differently
orders/created.v2.schema.ts   the schemas of producers and readers

In a service's repository there are the messages of the service, Publisher takes those that it produces, and Handlers
needs one for each that it consumes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import TargetHooks
from babelreg.gen.targets.typescript.validate_option import VALIDATE

if TYPE_CHECKING:
    from babelreg.gen.option import Option
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "TypeScript types of data, handlers and publishers, for the Node SDK"
options: tuple[Option, ...] = (VALIDATE,)
hooks = TargetHooks(aliases=("javascript", "js", "node", "ts"), languages=("node",), service_folder="src/messages")


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the index, then a module per message.

    Raises BabelregError where two messages would get one type name, or Ajv cannot apply a schema as we do.
    """
    from babelreg.gen.targets.typescript import modules

    return modules.files(registry, options)
