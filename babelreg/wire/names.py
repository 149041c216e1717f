"""The interface of a format's names: in ``wires:`` of a registry, in generated code, and on pages.

A module satisfies it, ``names`` in the package of its format. A format without one has no block in ``wires:``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from babelreg.wire.mapping import Key, UrnMapping


class Codecs(NamedTuple):
    """The typed codecs of a format, in the module ``runtime.wires.<format>``.

    ``offered`` are the names that a generated package exports from there, besides those that all formats share.
    ``arguments`` are further arguments of a method in an example, such as ``, ttl_seconds=3600``, and ``required``
    those that it cannot do without, for a line of a docstring. Methods in
    ``replies`` make messages that answer another one. ``reads`` is a sentence on the reader, ``line_end`` what follows
    a message in a stream.
    """

    offered: tuple[str, ...]
    reads: str
    arguments: Mapping[str, str] = {}
    replies: frozenset[str] = frozenset()
    line_end: bytes = b"\n"
    required: Mapping[str, str] = {}


class CodecClass(NamedTuple):
    """The codec of one message: its base class, the method that makes a message, and the attributes of the class."""

    base: str
    method: str
    attributes: tuple[tuple[str, Any], ...]


class Names(Protocol):
    """The names of one format.

    ``content_type`` is that of a message whose JSON Schema ``payload`` returns; None for a format without one.
    ``depth`` is the number of names in a key of ``wires.<format>``; 0 for a format whose messages carry URNs or
    aliases, and whose block has settings. ``block`` is the JSON Schema of that block, within that of the settings.
    """

    title: str
    content_type: str | None
    depth: int
    block: Mapping[str, Any]
    codecs: Codecs | None

    def mapping(self, block: Mapping[str, Any] | None, declared: Mapping[str, str]) -> UrnMapping:
        """Return the names by ``block``; ``declared`` has each URN of a registry, by itself and by its aliases."""
        ...

    def travelling(
        self, mapping: UrnMapping, block: Mapping[str, Any] | None, declared: Mapping[str, str]
    ) -> dict[str, Key]:
        """Return the key of each message that travels in the format, by URN. ``block`` is None where there is none."""
        ...

    def notes(self, mapping: UrnMapping) -> list[str]:
        """Return what a summary says of messages that were read by ``mapping``."""
        ...

    def key_of(self, value: Any) -> Key | None:
        """Return the key that would map the name of a message; None where none can. It quotes no secret."""
        ...

    def key_defects(self, key: Key) -> Iterator[tuple[str, str]]:
        """Yield code and text of each defect of a key of ``depth`` names: wrong_shape, name_not_on_wire."""
        ...

    def codec(self, key: Key, mapping: UrnMapping) -> CodecClass:
        """Return the codec of the message that ``key`` names."""
        ...

    def describe(self, key: Key) -> str:
        """Return a sentence in which ``{0}``, ``{1}`` ... stand for the parts of the key."""
        ...

    def example(self, key: Key, envelope: Mapping[str, Any], mapping: UrnMapping) -> bytes:
        """Return the message that ``envelope`` is in this format, with what its own members need made up.

        Raises WireError, EmitError.
        """
        ...

    def payload(self, key: Key, data: Mapping[str, Any], mapping: UrnMapping) -> dict[str, Any]:
        """Return the JSON Schema of the message that ``key`` names, whose data has the schema ``data``."""
        ...

    def layout(self, raw: bytes) -> str | None:
        """Return a message as text for a page; None for JSON, which needs none."""
        ...
