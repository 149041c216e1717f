"""Manual pages of the defects of references: shared schemas and files of examples."""

from __future__ import annotations

PAGES: dict[str, str] = {
    "ref-outside-registry": """A $ref, a file name or a link that points outside the registry folder.

A registry is self-contained: nothing is fetched from the network, and no file outside is read. Copy what you need
below `_common/`.

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

    Copy the fragment below `_common/` and refer to the copy. Links are followed inside the registry folder alone.
""",
    "ref-missing": """A $ref or a file name that points to nothing.

A path is relative to the file that contains it; what follows the `#` is a JSON pointer into the file named.

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

    Correct the path or the pointer, or create the file. The path counts from the folder of the file that refers.
""",
    "ref-circular": """A $ref that refers back to itself without any property or item between.

No value can be checked against it: the validator would loop forever. A tree is fine, since each step goes one level
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

    Decide what the schema is and write it at one of the places. A `$ref` to itself adds nothing: remove it.
""",
    "ref-unsupported": """A way of referring that cannot be bundled into one schema.

Schemas are bundled so that they are self-contained in generated code. `$id`, `$anchor` and the dynamic references give
parts names that change their meaning when they are moved, and two dialects do not mix. Refer to files by path,
and to parts by `#/$defs/NAME`.

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

    Remove `$id` and `$anchor`, and refer by path and by `#/$defs/NAME`. Give all files the same `$schema`, or none.
""",
    "examples-unreadable": """A file of examples that is not JSON lines.

Each line that is not empty holds one JSON document.

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

    Write one whole JSON document on each line (`jq -c . created.json > created.jsonl`).
""",
}
