"""Whether validators can be built from a schema, before a message comes that needs one."""

from __future__ import annotations

from typing import Any

from babelreg.contract import views
from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify

__all__ = ["unusable"]


def unusable(schema: Any, *, strict: bool = False) -> str | None:
    """Return the reason why producers or readers cannot validate by ``schema``, a bundled one; None where both can.

    ``strict`` says that readers are strict, so that both views are the schema as written.
    """
    try:
        dialect = identify(schema)
        dialect.validator_for(schema)  # first: views are made from valid schemas
        for view in () if strict else views.both(schema, dialect=dialect):
            if view is not schema and view != schema:
                dialect.validator_for(view)
    except SchemaError as err:
        return err.message.removeprefix("the schema cannot be used: ")
    except RecursionError:
        return "it nests too deep"
    return None
