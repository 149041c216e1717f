"""The closed table of what an import reports. Each code has a page of the manual (``babelreg explain``)."""

from __future__ import annotations

from babelreg.finding import Finding, Place, Severity

IMPORT_CODES: dict[str, tuple[Severity, str]] = {
    "import-file-unread": (Severity.ERROR, "A source file that cannot be read."),
    "import-reference-unresolved": (Severity.ERROR, "A `$ref` to a schema that is not in the source folder."),
    "import-schema-refused": (Severity.ERROR, "A schema that cannot become the data of a message."),
    "import-meaning-changed": (Severity.WARNING, "A part of a schema whose meaning could not be preserved."),
    "import-key-repeated": (Severity.WARNING, "A key that occurs twice in an object of a JSON file."),
    "import-address-dropped": (Severity.WARNING, "A channel whose address is not the queue of any message."),
    "import-schema-adjusted": (Severity.INFO, "A change of a schema that preserves the meaning of its messages."),
    "import-edit-kept": (
        Severity.WARNING,
        "A change of the source that conflicts with an edit of the registry; the edit stays.",
    ),
    "import-edit-disabled": (Severity.WARNING, "An edit of the registry that no message refers to any longer."),
    "import-mark-lost": (Severity.ERROR, "A mark of personal data that the import would remove."),
    "import-source-unused": (Severity.INFO, "A file that is neither a source nor required by one."),
    "import-no-message": (Severity.ERROR, "An import without any message."),
    "import-source-gone": (Severity.WARNING, "A source that was imported earlier and no longer exists."),
    "import-source-unplanned": (
        Severity.WARNING,
        "A source that the plan does not list, or that it lists although it does not exist.",
    ),
    "import-dialect-unknown": (Severity.WARNING, "A schema whose `$schema` is not a dialect of JSON Schema."),
    "import-versions": (Severity.INFO, "Sources that are versions or revisions of one message."),
    "import-kind-unknown": (Severity.WARNING, "Messages whose kind is unclear: event or command."),
    "import-open-objects": (Severity.INFO, "Schemas most of which explicitly allow any other property."),
    "import-example-invalid": (Severity.INFO, "A document beside a schema that does not accept it."),
    "import-example-private": (Severity.WARNING, "A document that appears to contain a secret or personal data."),
}
"""Severity and summary of each code."""

_LONGEST = 1000


def import_finding(
    code: str, message: str, place: Place, *, fix: str | None = None, pointer: str | None = None, urn: str | None = None
) -> Finding:
    """Return the finding of one of :data:`IMPORT_CODES`. Long messages lose their end."""
    severity = IMPORT_CODES[code][0]
    text = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"
    return Finding(code, severity, text, place, fix=fix, pointer=pointer, urn=urn)
