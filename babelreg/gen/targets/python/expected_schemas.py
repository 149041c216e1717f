"""Schemas of what services expect of whole data, for consumers that check it."""

from __future__ import annotations

from typing import Any

from babelreg.gen.python_code.service_roles import Roles
from babelreg.model import Consumption, Registry
from babelreg.schema.dialects import is_valid_schema


def expected_schemas(registry: Registry, roles: Roles) -> dict[str, Any]:
    """Return the expectations by service and URN: of the service of ``roles``, else of all that may run Python."""
    result: dict[str, Any] = {}
    for name, service in sorted(registry.services.items()):
        if name != roles.service and (roles.service is not None or service.lang not in (None, "python")):
            continue
        by_urn = {each.urn: _expected(registry, each) for each in service.consumes if each.expects}
        usable = {urn: expected for urn, expected in sorted(by_urn.items()) if expected is not None}
        if usable:
            result[name] = usable
    return result


def _expected(registry: Registry, consumption: Consumption) -> dict[str, Any] | None:
    """Return what is expected of one message; None for one that is not sent, or without a usable expectation."""
    from babelreg.containment.expectation import expectation_schema  # with the prover, which few need

    message = registry.by_urn.get(consumption.urn)
    if message is None or message.schema is None:
        return None
    schemas = [
        expectation_schema(message.schema, each.path, each.schema)
        for each in consumption.expects
        if is_valid_schema(each.schema)
    ]
    if not schemas:
        return None
    if len(schemas) > 1:  # only the whole names its dialect
        dialect = {"$schema": message.schema["$schema"]} if "$schema" in message.schema else {}
        schemas = [{**dialect, "allOf": [_without_dialect(schema) for schema in schemas]}]
    expected: dict[str, Any] = {"schema": schemas[0]}
    if consumption.on_unexpected != "handle":
        expected["on_unexpected"] = consumption.on_unexpected
    if registry.compatibility(message.context).reader == "strict":
        expected["strict"] = True
    return expected


def _without_dialect(schema: Any) -> Any:
    return {key: value for key, value in schema.items() if key != "$schema"} if isinstance(schema, dict) else schema
