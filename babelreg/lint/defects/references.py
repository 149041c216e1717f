"""Manual pages of the defects of references: shared schemas and files of examples."""

from __future__ import annotations

PAGES: dict[str, str] = {
    "ref-outside-registry": """A $ref, a file name or a link that points outside the registry folder.

A registry is self-contained: babelreg fetches nothing from the network and reads no file outside the folder. Copy what
you need to `_common/`.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        total: {$ref: ../../elsewhere/money.yaml}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        total: {$ref: ../_common/money.yaml}
    # file: _common/money.yaml
    type: object

Fix::

    Copy the fragment to `_common/` and refer to the copy. Links are followed only inside the registry folder.
""",
    "ref-missing": """A $ref or a file name whose target does not exist.

A path is relative to the file that contains it. The part after `#` is a JSON pointer into that file.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        total: {$ref: ../_common/mony.yaml}
    # file: _common/money.yaml
    type: object

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        total: {$ref: ../_common/money.yaml}
    # file: _common/money.yaml
    type: object

Fix::

    Correct the path or the pointer, or create the file. The path is relative to the folder of the referring file.
""",
    "ref-circular": """A $ref that refers to itself without a property or item in between.

No value can be checked against it, because the validator would loop forever. A tree is fine: each step goes one level
down in the data.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        parent: {$ref: "#/$defs/node"}
      $defs:
        node: {$ref: "#/$defs/node"}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        parent: {$ref: "#/$defs/node"}
      $defs:
        node: {type: object, properties: {parent: {$ref: "#/$defs/node"}}}

Fix::

    Write the actual schema at one of the places. A `$ref` to itself has no effect: remove it.
""",
    "ref-unsupported": """A kind of reference that cannot be bundled into one schema.

Schemas are bundled so that they are self-contained in generated code. `$id`, `$anchor` and dynamic references define
names whose meaning changes when a schema is moved, and two dialects cannot be mixed. Refer to files by path, and to
parts with `#/$defs/NAME`.

Bad::

    urn: urn:babel:orders:created
    data:
      $id: https://example.com/created
      type: object

Good::

    urn: urn:babel:orders:created
    data:
      type: object

Fix::

    Remove `$id` and `$anchor`, and refer by path and `#/$defs/NAME`. Use the same `$schema` in all files, or none.
""",
    "examples-unreadable": """A file of examples that does not contain JSON lines.

Each line that is not empty must contain one JSON document.

Bad::

    urn: urn:babel:orders:created
    examples: {file: created.jsonl}
    # file: orders/created.jsonl
    {order_id: 1042}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
    examples: {file: created.jsonl}
    # file: orders/created.jsonl
    {"order_id": 1042}

Fix::

    Write one complete JSON document on each line (`jq -c . created.json > created.jsonl`).
""",
}
