"""GitHub's webhooks as a registry, and their examples as messages.

``@octokit/webhooks-schemas`` and ``@octokit/webhooks-examples`` (MIT, (c) Gregor Martynus and others) are fetched by
``tests/gen/fetch_octokit.py`` into a folder outside the repository; nothing of them is kept here. One URN stands for an
event and its action: ``urn:babel:github:check_run.rerequested``.

Of the 726 examples the schemas refuse 396, and for 25 there is none. Neither formats (they decide two) nor the reader
(a strict one would refuse 24 more) nor a conversion is at fault. What the package's own tests hold against the schemas
are the recorded payloads, 258 of the examples, and all of them satisfy them but two (``2018-04-25 20:42:10``: ajv-formats
takes a space for the T of RFC 3339, whose grammar does not). The other 468 were scraped from GitHub's documentation, of
GitHub Enterprise 3.1 to 3.5 for the most part, and nobody holds them against anything. They lack what came later, and
the schemas require all of it.

So there are two registries: the schemas as published, and as an owner who has senders of several ages would keep them
(``mended``): what came later is declared, and not required.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Example", "as_published", "envelope", "examples", "mended"]

_DRAFT = "http://json-schema.org/draft-07/schema#"
_RECORDED = "api.github.com"

_CAME_LATER = {
    "code_scanning_alert$reopened": "sender",
    "deployment$created": "action workflow workflow_run",
    "deployment_status$created": "action",
    "discussion_comment$created": "installation",
    "discussion_comment$created/properties/comment": "reactions",
    "installation": "suspended_at suspended_by",
    "installation_repositories$added": "requester",
    "installation_repositories$removed": "requester",
    "issue": "active_lock_reason reactions",
    "issue-comment": "performed_via_github_app reactions",
    "issues$demilestoned": "milestone",
    "issues$milestoned": "milestone",
    "label": "description",
    "ping$event/properties/hook": "deliveries_url",
    "pull-request": "active_lock_reason auto_merge",
    "pull-request-review-comment": "line original_line original_start_line reactions side start_line start_side",
    "pull_request$opened/properties/pull_request/allOf/1": "active_lock_reason",
    "pull_request_review_comment$created/properties/pull_request": "active_lock_reason",
    "repository": "custom_properties is_template topics visibility web_commit_signoff_required",
    "repository-vulnerability-alert-alert": "node_id number state",
    "repository_vulnerability_alert$create/properties/alert/allOf/1": "state",
    "secret-scanning-alert": "html_url state url",
    "secret_scanning_alert_location$created": "sender",
    "security_advisory$published/properties/security_advisory": "cve_id cvss cwes",
    "simple-pull-request": "active_lock_reason auto_merge draft",
    "sponsorship-tier": "is_custom_amount is_one_time",
    "team": "html_url",
    "workflow-job": "created_at head_branch run_attempt workflow_name",
    "workflow-run": "actor display_title path triggering_actor",
}
"""What the schemas require and older senders leave out, by the definition that requires it."""

_ADMITTED: dict[str, Callable[[dict[str, Any]], Any]] = {
    # null beside text: a release without a title, a run without a conclusion
    "release/properties/body": lambda node: node.update(type=["string", "null"]),
    "release/properties/name": lambda node: node.update(type=["string", "null"]),
    "workflow_run$completed/properties/workflow_run/allOf/1/properties/conclusion": lambda node: node.update(
        type=["string", "null"], enum=[*node["enum"], None]
    ),
    # no RFC 3339: a space stands for the T
    "app/properties/created_at": lambda node: node.pop("format"),
    "app/properties/updated_at": lambda node: node.pop("format"),
    # only null was known of them, or only one picture
    "code_scanning_alert$reopened/properties/alert/properties/rule/properties/tags": lambda node: node.update(
        type=["array", "null"], items={"type": "string"}
    ),
    "code_scanning_alert$reopened/properties/alert/properties/rule/properties/help": lambda node: node.update(
        type=["string", "null"]
    ),
    "github-org/properties/avatar_url": lambda node: node.pop("const"),
    # it shuts out every name that its alternatives declare, so that no location but {} would be one
    "secret-scanning-location": lambda node: node.pop("additionalProperties"),
}
"""What the schemas refuse and senders send, by definition."""

_USER, _REPOSITORY = {"$ref": "#/definitions/user"}, {"$ref": "#/definitions/repository"}
_TEXT = {"type": "string"}
_NO_LONGER_DESCRIBED: dict[str, dict[str, Any]] = {
    "cache_sync$event": {
        "after": _TEXT, "before": _TEXT, "cache_location": _TEXT, "ref": _TEXT, "repository": _REPOSITORY,
        "sender": _USER,
    },
    "content_reference$created": {
        "action": {"const": "created"},
        "content_reference": {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "node_id": _TEXT, "reference": {**_TEXT, "format": "uri"}},
        },
        "repository": _REPOSITORY,
        "sender": _USER,
        "installation": {"$ref": "#/definitions/installation-lite"},
    },
    "enterprise$anonymous_access_enabled": {"action": {"const": "anonymous_access_enabled"}, "sender": _USER},
    "user$created": {"action": {"const": "created"}, "user": _USER, "sender": _USER},
    "user$deleted": {"action": {"const": "deleted"}, "user": _USER, "sender": _USER},
}  # fmt: skip
"""Events of GitHub Enterprise for which the package has no schema, described by its own definitions."""


class Example(NamedTuple):
    """One payload. ``urn`` is None where the schemas as published have none for it."""

    folder: str
    event: str
    published: bool
    urn: str
    payload: dict[str, Any]


def _definitions(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "webhooks-schemas/package/schema.json").read_text("utf-8"))["definitions"]
    for definition in found.values():
        definition.pop("$schema", None)
    return dict(found)


def as_published(folder: Path) -> dict[str, Any]:
    """The schemas of all events by URN, each with the definitions that it needs."""
    return _schemas(_definitions(folder))


def mended(folder: Path) -> dict[str, Any]:
    """The same, so that every example satisfies its schema."""
    definitions = _definitions(folder)
    for place, names in _CAME_LATER.items():
        node = _node(definitions, place)
        node["required"] = [name for name in node["required"] if name not in names.split()]
    for place, mend in _ADMITTED.items():
        mend(_node(definitions, place))
    for name, properties in _NO_LONGER_DESCRIBED.items():
        required = [key for key in ("action", "sender") if key in properties]
        definitions[name] = {"type": "object", "required": required, "properties": properties}
    return _schemas(definitions)


def _node(definitions: dict[str, Any], place: str) -> dict[str, Any]:
    node: Any = definitions
    for step in place.split("/"):
        node = node[int(step)] if isinstance(node, list) else node[step]
    assert isinstance(node, dict)
    return node


def _schemas(definitions: dict[str, Any]) -> dict[str, Any]:
    return {
        _urn(name): {
            "$schema": _DRAFT,
            **copy.deepcopy(definition),
            "definitions": {used: definitions[used] for used in sorted(_used(definition, definitions))},
        }
        for name, definition in definitions.items()
        if "$" in name
    }


def _urn(name: str) -> str:
    return "urn:babel:github:" + name.replace("$", ".")


def _used(schema: Any, definitions: dict[str, Any]) -> set[str]:
    """The names of all definitions that ``schema`` leads to."""
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str) and (name := reference.removeprefix("#/definitions/")) not in found:
                found.add(name)
                waiting.append(definitions[name])
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return found


def examples(folder: Path) -> Iterator[Example]:
    """Every example of the package, in its order."""
    definitions = _definitions(folder)
    for path in sorted((folder / "webhooks-examples/package").glob("*/index.json")):
        for event in json.loads(path.read_text("utf-8")):
            for payload in event["examples"]:
                names = [f"{event['name']}${payload.get('action')}", f"{event['name']}$event"]
                if "action" not in payload:  # older releases do not send it: the event's first action
                    names += [name for name in definitions if name.startswith(f"{event['name']}$")][:1]
                name = next((name for name in names if name in definitions), None)
                known = name or next(name for name in names if name in _NO_LONGER_DESCRIBED)
                yield Example(path.parent.name, event["name"], name is not None, _urn(known), payload)


def envelope(number: int, example: Example) -> bytes:
    """The example as one message."""
    meta = {
        "id": f"m-{number}",
        "queue": "github",
        "lang": "node",
        "schema_version": 1,
        "created_at": 1_780_000_000_000,
    }
    message = {"job": example.urn, "trace_id": f"t-{number}", "data": example.payload, "meta": meta, "attempts": 0}
    return json.dumps(message, ensure_ascii=False).encode()
