"""An AsyncAPI 3.1 document: a channel per queue, a message per URN, send and receive operations per service.

Services send to the queue that a message names, and receive from their inbox.

    asyncapi.json              all services
    SERVICE/asyncapi.json      with --service: what one service sends and receives

The payload of a message is its whole envelope, in which ``job`` is constant, so that a message on a queue is valid
against exactly one; with ``wire`` it is the message in another format. Schemas are of draft-07, which AsyncAPI extends.
Source: AsyncAPI specification 3.1.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import TargetHooks
from babelreg.gen.option import CLOSED_ENUMS, Option
from babelreg.wire.format import NATIVE
from babelreg.wire.formats.table import FORMATS

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "An AsyncAPI 3.1 document of queues, messages and services"
TITLE = Option("title", "The title of the document.", "Messages")
SERVICE = Option("service", "Only what this service sends and receives.", command_line=True, metavar="NAME")
_DESCRIBED = [name for name, wire in FORMATS.items() if wire.names is not None and wire.names.content_type]
WIRE = Option(
    "wire",
    "The wire format of the payloads.",
    NATIVE,
    (NATIVE, *_DESCRIBED),
    command_line=True,
    metavar="FORMAT",
)
options = (TITLE, SERVICE, WIRE, CLOSED_ENUMS)


def own_folder(options: Mapping[str, Any]) -> str:
    """Return the folder of the service, "" for the document of all services."""
    service = SERVICE.value(options, "asyncapi")
    return "" if service is None else _folder(str(service))


hooks = TargetHooks(own_folder=own_folder)


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the document.

    Raises UsageError if no service has the name that ``options`` choose.
    """
    from babelreg.gen.json_file import json_file
    from babelreg.gen.targets.asyncapi.document import AsyncApiDocument

    service = SERVICE.value(options, "asyncapi")
    document = AsyncApiDocument(
        registry,
        str(TITLE.value(options, "asyncapi")),
        None if service is None else str(service),
        wire=WIRE.value(options, "asyncapi"),
        closed_enums=CLOSED_ENUMS.value(options, "asyncapi"),
    )
    in_own_repository = "produces" in options
    folder = "" if in_own_repository else own_folder(options)
    path = f"{folder}/asyncapi.json" if folder else "asyncapi.json"
    yield json_file(path, "asyncapi", "the registry", document.inputs(), document.as_json, comment="x-generated")


def _folder(service: str) -> str:
    import re

    return re.sub(r"[^A-Za-z0-9_-]", lambda match: f".{ord(match[0]):x}.", service)
