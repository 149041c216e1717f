"""Three-way merge of one file: what the source changed since the last import goes into the text, edits of it stay.

``base`` is the value that the last import wrote, ``ours`` the file as it is now, ``theirs`` the value of the source
now. Where both changed the same thing, ours stays and the place is reported.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from babelreg.load.yaml.comment_tree import outline
from babelreg.load.yaml.editor import Draft
from babelreg.load.yaml.emitter import EditError
from babelreg.load.yaml.key_order import neighbour
from babelreg.model import Edit
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import identical

_ABSENT = object()


@dataclass
class MergedFile:
    """The merged text, and the places where the source changed something that is edited here or cannot be edited."""

    text: str
    kept: list[tuple[Pointer, str]] = field(default_factory=list)


def merge(text: str, role: str, base: Any, theirs: Any) -> MergedFile:
    """Return ``text`` with the changes from ``base`` to ``theirs``. Raises EditError where it is not strict YAML."""
    result = MergedFile(text)
    edits: list[Edit] = []
    _compare(Draft(text).value, base, theirs, (), edits, result.kept)
    try:
        result.text = _applied(text, role, edits)
    except EditError:
        for edit in edits:  # one by one, so that one which cannot be made leaves the others
            try:
                result.text = _applied(result.text, role, [edit])
            except EditError as err:
                result.kept.append((edit.pointer, err.message))
    return result


def _applied(text: str, role: str, edits: list[Edit]) -> str:
    if not edits:
        return text
    draft = Draft(text, lambda at, keys: neighbour(role, at[:-1], keys, str(at[-1])))
    for edit in edits:
        splices = draft.plan([edit])
        if not draft.fits(splices):
            raise EditError("another change touches the same line")
        draft.take([edit], splices)
    merged = draft.result()
    if "#" in text and _comments(text) - _comments(merged):
        raise EditError("a comment would be lost")
    return merged


def _comments(text: str) -> Counter[str]:
    return Counter(outline(text.replace("\r\n", "\n")).comments())


def _compare(
    ours: Any, base: Any, theirs: Any, at: Pointer, edits: list[Edit], kept: list[tuple[Pointer, str]]
) -> None:
    """Add the edits that bring the changes from ``base`` to ``theirs`` into ``ours``."""
    if identical(base, theirs) or identical(ours, theirs):
        return
    if isinstance(ours, dict) and isinstance(base, dict) and isinstance(theirs, dict):
        for key in dict.fromkeys((*theirs, *base)):
            ours_member, base_member = ours.get(key, _ABSENT), base.get(key, _ABSENT)
            _compare_member(ours_member, base_member, theirs.get(key, _ABSENT), (*at, key), edits, kept)
    elif identical(ours, base):
        edits.append(Edit("", "replace", at, theirs))
    elif _merged_list(ours, base, theirs) is not None:
        merged = _merged_list(ours, base, theirs)
        if not identical(merged, ours):
            edits.append(Edit("", "replace", at, merged))
    else:
        kept.append((at, "it was edited here, and the source changed it, too"))


def _compare_member(
    ours: Any, base: Any, theirs: Any, at: Pointer, edits: list[Edit], kept: list[tuple[Pointer, str]]
) -> None:
    if identical(base, theirs):
        return
    if theirs is _ABSENT:
        if identical(ours, base):
            edits.append(Edit("", "remove", at))
        elif ours is not _ABSENT:
            kept.append((at, "it was edited here, and the source removed it"))
    elif base is _ABSENT:
        if ours is _ABSENT:
            edits.append(Edit("", "insert", at, theirs))
        elif not identical(ours, theirs):
            kept.append((at, "it was added here, and the source added it with another value"))
    elif ours is _ABSENT:
        kept.append((at, "it was removed here, and the source changed it"))
    else:
        _compare(ours, base, theirs, at, edits, kept)


def _merged_list(ours: Any, base: Any, theirs: Any) -> list[Any] | None:
    """Return a list of scalars with what was added and removed on either side; None for other values."""
    if not all(isinstance(value, list) for value in (ours, base, theirs)):
        return None
    if any(isinstance(item, (dict, list)) for value in (ours, base, theirs) for item in value):
        return None
    in_base, in_theirs = {_key(item) for item in base}, {_key(item) for item in theirs}
    merged = [item for item in ours if _key(item) in in_theirs or _key(item) not in in_base]
    present = in_base | {_key(item) for item in merged}
    return [*merged, *(item for item in theirs if _key(item) not in present)]


def _key(item: Any) -> tuple[type, Any]:
    return type(item), item  # 1 is not true
