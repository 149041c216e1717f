"""Widenings in the text of a file: comments and layout stay, and a comment behind the edit gives the evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from babelreg.analysis.infer.narrowing import Narrowing
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

_NARROWER = "could be narrower: "
_NARROWING = re.compile(rf"(?:  # |; ){_NARROWER}([^#;]*)")
_EVIDENCE = re.compile(rf"  # (?:(?:required|optional): [0-9,]+ of [0-9,]+|{_NARROWER}[^#;]*)(?:; [^#]*)?\Z")


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


def with_narrowings(text: str, narrowings: Sequence[Narrowing]) -> tuple[str, int]:
    """Return ``text`` with comments that name the facts which were seen, and the number of those that changed.

    A comment of earlier days keeps what is not refuted. One of another kind stays alone, and so does a line of several
    properties.
    """
    marks = parser.marks(text)
    splices = {splice for each in narrowings if (splice := _narrowing_splice(text, marks, each))}
    edited = _spliced(text, splices)
    if not _differs_in_comments(text, edited):  # a line that ends within a text
        splices = {each for each in splices if _differs_in_comments(text, _spliced(text, {each}))}
        edited = _spliced(text, splices)
    return edited, len(splices)


def _narrowing_splice(text: str, marks: parser.Mark, narrowing: Narrowing) -> Splice | None:
    """Return the edit of the line where the property is; None where it stays as it is."""
    start, end = _key_line(text, marks, narrowing.pointer)
    if text[:start].rpartition("\n")[2].strip():
        return None
    line = text[start:end]
    known = _NARROWING.search(line)
    facts = [fact for fact in known[1].split(", ") if fact not in narrowing.refuted] if known else []
    facts += [fact for fact in narrowing.seen if fact not in facts]
    if known is not None:
        behind = line[known.end() :]
        line = line[: known.start()] + ("  # " + behind.removeprefix("; ") if known[0][0] == " " and behind else behind)
    if facts and ("#" not in line or _EVIDENCE.search(line)):
        line += f"{'; ' if '#' in line else '  # '}{_NARROWER}{', '.join(facts)}"
    return Splice(start, end, line) if line != text[start:end] else None


def _spliced(text: str, splices: Iterable[Splice]) -> str:
    for splice in sorted(splices, key=lambda each: -each.start):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


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
    start, end = _key_line(text, parser.marks(text), pointer)
    first = text.rfind("\n", 0, start) + 1
    line = text[first:end]
    if evidence in line or ("#" in line and not _EVIDENCE.search(line)):
        return text
    if pointer[-2:-1] == ("properties",) and text[first:start].strip():
        evidence = f"{pointer[-1]} {evidence}"  # it is not alone on its line
    commented = f"{text[:end]}{'; later ' if '#' in line else '  # '}{evidence}{text[end:]}"
    return commented if _differs_in_comments(text, commented) else text


def _key_line(text: str, mark: parser.Mark, pointer: Pointer) -> tuple[int, int]:
    """Return where the key at ``pointer`` starts, and where its line ends. ``mark`` is that of the text."""
    key = None
    for step in pointer:
        if step not in mark.children:
            break
        mark, key = mark.children[step], mark.keys.get(str(step))
    start = key.start if key is not None else mark.start
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return start, end - (text[end - 1 : end] == "\r")


def _differs_in_comments(text: str, edited: str) -> bool:
    """Return True where two texts have different comments, and the same value."""
    try:
        return repr(parser.read(edited)) == repr(parser.read(text)) and _comments(edited) != _comments(text)
    except Defect:
        return False


def _comments(text: str) -> Counter[str]:
    return Counter(outline(text.replace("\r\n", "\n")).comments())
