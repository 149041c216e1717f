"""The messages of AsyncAPI documents, 2.x or 3.x: what they are called, who sends them where, what they look like.

In 2.x ``subscribe`` names what the application sends and ``publish`` what it receives; 3.x says ``send`` and
``receive``. Sources: the AsyncAPI specifications 2.6.0 and 3.0.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from babelreg.exchange.sources.document_place import DocumentPlace, follow
from babelreg.exchange.urn_guess import slug
from babelreg.schema import pointer as pointers

_SENT = {"send": True, "receive": False, "subscribe": True, "publish": False}


@dataclass
class AsyncApiMessage:
    """A message object at ``place``. ``services`` maps the names of services to what is known about them.

    ``title`` is that of the first document that sends it, else of the first that names it.
    """

    place: DocumentPlace
    value: dict[str, Any]
    name: str
    title: str
    channels: dict[DocumentPlace, AsyncApiChannel] = field(default_factory=dict)
    producers: dict[str, None] = field(default_factory=dict)
    consumers: dict[str, None] = field(default_factory=dict)
    services: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def queues(self) -> list[str]:
        """The addresses of its channels that are fixed, without the inboxes of services."""
        channels = (channel for channel in self.channels.values() if channel.is_fixed and not channel.is_inbox)
        return list(dict.fromkeys(channel.address for channel in channels))


@dataclass
class AsyncApiChannel:
    """A channel object at ``place``; ``address`` is empty where it has none.

    ``is_inbox``: it is the queue that a service reads, and not one that producers send to.
    """

    place: DocumentPlace
    name: str
    address: str
    messages: int = 0
    is_inbox: bool = False

    @property
    def is_fixed(self) -> bool:
        """True for an address without parameters."""
        return bool(self.address) and "{" not in self.address


@dataclass
class AsyncApiContents:
    """What documents declare. ``unread`` are the places of what is no object, or leads nowhere, and their kind.

    ``empty`` are the documents without a message.
    """

    messages: dict[DocumentPlace, AsyncApiMessage] = field(default_factory=dict)
    channels: dict[DocumentPlace, AsyncApiChannel] = field(default_factory=dict)
    unread: dict[DocumentPlace, str] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)


def version_of(document: Any) -> str | None:
    """Return the version of AsyncAPI that a document names; None for one of something else."""
    return str(document["asyncapi"]) if isinstance(document, dict) and "asyncapi" in document else None


def contents_of(documents: Mapping[str, Any], paths: Iterable[str], root: str = "") -> AsyncApiContents:
    """Return the messages of the documents at ``paths``, those of channels first, then those that no channel has."""
    contents = AsyncApiContents()
    readers = [_DocumentReader(documents, path, root, contents) for path in paths]
    for reader in readers:
        if str(version_of(documents[reader.path])).startswith("2."):
            reader.read_version_2()
        else:
            reader.read_version_3()
    for reader in readers:
        reader.read_components()
    contents.empty += [reader.path for reader in readers if not reader.has_messages]
    return contents


class _DocumentReader:
    def __init__(self, documents: Mapping[str, Any], path: str, root: str, contents: AsyncApiContents) -> None:
        self.documents = documents
        self.path = path
        self.root = root
        self.contents = contents
        info = documents[path].get("info")
        title = info.get("title") if isinstance(info, dict) else None
        self.application = slug(str(title or "")) or "application"
        self.title = str(title or "")
        self.has_messages = False

    def follow(self, place: DocumentPlace) -> tuple[DocumentPlace, Any]:
        return follow(self.documents, place, self.root)

    def members(self, *steps: str | int) -> Iterator[tuple[str, DocumentPlace, dict[str, Any]]]:
        """Yield the mappings in the mapping at ``steps``: key, place and value, references followed."""
        kind = str(steps[-1]).removesuffix("s")
        (path, pointer), value = self.follow((self.path, pointers.text(steps)))
        if value is not None and not isinstance(value, dict):
            self.contents.unread[path, pointer] = str(steps[-1])
        for key in value if isinstance(value, dict) else ():
            written = (path, pointer + pointers.text((key,)))
            place, member = self.follow(written)
            if isinstance(member, dict):
                yield key, place, member
            else:
                self.contents.unread[written] = kind

    def messages(
        self, written: DocumentPlace, name: str = "", above: frozenset[DocumentPlace] = frozenset()
    ) -> list[AsyncApiMessage]:
        """Return the messages that the message object at ``written`` stands for: several where it is a ``oneOf``."""
        place, value = self.follow(written)
        if not isinstance(value, dict) or place in above:
            self.contents.unread[written] = "message"
            return []
        if isinstance(value.get("oneOf"), list) and "payload" not in value:
            parts = [(place[0], f"{place[1]}/oneOf/{number}") for number in range(len(value["oneOf"]))]
            return [message for part in parts for message in self.messages(part, name, above | {place})]
        self.has_messages = True
        if place not in self.contents.messages:
            last = pointers.parse(place[1])[-1] if place[1].startswith("/") else ""
            spelled = value.get("name") or value.get("messageId") or (name if last in ("message", "") else last)
            message = AsyncApiMessage(place, value, str(spelled or name), self.title)
            self.contents.messages[place] = message
        return [self.contents.messages[place]]

    def channel(self, place: DocumentPlace, name: str, address: Any) -> AsyncApiChannel:
        spelled = address if isinstance(address, str) else ""
        return self.contents.channels.setdefault(place, AsyncApiChannel(place, name, spelled))

    def read_version_2(self) -> None:
        for address, place, value in self.members("channels"):
            # By its own place: one channel object may stand at several addresses.
            channel = self.channel((self.path, pointers.text(("channels", address))), address, address)
            for action in ("subscribe", "publish"):
                operation_place, operation = self.follow((place[0], f"{place[1]}/{action}"))
                if action not in value:
                    continue
                if not isinstance(operation, dict) or "message" not in operation:
                    self.contents.unread[place[0], f"{place[1]}/{action}"] = "operation"
                    continue
                written = (operation_place[0], f"{operation_place[1]}/message")
                for message in self.messages(written, str(operation.get("operationId") or address)):
                    self.place(message, channel, operation, sends=_SENT[action])

    def read_version_3(self) -> None:
        for key, place, value in (*self.members("channels"), *self.members("components", "channels")):
            channel = self.channel(place, key, value.get("address", key))
            channel.is_inbox = value.get("x-babel-inbox") is True
            listed = value.get("messages")
            if not isinstance(listed, dict):
                if listed is not None:
                    self.contents.unread[place[0], f"{place[1]}/messages"] = "messages"
                continue
            for name in listed:
                for message in self.messages((place[0], f"{place[1]}/messages{pointers.text((name,))}"), name):
                    self.place(message, channel, {}, sends=None)
        for _, (path, pointer), operation in self.members("operations"):
            sends = _SENT.get(operation["action"]) if isinstance(operation.get("action"), str) else None
            if sends is None:
                self.contents.unread[path, f"{pointer}/action"] = "action"
            self.read_operation((path, pointer), operation, operation, sends=sends)
            reply_place, reply = self.follow((path, f"{pointer}/reply"))
            if isinstance(reply, dict):
                self.read_operation(reply_place, reply, operation, sends=None if sends is None else not sends)

    def read_operation(
        self, place: DocumentPlace, value: Mapping[str, Any], operation: Mapping[str, Any], *, sends: bool | None
    ) -> None:
        """Read the channel and the messages of an operation, or of its reply."""
        at, channel_value = self.follow((place[0], f"{place[1]}/channel"))
        channel = None
        if isinstance(channel_value, dict):
            name = str((pointers.parse(at[1]) or ("",))[-1]) if at[1].startswith("/") else ""
            channel = self.channel(at, name, channel_value.get("address", name))
        elif "channel" in value or value is operation:
            self.contents.unread[place[0], f"{place[1]}/channel"] = "channel"
        listed, where = value.get("messages"), (place[0], f"{place[1]}/messages")
        if not isinstance(listed, list):  # all messages of the channel
            listed = channel_value.get("messages") if isinstance(channel_value, dict) else None
            where = (at[0], f"{at[1]}/messages")
        keys: Iterable[str | int] = range(len(listed)) if isinstance(listed, list) else ()
        for key in listed if isinstance(listed, dict) else keys:
            for message in self.messages((where[0], where[1] + pointers.text((key,)))):
                self.place(message, channel, operation, sends=sends)

    def read_components(self) -> None:
        for name, place, _ in self.members("components", "messages"):
            self.messages(place, name)

    def place(
        self,
        message: AsyncApiMessage,
        channel: AsyncApiChannel | None,
        operation: Mapping[str, Any],
        *,
        sends: bool | None,
    ) -> None:
        """Note where a message goes, and which service sends or receives it."""
        if channel is not None and channel.place not in message.channels:
            message.channels[channel.place] = channel
            channel.messages += 1
        if sends is None:
            return
        service = slug(str(operation.get("x-babel-service") or "")) or self.application
        known = {key: operation.get(f"x-babel-{key}") for key in ("owner", "lang")}
        facts = {key: value for key, value in known.items() if isinstance(value, str) and value}
        message.services[service] = facts or {"description": self.title or "application"}
        if sends and not message.producers:
            message.title = self.title
        (message.producers if sends else message.consumers)[service] = None
