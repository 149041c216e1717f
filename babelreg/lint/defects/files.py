"""Manual pages of the defects of entire files: place, name, encoding, size."""

from __future__ import annotations

PAGES: dict[str, str] = {
    "file-unreadable": """A file that is a folder, cannot be opened, or is not UTF-8 text.

Registry files are UTF-8 so that they read the same on every machine. A folder with the name of a file, a broken link
and a file without read permission are reported as well, because a message in a silently skipped file would be lost.

Bad::

    # file: orders/created.yaml (UTF-16)
    urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created

Fix::

    Convert the file to UTF-8 (`iconv -f UTF-16 -t UTF-8`), give it read permission, or rename the folder that has the
    name of a file.
""",
    "file-too-large": """A file above the size limit: 1 MiB, or 16 MiB for a file of examples.

A message file is written for people. A file of that size contains data or is meant to keep the tools busy. Move
examples into a file of JSON lines and refer to it with `examples: {file: NAME.jsonl}`.

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
    "file-name-reserved": """A file name that some operating systems forbid, such as con.yaml or aux.yaml.

Windows reserves CON, PRN, AUX, NUL, COM1 and LPT1 for devices, with any suffix, so the registry could not be checked
out there.

Bad::

    # file: orders/aux.yaml
    urn: urn:babel:orders:aux

Good::

    # file: orders/auxiliary.yaml
    urn: urn:babel:orders:auxiliary

Fix::

    Choose another word for the name. The URN changes with the file name, so do it before the message is published.
""",
    "file-misplaced": """A file with a path or name that no message can have.

A message is at `<context>/<name>.yaml`, a shared schema in `_common/`, a service in `_services/`. A file that looks
like one of these but is elsewhere, or has another suffix, is never read, so mistakes in it would go unnoticed. The rule
reports files with a `urn` at the top level, and all YAML and JSON files in `_common/`, `_services/` and context folders
that no message refers to. It ignores names that start with a dot, `_schemas/`, generated files, and files listed in
`.gitignore`.

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

The file marks the folder as a registry and declares the version of the format.

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

    Create `babelreg.yaml` with the line `version: 1`, or pass the folder that has one with `--registry`.
""",
}
