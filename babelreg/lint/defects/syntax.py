"""Manual pages of the defects of a file's text: YAML, keys and values."""

from __future__ import annotations

PAGES: dict[str, str] = {
    "yaml-syntax": """A file that is not YAML, or contains more than one document.

Nothing after the first error can be read reliably. Common causes: a tab, a missing quote, a colon followed by a space
in plain text, or lines that are indented unevenly.

Bad::

    urn: urn:babel:orders:created
    description: Accepted: the order is paid

Good::

    urn: urn:babel:orders:created
    description: "Accepted: the order is paid"

Fix::

    Quote text with a colon, a hash or a special first character, and indent with spaces. The finding shows where the
    parser gave up; the mistake may be on a line above.
""",
    "yaml-too-deep": """A file that is nested deeper than 128 levels.

No real message is nested that deeply, and such files crash the YAML parsers of other tools.

Bad::

    # file: orders/created.yaml (200 levels)
    urn: urn:babel:orders:created

Good::

    urn: urn:babel:orders:created
    x-deep: [[[]]]

Fix::

    Move inner parts into a file below `_common/` and refer to them with `$ref`.
""",
    "yaml-duplicate-key": """A mapping that has the same key twice.

Most parsers keep the last value and silently drop the first, so the tools may use another value than the one that the
reviewer saw.

Bad::

    urn: urn:babel:orders:created
    kind: event
    kind: command

Good::

    urn: urn:babel:orders:created
    kind: event

Fix::

    Keep the intended one. It is usually the last, which other parsers have used so far.
""",
    "yaml-feature": """A tag, an anchor, an alias or a merge key.

Tools read them differently, and a few lines of aliases can expand to gigabytes. To share a schema, put it into
`_common/` and refer to it with `$ref`.

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

    Write the shared part in `_common/` or `$defs` and refer to it with `$ref`, or simply write it twice.
""",
    "yaml-number": """A number that fits neither a double nor a 64-bit integer.

`1e400` is infinity to some parsers and an error to others. Write such a number as a string, in quotes.

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

    Quote the number if it is a string. Remove a bound that no number can reach.
""",
    "toml-syntax": """A pyproject.toml that mentions babelreg but is not valid TOML.

Lint settings may be in the `[tool.babelreg.lint]` table of a `pyproject.toml`, in the registry or in a folder above it
up to the top of the git repository. If the file cannot be read, the settings are unknown.

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

    Correct the file at the reported place; in TOML, strings need quotes. Or move the settings to `lint:` in
    `babelreg.yaml`, which takes precedence if both have some.
""",
    "key-unknown": """An unknown key.

The key is often misspelt, so its value has no effect. Custom keys start with `x-`.

Bad::

    urn: urn:babel:orders:created
    desription: An order was accepted.

Good::

    urn: urn:babel:orders:created
    description: An order was accepted.
    x-jira: SHOP-12

Fix::

    Correct the spelling. Give a custom key the prefix `x-`; no tool interprets it.
""",
    "key-missing": """A required key that is missing.

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
    "value-invalid": """A value of the wrong type, or one that is not allowed.

The message lists the allowed values. YAML is read strictly: `yes`, `on` and `2026-11-20` are strings; only `true`,
`false`, `null` and JSON numbers are not.

Bad::

    urn: urn:babel:orders:created
    kind: evnt

Good::

    urn: urn:babel:orders:created
    kind: event

Fix::

    Write one of the values that the finding lists. A string that looks like a number, `true` or `null` needs quotes.
""",
}
