"""The pages of findings that ``babelreg import`` makes."""

from __future__ import annotations

from babelreg.cli.manual.check_pages import Check
from babelreg.exchange.findings import IMPORT_CODES

_PAGES = {
    "import-file-unread": """
A file of the sources is not JSON or YAML, nests too deeply, or is a link that points outside the folder. Other files
that refer to it cannot be imported either.

Bad::

    schemas/order.json:3:1: error: this is not JSON: Expecting ',' delimiter [import-file-unread]

Good::

    $ python -m json.tool schemas/order.json

Fix::

    Correct the file, or leave it out by naming the others.
""",
    "import-reference-unresolved": """
References are resolved among the files that were named, by their `$id`s and by their paths. Nothing is fetched: a
schema that changes elsewhere would change the messages of the registry.

Bad::

    $ref: https://example.com/schemas/money.json

Good::

    $ babelreg import jsonschema schemas vendor/money.json

Fix::

    Pass the file that declares the schema together with the others. Its `$id`, or its name, tells which one it is.
""",
    "import-schema-refused": """
The data of a message is an object, and its schema must be valid, finite and readable without other files. A schema for
which that is not so becomes no message; everything else is imported.

Bad::

    {"type": "array", "items": {"type": "string"}}

Good::

    {"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}}

Fix::

    Change the source as the finding says, or leave it out: remove its line from the plan.
""",
    "import-meaning-changed": """
Schemas of older drafts are translated into 2020-12. Where that draft means something else, and 2020-12 has no way to
say it, the imported schema accepts other documents than its source.

Bad::

    {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}

Good::

    {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer", "description": "Written without a point."}

Fix::

    Decide whether the difference matters. In draft-04, for example, 1.0 is not an integer; hardly any sender writes it.
""",
    "import-schema-adjusted": """
Some parts of a schema are written in another way in the registry, or had no effect and are left out. The messages that
it accepts are the same.

Bad::

    {"$ref": "#/definitions/name", "minLength": 3}

Good::

    {"allOf": [{"$ref": "#/definitions/name"}, {"minLength": 3}]}

Fix::

    Nothing needs to be done. Up to draft-07 keywords beside `$ref` are ignored: if one was meant, put it into an
    `allOf`.
""",
    "import-edit-kept": """
An import of sources that were imported before is a patch: what the source changed goes into the file, and edits of the
file stay. Where both changed the same thing, the file wins.

Bad::

    orders/created.yaml: warning: '/data/required' stays as it is: it is edited here, and the source changed it too

Good::

    $ babelreg import jsonschema schemas --diff

Fix::

    Compare the file with its source, and write what shall hold.
""",
    "import-edit-disabled": """
An edit of an imported file stays in the file, but the source has changed what leads there: no schema of a message
refers to the definition any more, or another definition has taken its place. A definition keeps its file, or its name
below `$defs`, as long as the source has it, so that edits stay in force.

Bad::

    _common/money.yaml:4:5: warning: the edit of '/description' has no effect on urn:babel:orders:created any more

Good::

    $ babelreg import jsonschema schemas --diff

Fix::

    Make the edit where the message has its schema now, and remove what is left over.
""",
    "import-mark-lost": """
A field that is marked `x-gdpr-sensitive` would not be marked after the import, because the source has moved, renamed or
removed it. Nothing is written then, also of other messages.

Bad::

    orders/created.yaml:9:40: error: the mark of personal data of 'email' would be lost

Good::

    properties: {mail: {type: string, x-gdpr-sensitive: email}}

Fix::

    Mark the new field in the source. Where the field is not sent any more, remove the mark from the registry, then
    import again.
""",
    "import-key-repeated": """
JSON parsers take the last of two equal keys, so what stands below the first one has no effect. One of the two is
usually meant to have another name.

Bad::

    {"properties": {"id": {"type": "string"}, "id": {"type": "integer"}}}

Good::

    {"properties": {"id": {"type": "string"}, "number": {"type": "integer"}}}

Fix::

    Remove or rename one of the keys. In YAML a repeated key is an error, and the file is not read.
""",
    "import-address-dropped": """
A message of a registry has one queue with a fixed name. An AsyncAPI message may be on several channels, and a channel
may have an address with parameters, no address, or no message.

Bad::

    channels: {orders: {messages: {paid: ...}}, audit: {messages: {paid: ...}}}

Good::

    channels: {orders: {messages: {paid: ...}}}

Fix::

    Decide which queue the message is sent to and write it into the message's file. Services that read the other
    channel are consumers of the message.
""",
    "import-dialect-unknown": """
Some collections of schemas name a metaschema of their own. It may add keywords to JSON Schema and change none, or not:
the file does not tell, so it is left out.

Bad::

    {"$schema": "https://schemas.example/self-describing/1-0-0", "type": "object"}

Good::

    $ babelreg import jsonschema schemas --dialect draft7

Fix::

    Name the dialect that the collection extends with `--dialect`: it is that of all schemas which do not name one of
    JSON Schema's. Or write it as `$schema` into the file.
""",
    "import-versions": """
A version in the name of a file or folder is the version of a message: `parcel-1.0.json`, `parcel-1.1.json` and
`parcel-2.0.json` are the messages `parcel` and `parcel.v2`. Of the revisions of one version, only the newest is
imported. Versions are counted from 1 without gaps, as URNs are.

Bad::

    parcel-1.0.json      left out: parcel-1.1.json is newer

Good::

    parcel-1.1.json      urn:babel:shipping:parcel
    parcel-2.0.json      urn:babel:shipping:parcel.v2, supersedes urn:babel:shipping:parcel

Fix::

    Nothing needs to be done if the versions are right. Otherwise write a plan with `--plan plan.yaml`, and give the
    sources the URNs that you want.
""",
    "import-source-unused": """
A file among the sources became no message, and no message needs it: it is a document of another kind, it only holds
definitions, or it belongs to a circle of files that refer to each other.

Bad::

    $ babelreg import jsonschema .

Good::

    $ babelreg import jsonschema schemas

Fix::

    Nothing needs to be done if the file is no message. Otherwise name it, or the schemas in it:
    `--roots '#/definitions/*'`.
""",
    "import-no-message": """
Nothing of the sources became a message. The exit code is 1, also with `--fail-on never`.

Bad::

    messages: {}

Good::

    messages:
      orders/created.json: {urn: urn:babel:orders:created, kind: event, status: active}

Fix::

    Look at the other findings, and at the plan if there is one: it may name none of the sources.
""",
    "import-source-gone": """
A file of the registry was imported from a source that is not there any more. Its message may still be in use, so the
file stays.

Bad::

    orders/created.yaml: warning: created.json, from which this was imported, is not among the sources

Good::

    status: deprecated

Fix::

    Deprecate and retire the message, as for any other. If it was never used, remove the file.
""",
    "import-kind-unknown": """
A message whose name is in the past tense is imported as an event, and so is one of which nothing tells the kind: a verb
in a name, as in `scan-metrics`, does not make it a command. There is one finding for all of them.

Bad::

    schemas/order.json: {urn: urn:babel:orders:order, kind: event, status: active}  # the name is not in the past

Good::

    schemas/order.json: {urn: urn:babel:orders:created, kind: event, status: active}

Fix::

    Give the message a name that tells, in a plan, or set `kind: command` where it asks for something to be done.
""",
    "import-source-unplanned": """
A plan names the sources that are imported. One that it does not name is left out; one that it names although it is not
there is a sign of a mistake.

Bad::

    messages: {created.json: {urn: urn:babel:orders:created}}

Good::

    messages:
      created.json: {urn: urn:babel:orders:created}
      cancelled.json: {urn: urn:babel:orders:cancelled}

Fix::

    Add the line that the finding shows, or remove the one that is wrong.
""",
    "import-open-objects": """
Most of the imported schemas set `additionalProperties: true`. Whoever sends such a message may have sent a name that is
declared later, with any value, so `babelreg breaking` reports each new property as `property-declared`.

Bad::

    {"type": "object", "additionalProperties": true, "properties": {"id": {"type": "integer"}}}

Good::

    {"type": "object", "properties": {"id": {"type": "integer"}}}

Fix::

    Where nobody sends names that are not declared, write `compatibility: {open_objects: lenient}` in `babelreg.yaml`.
    New properties are warnings then, unless an example has the name with a value of another type.
""",
    "import-example-invalid": """
Documents beside schemas become examples of the messages. One that a producer could not send would be an error of lint,
and is left out.

Bad::

    {"order_id": "1042"}

Good::

    {"order_id": 1042}

Fix::

    Correct the document or the schema, and import again.
""",
    "import-example-private": """
Documents beside schemas become examples of the messages, which everybody reads. One with a token, a password, a card
number, or an address of a real person is left out.

Bad::

    {"email": "j.lindqvist@gmail.com"}

Good::

    {"email": "ada@example.com"}

Fix::

    Replace the value in the document, and import again. Where a secret was real, revoke it.
""",
}

IMPORT_CHECKS: dict[str, Check] = {
    code: Check("import", severity, f"{summary}\n{_PAGES[code]}") for code, (severity, summary) in IMPORT_CODES.items()
}
