"""The names of messages in a generated package."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from babelreg.errors import BabelregError
from babelreg.gen.python_code.service_roles import Roles
from babelreg.model import Message, Urn
from babelreg.typemap.names import class_name
from babelreg.typemap.python.names import module_name


@dataclass(frozen=True, slots=True)
class MessageNames:
    """The names of one message in the package. ``sent`` is True if it has a producer.

    ``suffix`` is the end of the producer's class name.
    """

    urn: str
    path: str
    module: str
    name: str
    sent: bool = True
    suffix: str = "Producer"

    @classmethod
    def of(cls, message: Message, roles: Roles) -> MessageNames:
        """Return the names of ``message``, which must have a valid URN."""
        urn = message.parsed
        assert isinstance(urn, Urn)  # generated_messages() yields no other
        return cls(message.urn, message.source.path, module_name(urn), class_name(urn), roles.sends(message.urn))

    @property
    def producer(self) -> str:
        """The name of its producer, which is reserved even if there is none yet."""
        return f"{self.name}{self.suffix}"

    @property
    def names(self) -> tuple[str, ...]:
        """The classes that the package exports."""
        return (self.name, self.producer) if self.sent else (self.name,)

    @property
    def constant(self) -> str:
        """The name of its ``MessageType``."""
        return self.module.upper()


def refuse_collisions(entries: Iterable[MessageNames]) -> None:
    """Raise BabelregError if two messages would get the same name."""
    taken: dict[str, MessageNames] = {}
    for entry in entries:
        for name in (entry.module, entry.name, entry.producer):
            other = taken.setdefault(name.casefold(), entry)
            if other is not entry:
                raise BabelregError(
                    f"{other.urn} and {entry.urn} would both be {name} in Python ({other.path}, {entry.path})",
                    fix="rename one of them while it is a draft: their words must differ, not only '-', '_' and '.'",
                )
