"""Manual pages of the defects of a file's text: YAML, keys and values."""

from __future__ import annotations

PAGES: dict[str, str] = {
    "yaml-syntax": """A file that is not YAML, or holds more than one document.

Nothing in it can be trusted from the first error on. Usual reasons: a tab, a missing quote, a colon and a space
inside plain text, lines that are indented unevenly.

Bad::

    urn: urn:babel:orders:created
    description: Accepted: the order is paid

Good::

    urn: urn:babel:orders:created
    description: "Accepted: the order is paid"

Fix::

    Put text with a colon, a hash or a leading special character in quotes, and use spaces for indents. The finding
    points at where the parser gave up; the mistake may be a line above.
""",
    "yaml-too-deep": """A file that nests deeper than 128 levels.

No message is that deep; such files crash the YAML readers of other tools.

Bad::

    # file: orders/created.yaml (200 levels)
    urn: urn:babel:orders:created

Good::

    urn: urn:babel:orders:created
    x-deep: [[[]]]

Fix::

    Move inner parts into a file below `_common/` and refer to them with `$ref`.
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

Fix::

    Keep the one that is meant, most often the last, which is what other readers used so far.
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

Fix::

    Write the shared part below `_common/` or `$defs` and refer to it with `$ref`, or simply write it twice.
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

Fix::

    Put the number in quotes where it is meant as text. A bound that no number reaches can go.
""",
    "toml-syntax": """A pyproject.toml that mentions babelreg and is not TOML.

Lint settings may be in the `[tool.babelreg.lint]` table of a `pyproject.toml`, in the registry or above it up to
the top of the git repository. When it cannot be read, nobody knows what they say.

Bad::

    # file: pyproject.toml
    [tool.babelreg.lint]
    profile = strict
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Good::

    # file: pyproject.toml
    [tool.babelreg.lint]
    profile = "standard"
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Fix::

    Correct the file at the place named: TOML has text in quotes. Or move the settings to `lint:` in `babelreg.yaml`,
    which wins where both have some.
""",
    "key-unknown": """A key that the format does not have.

Often it is misspelt, and its value has no effect. Keys of your own start with `x-`.

Bad::

    urn: urn:babel:orders:created
    desription: An order was accepted.

Good::

    urn: urn:babel:orders:created
    description: An order was accepted.
    x-jira: SHOP-12

Fix::

    Correct the spelling. A key of your own gets the prefix `x-`; no tool gives it a meaning.
""",
    "key-missing": """A required key that is absent.

A message has a `urn`, a `kind` and `data`; a tombstone has `urn`, `status: retired` and `retired_on`; the
settings have a `version`.

Bad::

    urn: urn:babel:orders:created
    status: retired

Good::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-01-31

Fix::

    Add the key that the finding names.
""",
    "value-invalid": """A value of the wrong type, or not one of those allowed.

The message names the values that are. YAML is read strictly: `yes`, `on` and `2026-11-20` are text, and only
`true`, `false`, `null` and JSON numbers are not.

Bad::

    urn: urn:babel:orders:created
    kind: evnt

Good::

    urn: urn:babel:orders:created
    kind: event

Fix::

    Write one of the values that the finding names. Text that looks like a number, `true` or `null` needs quotes.
""",
}
