"""Manual pages of the defects of entire files: place, name, encoding, size."""

from __future__ import annotations

PAGES: dict[str, str] = {
    "file-unreadable": """A file that is a folder, cannot be opened, or is not UTF-8 text.

Registry files are UTF-8, so that they read the same on every machine. A folder named like a file, a link to nowhere and
a file without read permission are reported as well, since a file that is skipped in silence is a message lost.

Bad::

    # file: orders/created.yaml (UTF-16)
    urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created

Fix::

    Convert the file to UTF-8 (`iconv -f UTF-16 -t UTF-8`), give it read permission, or rename the folder that is
    named like a file.
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

Fix::

    Move examples into a file of JSON lines and shared parts below `_common/`. Split a file of examples that is
    larger than 16 MiB: a few dozen show as much.
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

Fix::

    Choose another word for the name. The URN changes with the file, so do it before the message is published.
""",
    "file-misplaced": """A file in a place, or with a name, that no message can have.

A message is at `<context>/<name>.yaml`, a shared schema in `_common/`, a service in `_services/`. A file that
looks like one of them and is elsewhere, or has another ending, is never read, so its mistakes would pass.
Reported are files with a `urn` at their top, and all YAML and JSON in `_common/`, `_services/` and the folder of a
context that no message refers to. Names that start with a dot, `_schemas/`, generated files and what `.gitignore`
names are left alone.

Bad::

    # file: orders/created.yml
    urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created

Fix::

    Move the file with `git mv` to where the finding says. One that is not meant for the registry is named, as a pattern
    like those of gitignore, in `ignore_files` of `babelreg.yaml`: `ignore_files: [docs/, orders/samples/*.json]`.
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

Fix::

    Create `babelreg.yaml` with the line `version: 1`, or name the folder that has one with `--registry`.
""",
}
