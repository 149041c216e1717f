"""Manual pages of the findings of ``babelreg import``."""

from __future__ import annotations

from babelreg.cli.manual.check_pages import Check
from babelreg.exchange.findings import IMPORT_CODES

_PAGES = {
    "import-file-unread": """
A source file is not JSON or YAML, is nested too deeply, or is a link that points outside the folder. Other files that
refer to it cannot be imported either.

Bad::

    schemas/order.json:3:1: error: this is not JSON: Expecting ',' delimiter [import-file-unread]

Good::

    $ python -m json.tool schemas/order.json

Fix::

    Correct the file, or exclude it by passing only the other files.
""",
    "import-reference-unresolved": """
References are resolved among the given files, by their `$id`s and by their paths. Nothing is fetched: otherwise, a
schema that changes elsewhere would change the messages of the registry.

Bad::

    $ref: https://example.com/schemas/money.json

Good::

    $ babelreg import jsonschema schemas vendor/money.json

Fix::

    Pass the file that declares the schema together with the others. Its `$id` or its name identifies it.
""",
    "import-schema-refused": """
The data of a message is an object, and its schema must be valid, finite and readable without other files. A schema that
does not meet these conditions does not become a message; everything else is imported.

Bad::

    {"type": "array", "items": {"type": "string"}}

Good::

    {"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}}

Fix::

    Change the source as the finding suggests, or exclude it by removing its line from the plan.
""",
    "import-meaning-changed": """
Schemas of older drafts are translated to 2020-12. Where a keyword has another meaning in the older draft that 2020-12
cannot express, the imported schema accepts different documents than its source.

Bad::

    {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}

Good::

    {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer", "description": "Written without a point."}

Fix::

    Decide whether the difference matters. In draft-04, for example, 1.0 is not an integer; hardly any sender writes it.
""",
    "import-schema-adjusted": """
Some parts of a schema are written differently in the registry, or were removed because they had no effect. The accepted
messages are the same.

Bad::

    {"$ref": "#/definitions/name", "minLength": 3}

Good::

    {"allOf": [{"$ref": "#/definitions/name"}, {"minLength": 3}]}

Fix::

    No action is required. Up to draft-07, keywords beside `$ref` are ignored: if one was intended, put it into an
    `allOf`.
""",
    "import-edit-kept": """
A repeated import is a patch: changes of the source are applied to the file, and edits of the file are kept. If both
changed the same thing, the edit of the file wins.

Bad::

    orders/created.yaml: warning: '/data/required' stays as it is: it was edited here, and the source changed it, too

Good::

    $ babelreg import jsonschema schemas --diff

Fix::

    Compare the file with its source, and decide which version to keep.
""",
    "import-edit-disabled": """
An edit of an imported file is kept, but it no longer has an effect: the source has changed, and no message refers to
the edited definition, or another definition has replaced it. A definition keeps its file, or its name in `$defs`, as
long as it exists in the source, so that edits remain effective.

Bad::

    _common/money.yaml:4:5: warning: the edit of '/description' no longer has an effect on urn:babel:orders:created

Good::

    $ babelreg import jsonschema schemas --diff

Fix::

    Repeat the edit at the present place of the schema, and remove the obsolete one.
""",
    "import-mark-lost": """
The import would lose the mark `x-gdpr-sensitive` of a field, because the source has moved, renamed or removed the
field. In this case, nothing is written, not even for other messages.

Bad::

    orders/created.yaml:9:40: error: the mark of personal data of 'email' would be lost

Good::

    properties: {mail: {type: string, x-gdpr-sensitive: email}}

Fix::

    Mark the new field in the source. If the field is no longer sent, remove the mark from the registry, then import
    again.
""",
    "import-key-repeated": """
JSON parsers use the last of two equal keys, so the value of the first one has no effect. Usually one of the two should
have another name.

Bad::

    {"properties": {"id": {"type": "string"}, "id": {"type": "integer"}}}

Good::

    {"properties": {"id": {"type": "string"}, "number": {"type": "integer"}}}

Fix::

    Remove or rename one of the keys. In YAML, a repeated key is an error, and the file is not read.
""",
    "import-address-dropped": """
A message of a registry has one queue with a fixed name. An AsyncAPI message may be on several channels, and a channel
may have an address with parameters, no address, or no message.

Bad::

    channels: {orders: {messages: {paid: ...}}, audit: {messages: {paid: ...}}}

Good::

    channels: {orders: {messages: {paid: ...}}}

Fix::

    Decide which queue the message is sent to, and set it in the message's file. Services that read the other channel
    are consumers of the message.
""",
    "import-dialect-unknown": """
Some collections of schemas use their own metaschema. It may extend JSON Schema or change it; babelreg cannot tell
which, so it leaves the file out.

Bad::

    {"$schema": "https://schemas.example/self-describing/1-0-0", "type": "object"}

Good::

    $ babelreg import jsonschema schemas --dialect draft7

Fix::

    Pass the dialect that the collection extends with `--dialect`: it applies to all schemas whose `$schema` is not a
    dialect of JSON Schema. Or set `$schema` in the file.
""",
    "import-versions": """
A version in the name of a file or folder becomes the version of a message: `parcel-1.0.json`, `parcel-1.1.json` and
`parcel-2.0.json` become the messages `parcel` and `parcel.v2`. Of the revisions of a version, only the newest is
imported. As in URNs, versions are numbered from 1 without gaps.

Bad::

    parcel-1.0.json      left out: parcel-1.1.json is newer

Good::

    parcel-1.1.json      urn:babel:shipping:parcel
    parcel-2.0.json      urn:babel:shipping:parcel.v2, supersedes urn:babel:shipping:parcel

Fix::

    No action is required if the versions are correct. Otherwise, write a plan with `--plan plan.yaml`, and give the
    sources the URNs that you want.
""",
    "import-source-unused": """
A source file did not become a message, and no message uses it: it is another kind of document, it contains only
definitions, or it belongs to a circle of files that refer to each other.

Bad::

    $ babelreg import jsonschema .

Good::

    $ babelreg import jsonschema schemas

Fix::

    No action is required if the file is not a message. Otherwise, pass the file itself, or select the schemas in it
    with `--roots '#/definitions/*'`.
""",
    "import-no-message": """
None of the sources became a message. The exit code is 1, even with `--fail-on never`.

Bad::

    messages: {}

Good::

    messages:
      orders/created.json: {urn: urn:babel:orders:created, kind: event, status: active}

Fix::

    Check the other findings, and the plan if there is one: it may not list any of the sources.
""",
    "import-source-gone": """
A registry file was imported from a source that no longer exists. The message may still be in use, so the file is kept.

Bad::

    orders/created.yaml: warning: created.json, from which this was imported, is not among the sources

Good::

    status: deprecated

Fix::

    Deprecate and retire the message, like any other. If it was never used, remove the file.
""",
    "import-kind-unknown": """
A message is imported as an event if its name is in the past tense, and also if the name does not show the kind: a verb
in a name, as in `scan-metrics`, does not make it a command. There is one finding for all such messages.

Bad::

    schemas/order.json: {urn: urn:babel:orders:order, kind: event, status: active}  # the name is not in the past tense

Good::

    schemas/order.json: {urn: urn:babel:orders:created, kind: event, status: active}

Fix::

    Give the message a clearer name in a plan, or set `kind: command` if it requests an action.
""",
    "import-source-unplanned": """
A plan lists the sources to import. Sources that it does not list are left out; a listed source that does not exist is
probably a mistake.

Bad::

    messages: {created.json: {urn: urn:babel:orders:created}}

Good::

    messages:
      created.json: {urn: urn:babel:orders:created}
      cancelled.json: {urn: urn:babel:orders:cancelled}

Fix::

    Add the line that the finding shows, or remove the wrong one.
""",
    "import-open-objects": """
Most of the imported schemas set `additionalProperties: true`. Producers may already send a property that is declared
later, with any value, so `babelreg breaking` reports each new property as `property-declared`.

Bad::

    {"type": "object", "additionalProperties": true, "properties": {"id": {"type": "integer"}}}

Good::

    {"type": "object", "properties": {"id": {"type": "integer"}}}

Fix::

    If nobody sends undeclared properties, write `compatibility: {open_objects: lenient}` in `babelreg.yaml`. New
    properties are then reported as warnings, unless an example has the property with a value of another type.
""",
    "import-example-invalid": """
Documents beside schemas become examples of the messages. A document that a producer could not send is left out, because
lint would report it as an error.

Bad::

    {"order_id": "1042"}

Good::

    {"order_id": 1042}

Fix::

    Correct the document or the schema, and import again.
""",
    "import-example-private": """
Documents beside schemas become examples of the messages, which everybody can read. A document with a token, a password,
a card number or an address of a real person is left out.

Bad::

    {"email": "j.lindqvist@gmail.com"}

Good::

    {"email": "ada@example.com"}

Fix::

    Replace the value in the document, and import again. If a secret was real, revoke it.
""",
}

IMPORT_CHECKS: dict[str, Check] = {
    code: Check("import", severity, f"{summary}\n{_PAGES[code]}") for code, (severity, summary) in IMPORT_CODES.items()
}
