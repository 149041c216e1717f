"""Validated messages with the number of their URN's table, by which a batch is counted and divided into tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from babelreg.lake.tasks.column_functions import MaskedBodies, ValidatedMessages
from babelreg.lake.tasks.validation_spec import ValidationSpec


@dataclass(frozen=True)
class NumberedMessages:
    """From message bodies to the structs of ``ValidatedMessages``, each with ``table``: the number of its URN.

    Of a refused message the URN may be any text; ``table`` is null where the registry does not declare it. With
    ``bodies``, accepted messages have a ``body`` too, like that of a refused one: without secrets.
    """

    spec: ValidationSpec
    urns: tuple[str, ...]
    wire: str
    bodies: bool = False

    @cached_property
    def messages(self) -> ValidatedMessages:
        """The function without numbers, built on first use."""
        return ValidatedMessages(self.spec, self.urns, self.wire)

    @cached_property
    def known(self) -> pa.Array:
        """The URNs in the order of table ids."""
        return pa.array(self.spec.urns, pa.string())

    def __call__(self, *columns: pa.Array) -> pa.Array:
        structs = self.messages(*columns)
        # Not flatten(), which would copy the typed data of rows without a message.
        members = [structs.field(number) for number in range(structs.type.num_fields)]
        if self.bodies:
            number = structs.type.get_field_index("body")
            members[number] = pc.coalesce(members[number], MaskedBodies(self.wire)(columns[0]))
        fields = [*structs.type, pa.field("table", pa.int32())]
        numbers = pc.index_in(structs.field("urn"), self.known)
        mask = structs.is_null() if structs.null_count else None
        return pa.StructArray.from_arrays([*members, numbers], fields=fields, mask=mask)

    def __getstate__(self) -> dict[str, Any]:
        return {"spec": self.spec, "urns": self.urns, "wire": self.wire, "bodies": self.bodies}
