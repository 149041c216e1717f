"""Widenings in the text of a file: comments and layout stay, and a comment behind the edit gives the evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from babelreg.analysis.infer.widening import Step, Widening
from babelreg.load.files.defect import Defect
from babelreg.load.yaml import edits, parser
from babelreg.load.yaml.comment_tree import outline
from babelreg.load.yaml.editor import Draft, Splice
from babelreg.load.yaml.emitter import EditError
from babelreg.load.yaml.key_order import neighbour
from babelreg.load.yaml.yaml_text import yaml_text
from babelreg.model import Edit
from babelreg.schema.pointer import Pointer

_EVIDENCE = re.compile(r"  # (?:required|optional): [0-9,]+ of [0-9,]+(?:; [^#]*)?\Z")


def widened(
    text: str, role: str, widenings: Iterable[Widening]
) -> tuple[str, list[Widening], list[tuple[Widening, str]]]:
    """Return ``text`` of a file of ``role`` with the ``widenings`` that can be made in place, and these.

    Last come the others, each with the reason.
    """
    made: list[Widening] = []
    left: list[tuple[Widening, str]] = []
    for widening in widenings:
        try:
            text = _with_steps(text, role, widening)
        except EditError as err:
            left.append((widening, err.message))
        else:
            made.append(widening)
    return text, made, left


def _with_steps(text: str, role: str, widening: Widening) -> str:
    before = text
    for step in widening.steps:
        text = _with_step(text, role, step)
    if "#" in before and _comments(before) - _comments(text):
        raise EditError("a comment would be lost")
    return _with_comment(text, widening.pointer, widening.evidence)


def _with_step(text: str, role: str, step: Step) -> str:
    if step.kind == "append":
        return edits.append(text, step.pointer, step.value)
    if step.kind == "remove":
        return edits.remove(text, step.pointer)
    draft = Draft(text, lambda at, keys: neighbour(role, at[:-1], keys, str(at[-1])))
    edit = Edit("", step.kind, step.pointer, step.value)
    splice = draft.plan([edit])[0]
    if step.kind == "replace":
        splice = Splice(splice.start, splice.end, splice.text.replace(edits.spell(step.value), _line(step.value)))
    elif splice.text.startswith(("\n", "\r\n")):
        value, lines = _block(str(step.pointer[-1]), step)
        newline, _, first = splice.text.partition("\n")
        indent = first[: len(first) - len(first.lstrip(" "))]
        below = "".join(f"{newline}\n{indent}{line}" for line in lines)
        edit = Edit("", "insert", step.pointer, value)
        splice = Splice(splice.start, splice.end, below)
    draft.take([edit], [splice])
    return draft.result()


def _line(value: Any) -> str:
    """Return ``value`` on one line, spelled as in a new file where it fits there."""
    lines = yaml_text({"x": value}, "schema").splitlines()
    return lines[0].removeprefix("x: ") if len(lines) == 1 else edits.spell(value)


def _block(key: str, step: Step) -> tuple[Any, list[str]]:
    """Return the value of a new member, and its lines as a new file would have them."""
    text = yaml_text(
        {key: step.value}, "schema", comments={tuple(map(str, at)): it for at, it in step.comments.items()}
    )
    return parser.read(text)[key], text.splitlines()


def _with_comment(text: str, pointer: Pointer, evidence: str) -> str:
    """Return ``text`` with a comment on the line where ``pointer`` is, unless that cannot take one.

    A comment that an inference wrote there is continued; any other one stays alone.
    """
    mark, key = parser.marks(text), None
    for step in pointer:
        if step not in mark.children:
            break
        mark, key = mark.children[step], mark.keys.get(str(step))
    start = key.start if key is not None else mark.start
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    line = text[text.rfind("\n", 0, start) + 1 : end].rstrip("\r")
    if evidence in line or ("#" in line and not _EVIDENCE.search(line)):
        return text
    if pointer[-2:-1] == ("properties",) and text[:start].rpartition("\n")[2].strip():
        evidence = f"{pointer[-1]} {evidence}"  # it is not alone on its line
    at = text.rfind("\n", 0, start) + 1 + len(line)
    commented = f"{text[:at]}{'; later ' if '#' in line else '  # '}{evidence}{text[at:]}"
    try:
        same = repr(parser.read(commented)) == repr(parser.read(text))
    except Defect:
        same = False
    return commented if same and _comments(commented) - _comments(text) else text


def _comments(text: str) -> Counter[str]:
    return Counter(outline(text.replace("\r\n", "\n")).comments())
