"""The files of the target: manifest, schemas, and the list of keywords that nobody enforces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from babelreg.gen.json_file import json_file
from babelreg.gen.schema_document import document_inputs, document_path, exported_schema, schema_document
from babelreg.gen.target import File, generated_messages, header
from babelreg.gen.targets.bqschema.enforcement import not_enforced, safe_spelling
from babelreg.gen.targets.bqschema.inline import inlined
from babelreg.model import Message, Registry
from babelreg.schema.dialects import DIALECTS, identify
from babelreg.schema.downgrade import downgraded
from babelreg.schema.pointer import text
from babelreg.schema.upgrade import Loss, upgraded

LIST = "NOT-ENFORCED.md"
_DRAFT7 = DIALECTS["draft7"].uri


def files(registry: Registry, *, closed_enums: bool) -> Iterator[File]:
    """Yield the manifest, the schemas and the list of what is not enforced."""
    exports = [
        _Export(message, exported_schema(registry, message, closed_enums=closed_enums))
        for message in generated_messages(registry)
    ]
    entries = [export.entry for export in exports]
    yield json_file("registry.json", "bqschema", "the registry", entries, lambda: {"schemas": entries})
    for export in exports:
        message = export.message
        inputs = [*document_inputs(message), export.source]
        yield json_file(export.path, "bqschema", message.source.path, inputs, export.document)
    yield _list(exports)


@dataclass(frozen=True)
class _Export:
    """One message, its open enums in the spelling of exports in ``source``."""

    message: Message
    source: dict[str, Any]

    @property
    def path(self) -> str:
        return f"schemas/{document_path(self.message).replace('/', '.')}.json"

    @property
    def entry(self) -> dict[str, str]:
        entry = {"urn": self.message.urn, "schema": self.path, "status": self.message.status}
        return entry if self.message.owner is None else {**entry, "owner": self.message.owner}

    def document(self) -> dict[str, Any]:
        return schema_document(self.message, self.schema, _DRAFT7, self.message.urn)

    @cached_property
    def schema(self) -> dict[str, Any]:
        schema, _ = self._translated
        spelled: dict[str, Any] = safe_spelling(schema)
        # Data is always an object, and the SDKs read nothing without a type.
        return spelled if "type" in spelled or "$ref" in spelled else {"type": "object", **spelled}

    @property
    def losses(self) -> tuple[Loss, ...]:
        return self._translated[1]

    @cached_property
    def _translated(self) -> tuple[Any, tuple[Loss, ...]]:
        newest = upgraded(self.source, identify(self.source))
        oldest = downgraded(inlined(newest.schema))
        return oldest.schema, (*newest.losses, *oldest.losses)


def _list(exports: list[_Export]) -> File:
    head = header("bqschema", "the registry", [[e.message.urn, e.source] for e in exports], sign="")
    line = head.replace("\n", " ")
    return File(LIST, lambda: _list_text(exports, line), line)


def _list_text(exports: list[_Export], head: str) -> str:
    lines = [
        f"<!-- {head} -->",
        "",
        "# Not enforced",
        "",
        "`bqschema` and `DirProvider` of the SDKs ignore the keywords below. Validators of draft-07 enforce those of",
        "the first list of a message; those of the second list do not exist in draft-07.",
    ]
    for export in exports:
        ignored = [f"- `{keyword}` at `{text(pointer)}`" for pointer, keyword in not_enforced(export.schema)]
        lacking = [f"- `{loss.keyword}` at `{text(loss.pointer)}`: {loss.reason}" for loss in export.losses]
        if ignored or lacking:
            lines += ["", f"## {export.message.urn}", ""]
            lines += ["Ignored by the SDKs:", "", *ignored] if ignored else []
            lines += [""] if ignored and lacking else []
            lines += ["Not in draft-07:", "", *lacking] if lacking else []
    return "\n".join(lines) + "\n"
