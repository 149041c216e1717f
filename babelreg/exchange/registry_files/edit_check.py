"""Comparison of the registry before and after an import: edits and marks of personal data that lose their effect.

A merge keeps an edit where it is written. It has no effect any more where the source changed what leads there: a
definition that nothing refers to, a property that is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.errors import SchemaError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.registry_files.import_record import RecordedFile
from babelreg.finding import Finding, shown_folder
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Tree
from babelreg.load.registry.document import decode
from babelreg.load.yaml import parser
from babelreg.model import Message, Registry
from babelreg.schema.annotations import Others, annotated, written_annotations
from babelreg.schema.dialects import SENSITIVITY, Reach, identify
from babelreg.schema.field_path import OTHERS, Step, spelled
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.values import identical
from babelreg.schema.walk import children

_Edits = dict[str, list[Pointer]]
_MISSING = object()


def lost_marks(before: Registry, after: Registry) -> Iterator[Finding]:
    """Yield an error for each mark of personal data of a message that it does not have ``after``."""
    for old in before.messages:
        new = after.by_urn.get(old.urn)
        schema = None if new is None else new.schema
        if old.schema is None or old.schema == schema:
            continue
        left = _marks(schema)
        for path, pointer in _marks(old.schema).items():
            if path not in left:
                field = spelled(path)
                message = (
                    f"the mark of personal data of '{field}' would be lost: the source changed the field that it marks"
                )
                fix = f"if '{field}' is no longer sent, remove {SENSITIVITY} here, then import again"
                place = old.place((*pointer, SENSITIVITY))
                yield import_finding(
                    "import-mark-lost", message, place, fix=fix, pointer=text(pointer), urn=old.urn
                ).below(shown_folder(before.root))


def _marks(schema: Any) -> dict[tuple[Step, ...], Pointer]:
    """Return where a bundled schema marks personal data, by the path of the values."""
    if schema is None:
        return {}
    found = annotated(schema, SENSITIVITY) or written_annotations(schema, SENSITIVITY)[0]
    return {
        tuple(OTHERS if isinstance(step, Others) else step for step in item.path): item.pointer
        for item in found
        if item.value
    }


def disabled_edits(
    tree: Tree, record: Mapping[str, RecordedFile], before: Registry, after: Registry
) -> Iterator[Finding]:
    """Yield a finding for each edit of an imported file that had an effect on a message and has none ``after``."""
    edits = _edits(tree, record)
    if not edits:
        return
    remaining = {(urn, path, pointer) for urn, path, pointer, _ in _effective(after, edits)}
    reported: set[tuple[str, Pointer]] = set()
    for urn, path, pointer, message in _effective(before, edits):
        if (urn, path, pointer) in remaining or (path, pointer) in reported:
            continue
        reported.add((path, pointer))
        words = f"the edit of '{text(pointer)}' no longer has an effect on {urn}: the source does not refer to it"
        source = message.source if message.source.path == path else _origin(message, path)
        finding = import_finding(
            "import-edit-disabled",
            words,
            source.place(pointer),
            fix="move the edit to the present place of the schema",
            pointer=text(pointer),
            urn=urn,
        )
        yield finding.below(shown_folder(before.root))


def _edits(tree: Tree, record: Mapping[str, RecordedFile]) -> _Edits:
    """Return the pointers of schemas of imported files that differ from what was imported, by path."""
    edits: _Edits = {}
    existing = set(tree.paths())
    for path, file in record.items():
        if path not in existing:
            continue
        try:
            value = parser.read(decode(tree.read(path)))
        except Defect:
            continue
        at: Pointer = () if path.startswith("_common/") else ("data",)
        pairs = [value, file.value]
        if at:
            pairs = [item.get("data") if isinstance(item, dict) else None for item in pairs]
        changed = list(_changed(pairs[0], pairs[1], at))
        if changed:
            edits[path] = changed
    return edits


def _changed(ours: Any, base: Any, at: Pointer) -> Iterator[Pointer]:
    if isinstance(ours, dict) and isinstance(base, dict):
        for key in dict.fromkeys((*ours, *base)):
            yield from _changed(ours.get(key, _MISSING), base.get(key, _MISSING), (*at, key))
    elif not identical(ours, base):
        yield at


def _effective(registry: Registry, edits: _Edits) -> Iterator[tuple[str, str, Pointer, Message]]:
    """Yield each message with the edits that its schema leads to: URN, path and pointer."""
    for message in registry.messages:
        files = {message.source.path, *(source.path for source in message.origins.values())}
        if message.schema is None or files.isdisjoint(edits):
            continue
        visited = set(_visited(message))
        for path in sorted(files.intersection(edits)):
            for pointer in edits[path]:
                if _is_visited(visited, path, pointer):
                    yield message.urn, path, pointer, message


def _is_visited(visited: set[tuple[str, str]], path: str, pointer: Pointer) -> bool:
    """Return True where the innermost schema around ``pointer`` is one of ``visited``."""
    for end in range(len(pointer), -1, -1):
        if (path, text(pointer[:end])) in visited:
            return not (len(pointer) > end + 1 and pointer[end] in DEFINITIONS)
    return False


def _visited(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the schemas that apply to any value of a message: the path of the file, and the pointer there."""
    try:
        references = LocalReferences(message.schema, identify(message.schema))
    except SchemaError:
        return
    seen: set[Pointer] = set()
    waiting: list[tuple[Pointer, Any]] = [((), message.schema)]
    while waiting:
        pointer, schema = waiting.pop()
        if pointer in seen:
            continue
        seen.add(pointer)
        origin = message.origins.get(str(pointer[1])) if pointer[:1] == ("$defs",) and len(pointer) > 1 else None
        yield (origin.path, text(pointer[2:])) if origin else (message.source.path, text(("data", *pointer)))
        waiting += [target for target in references.targets(schema) if target is not None]
        waiting += [
            (pointer + steps, below)
            for keyword, steps, below, reach in children(schema, references.dialect)
            if reach is not Reach.NOWHERE or keyword == "contentSchema"
        ]


def _origin(message: Message, path: str) -> Any:
    return next(source for source in message.origins.values() if source.path == path)
