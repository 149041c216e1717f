"""The messages of an AsyncAPI document, 2.x or 3.x: what they are called, who sends them where, what they look like.

In 2.x ``subscribe`` names what the application sends and ``publish`` what it receives; 3.x says ``send`` and
``receive``. Sources: the AsyncAPI specifications 2.6.0 and 3.0.0.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from babelreg.exchange.naming.urn_guess import slug
from babelreg.schema import pointer as pointers

__all__ = ["AsyncApiMessage", "DocumentPlace", "follow", "messages_of"]

DocumentPlace = tuple[str, str]
"""A place in a document: the path of the file, and a pointer as text."""
_MOST_HOPS = 50
_SENT = {"send": True, "receive": False, "subscribe": True, "publish": False}


@dataclass
class AsyncApiMessage:
    """A message object at ``place``. ``services`` maps the names of services to what is known about them."""

    place: DocumentPlace
    value: dict[str, Any]
    name: str
    queues: dict[str, None] = field(default_factory=dict)
    producers: dict[str, None] = field(default_factory=dict)
    consumers: dict[str, None] = field(default_factory=dict)
    services: dict[str, dict[str, Any]] = field(default_factory=dict)


def follow(documents: Mapping[str, Any], place: DocumentPlace) -> tuple[DocumentPlace, Any]:
    """Return the value at ``place``, or what its references lead to, and where that is; None where there is nothing."""
    path, pointer = place
    for _ in range(_MOST_HOPS):
        try:
            value = pointers.find(documents[path], pointers.parse(pointer))
        except (KeyError, ValueError):
            return (path, pointer), None
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not isinstance(reference, str):
            return (path, pointer), value
        file, _, fragment = reference.partition("#")
        if file:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file)))
        pointer = pointers.unquoted(fragment)
    return (path, pointer), None


def messages_of(documents: Mapping[str, Any], path: str) -> list[AsyncApiMessage]:
    """Return the messages of the document at ``path``, those of channels first, then those that no channel has."""
    found = _Messages(documents, path)
    if str(documents[path].get("asyncapi", "")).startswith("2."):
        found.read_version_2()
    else:
        found.read_version_3()
    found.read_components()
    return list(found.messages.values())


class _Messages:
    def __init__(self, documents: Mapping[str, Any], path: str) -> None:
        self.documents = documents
        self.path = path
        self.messages: dict[DocumentPlace, AsyncApiMessage] = {}
        info = documents[path].get("info")
        title = info.get("title") if isinstance(info, dict) else None
        self.application = slug(str(title or "")) or "application"
        self.title = str(title or "application")

    def members(self, *steps: str | int) -> Iterator[tuple[str, DocumentPlace, dict[str, Any]]]:
        """Yield the mappings in the mapping at ``steps``: key, place and value, references followed."""
        (path, pointer), value = follow(self.documents, (self.path, pointers.text(steps)))
        for key in value if isinstance(value, dict) else ():
            place, member = follow(self.documents, (path, pointer + pointers.text((key,))))
            if isinstance(member, dict):
                yield key, place, member

    def message(self, place: DocumentPlace, name: str = "") -> list[AsyncApiMessage]:
        """Return the messages that the message object at ``place`` stands for: several where it is a ``oneOf``."""
        place, value = follow(self.documents, place)
        if not isinstance(value, dict):
            return []
        if isinstance(value.get("oneOf"), list) and "payload" not in value:
            parts = [(place[0], f"{place[1]}/oneOf/{number}") for number in range(len(value["oneOf"]))]
            return [message for part in parts for message in self.message(part, name)]
        if place not in self.messages:
            last = place[1].rpartition("/")[2]
            spelled = value.get("name") or value.get("messageId") or (name if last in ("message", "") else last)
            self.messages[place] = AsyncApiMessage(place, value, str(spelled or name))
        return [self.messages[place]]

    def read_version_2(self) -> None:
        for address, (path, pointer), channel in self.members("channels"):
            for action in ("subscribe", "publish"):
                if not isinstance(channel.get(action), dict):
                    continue
                place = (path, f"{pointer}/{action}/message")
                for message in self.message(place, str(channel[action].get("operationId") or address)):
                    self.place(message, address, channel[action], sends=_SENT[action])

    def read_version_3(self) -> None:
        channels: dict[DocumentPlace, str] = {}
        for key, place, channel in self.members("channels"):
            address = channel.get("address", key)
            channels[place] = address if isinstance(address, str) else ""
            for name in channel.get("messages", {}) if isinstance(channel.get("messages"), dict) else ():
                for message in self.message((place[0], f"{place[1]}/messages{pointers.text((name,))}"), name):
                    self.place(message, channels[place], {}, sends=None)
        for _, (path, pointer), operation in self.members("operations"):
            place, channel = follow(self.documents, (path, f"{pointer}/channel"))
            listed = operation.get("messages")
            where = (path, f"{pointer}/messages")
            if not isinstance(listed, list):  # all messages of the channel
                listed = channel.get("messages") if isinstance(channel, dict) else None
                where = (place[0], f"{place[1]}/messages")
            names = listed if isinstance(listed, dict) else range(len(listed or ()))
            for name in names:
                for message in self.message((where[0], where[1] + pointers.text((name,)))):
                    sends = _SENT.get(str(operation.get("action")))
                    self.place(message, channels.get(place, ""), operation, sends=sends)

    def read_components(self) -> None:
        for name, place, _ in self.members("components", "messages"):
            self.message(place, name)

    def place(
        self, message: AsyncApiMessage, address: str, operation: Mapping[str, Any], *, sends: bool | None
    ) -> None:
        """Note where a message goes, and which service sends or receives it."""
        if address and "{" not in address:
            message.queues[address] = None
        if sends is None:
            return
        service = slug(str(operation.get("x-babel-service") or "")) or self.application
        known = {key: operation.get(f"x-babel-{key}") for key in ("owner", "lang")}
        facts = {key: value for key, value in known.items() if isinstance(value, str) and value}
        message.services[service] = facts or {"description": self.title}
        (message.producers if sends else message.consumers)[service] = None
