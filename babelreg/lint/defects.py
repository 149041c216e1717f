"""The pages of the defects that ``load`` reports: what keeps a file from being read at all.

They are no rules that run: ``load`` has found them by then, and no setting switches them off. Their pages are laid
out like those of the rules; after a path, ``(UTF-16)``, ``(2 MiB)`` and ``(200 levels)`` say what the text cannot show.
"""

from __future__ import annotations

__all__ = ["PAGES"]

PAGES: dict[str, str] = {
    "file-unreadable": """A file that is a folder, cannot be opened, or is not UTF-8 text.

Registry files are UTF-8, so that they read the same on every machine. A folder named like a file, a link to
nowhere and a file without read permission are reported as well, since a file that is passed over in silence is
a message lost.

Bad::

    # file: orders/created.yaml (UTF-16)
    urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
""",
    "file-too-large": """A file larger than babelreg reads: 1 MiB, or 16 MiB for a file of examples.

A message file is read by people. One of that size holds data, or is an attempt to keep the tools busy. Move
examples into a file of JSON lines and name it with `examples: {file: NAME.jsonl}`.

Bad::

    # file: orders/created.yaml (2 MiB)
    urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
""",
    "file-name-reserved": """A file name that some system forbids, such as con.yaml or aux.yaml.

Windows takes CON, PRN, AUX, NUL, COM1 and LPT1 for devices, whatever follows the dot: nobody there could check
the registry out.

Bad::

    # file: orders/aux.yaml
    urn: urn:babel:orders:aux

Good::

    # file: orders/auxiliary.yaml
    urn: urn:babel:orders:auxiliary
""",
    "file-misplaced": """A file that stands, or is named, as no message can be.

Messages stand in a folder named after their context, end in `.yaml`, and do not start with an underscore: such
names are kept for the registry's own files.

Bad::

    # file: orders/created.yml
    urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
""",
    "settings-missing": """A registry folder without a babelreg.yaml.

The file marks the folder as a registry and says which version of the format it is written in.

Bad::

    # no file: babelreg.yaml
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Good::

    # file: babelreg.yaml
    version: 1
    # file: orders/created.yaml
    urn: urn:babel:orders:created
""",
    "yaml-syntax": """A file that is not YAML, or holds more than one document.

Nothing in it can be trusted from the first error on. Usual reasons: a tab, a missing quote, a colon and a space
inside plain text, lines that are indented unevenly.

Bad::

    urn: urn:babel:orders:created
    description: Accepted: the order is paid

Good::

    urn: urn:babel:orders:created
    description: "Accepted: the order is paid"
""",
    "yaml-too-deep": """A file that nests deeper than 128 levels.

No message is that deep; such files crash the YAML readers of other tools.

Bad::

    # file: orders/created.yaml (200 levels)
    urn: urn:babel:orders:created

Good::

    urn: urn:babel:orders:created
    x-deep: [[[]]]
""",
    "yaml-duplicate-key": """A mapping that names the same key twice.

Most readers keep the last and drop the first without a word: what the reviewer saw is not what the tools use.

Bad::

    urn: urn:babel:orders:created
    kind: event
    kind: command

Good::

    urn: urn:babel:orders:created
    kind: event
""",
    "yaml-feature": """A tag, an anchor, an alias or a merge key.

They read differently from tool to tool, and a few lines of aliases unfold to gigabytes. To share a schema, put
it below `_common/` and refer to it with `$ref`.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        first: &name {type: string}
        last: *name

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        first: {type: string}
        last: {type: string}
""",
    "yaml-number": """A number that no double and no 64-bit integer can hold.

`1e400` is infinity to some readers and an error to others. Write such a number as text, in quotes.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        atoms: {type: number, maximum: 1e400}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        atoms: {type: number, maximum: 1e300}
""",
    "key-unknown": """A key that the format does not have.

Often it is misspelt, and what it was to say is not said. Keys of your own start with `x-`.

Bad::

    urn: urn:babel:orders:created
    desription: An order was accepted.

Good::

    urn: urn:babel:orders:created
    description: An order was accepted.
    x-jira: SHOP-12
""",
    "key-missing": """A key that the format demands is absent.

A message has a `urn`, a `kind` and `data`; a tombstone has `urn`, `status: retired` and `retired_on`; the
settings have a `version`.

Bad::

    urn: urn:babel:orders:created
    status: retired

Good::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-01-31
""",
    "value-invalid": """A value of the wrong type, or none of those allowed.

The message names the values that are. YAML is read strictly: `yes`, `on` and `2026-11-20` are text, and only
`true`, `false`, `null` and JSON numbers are not.

Bad::

    urn: urn:babel:orders:created
    kind: evnt

Good::

    urn: urn:babel:orders:created
    kind: event
""",
    "ref-outside-registry": """A $ref, a file name or a link that leads out of the registry folder.

A registry stands alone: nothing is fetched from the network, and no file outside is read. Copy what you need
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
""",
    "ref-missing": """A $ref or a file name that leads to nothing.

A path is relative to the file it stands in; what follows the `#` is a JSON pointer into the file named.

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
""",
    "ref-circular": """A $ref that leads back to itself without any property or item between.

No value can be checked against it: the validator would turn round for ever. A tree is fine, since each turn
goes one level down in the data.

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
""",
    "ref-unsupported": """A way of referring that cannot be bundled into one schema.

Schemas are bundled so that they stand alone in generated code. `$id`, `$anchor` and the dynamic references give
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
""",
}
