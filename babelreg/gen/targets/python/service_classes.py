"""The classes that a package derives from those of the runtime, with the topology of the registry as data.

``_topology.py`` has the data, ``_consumer.py`` the consumer and the ledgers, ``_outbox.py`` the relay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from babelreg.gen.python_code.line_wrapping import item
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.python.literals import source
from babelreg.gen.targets.python.names import MessageNames
from babelreg.model import Topology
from babelreg.typemap.python.names import docstring, literal

_LEDGERS = ("AsyncPostgresLedger", "MySqlLedger", "PostgresLedger", "SqliteLedger")


def derived_classes(roles: Roles) -> Mapping[str, str]:
    """Return the names of the classes that the package derives, with their modules."""
    ledgers = _LEDGERS if roles.service is not None else ()
    return {"Consumer": "_consumer", "OutboxRelay": "_outbox", **dict.fromkeys(ledgers, "_consumer")}


def service_classes(
    options: PackageOptions,
    roles: Roles,
    entries: Sequence[MessageNames],
    known: Topology,
    expects: Mapping[str, Any],
) -> Iterator[File]:
    """Yield the modules of the classes, and that of the data. ``expects`` is as :func:`expected_schemas` returns it."""
    data = topology_data(known, roles)
    line = header("python", "the registry", options.vendored, data)
    view = {
        "header": line,
        "module": options.runtime_module("runtime.subscriptions.topology"),
        "data": source(data, 0, len("TOPOLOGY = RuntimeTopology.of(")),
    }
    yield File(f"{options.package}/_topology.py", partial(render, "python", "topology.py.jinja", view), line)
    yield _consumer(options, roles, entries, expects)
    line = header("python", "the registry", options.vendored, "outbox")
    view = {"header": line, "module": options.runtime_module("runtime")}
    yield File(f"{options.package}/_outbox.py", partial(render, "python", "outbox.py.jinja", view), line)


def topology_data(known: Topology, roles: Roles) -> dict[str, Any]:
    """Return the arguments of ``RuntimeTopology``: of all services, or as far as it concerns one of them."""
    service = roles.service
    services = known.services if service is None else tuple(filter((service,).count, known.services))
    fan_outs = {
        queue: urns
        for queue, urns in known.fan_outs.items()
        if service is None or any(each.service == service for urn in urns for each in known.of_urn(urn))
    }
    wanted = set(known.sources)
    if service is not None:
        wanted &= roles.produces | roles.consumes | {urn for urns in fan_outs.values() for urn in urns}
    data: dict[str, Any] = {
        "services": {name: _service(known, name) for name in services},
        "sources": {urn: known.sources[urn] for urn in sorted(wanted)},
        "consumers": {urn: [each.service for each in known.of_urn(urn)] for urn in sorted(wanted) if known.of_urn(urn)},
        "fan_outs": _lists(fan_outs),
    }
    concerned = wanted.union(*(urns for name in services for urns in _urn_lists(known, name)))
    if aliases := {alias: urn for alias, urn in known.aliases.items() if urn in concerned}:
        data["aliases"] = aliases
    return data


def _urn_lists(known: Topology, service: str) -> Iterator[Iterable[str]]:
    """Yield the URNs by which a consumer of ``service`` tells its messages from those of others."""
    for groups in (known.reads(service), known.others(service), known.topics(service)):
        yield from groups.values()


def _service(known: Topology, name: str) -> dict[str, Any]:
    reads = known.reads(name)
    named = sorted({each.queue for each in known.of_service(name) if each.named and each.queue != name})
    values = {
        "queues": _lists(reads),
        "named": named,
        "read_besides": list(known.read_besides(name)),
        "others": _lists(known.others(name)),
        "topics": _lists(known.topics(name)),
    }
    return {key: value for key, value in values.items() if value}


def _lists(groups: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    return {name: list(members) for name, members in groups.items()}


def _consumer(
    options: PackageOptions, roles: Roles, entries: Sequence[MessageNames], expects: Mapping[str, Any]
) -> File:
    consumed = sorted((entry.urn, entry.name) for entry in entries if entry.urn in roles.consumes)
    text = "The consumer, which reads the queues that the registry gives to its service."
    if roles.service is not None:
        rule = "``run`` raises UsageError if a message that the service consumes has no handler."
        text = f"The consumer and the ledgers of {roles.service}.\n\n{rule}"
    line = header("python", "the registry", options.vendored, roles.service, consumed, text, *filter(None, [expects]))
    view = {
        "docstring": docstring(text),
        "header": line,
        "module": options.runtime_module("runtime"),
        "service": None if roles.service is None else literal(roles.service),
        "ledgers": _LEDGERS if roles.service is not None else (),
        "consumed": [item(urn, name, 8) for urn, name in consumed],
        "expects": source(dict(expects), 4, len("    expects = ")) if expects else "",
    }
    return File(f"{options.package}/_consumer.py", partial(render, "python", "consumer.py.jinja", view), line)
