"""Check that validators can be built from a schema, before the first message needs one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from babelreg.contract import views
from babelreg.contract.verdict import Contract
from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify

_PREFIX = "the schema cannot be used: "
_TOO_DEEP = "it is nested too deeply"


def schema_problem(schema: Any, *, strict: bool = False) -> str | None:
    """Return the reason why producers or readers cannot validate by ``schema``, a bundled one; None where both can.

    ``strict`` says that readers are strict, so that both views are the schema as written.
    """
    try:
        dialect = identify(schema)
        dialect.validator_for(schema)  # first: views are made from valid schemas
        # The views of a plain schema add nothing that a validator could refuse, and are within all bounds.
        if strict or views.is_plain(schema, dialect):
            return None
        for view in views.both(schema, dialect=dialect):
            if view is not schema and view != schema:
                dialect.validator_for(view)
    except SchemaError as err:
        return err.message.removeprefix(_PREFIX)
    except RecursionError:
        return _TOO_DEEP
    return None


def reader_schema_problems(schemas: Mapping[str, Any], strict: Collection[str]) -> dict[str, str]:
    """Return the reason why readers cannot validate by a schema, by URN; empty where they can by all.

    ``strict`` are the URNs whose readers are strict.
    """
    return uncompiled(Contract(schemas, strict=strict), schemas)


def uncompiled(contract: Contract, urns: Iterable[str]) -> dict[str, str]:
    """Compile the schemas of ``urns``, and return by URN why one cannot be used."""
    problems: dict[str, str] = {}
    for urn in urns:
        try:
            contract.validator(urn)
        except SchemaError as err:
            problems[urn] = err.message.removeprefix(f"{urn}: ").removeprefix(_PREFIX)
        except RecursionError:
            problems[urn] = _TOO_DEEP
    return problems
