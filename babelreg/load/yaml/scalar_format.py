"""Spelling of scalars in the standard format of a registry file, line by line."""

from __future__ import annotations

import re

from babelreg.load.yaml import parser
from babelreg.load.yaml.comment_tree import CommentedValue
from babelreg.load.yaml.emitter import ambiguous, quoted, spell

_HEADER = re.compile(r"(?P<style>[|>])(?P<chomp>[+-])?(?P<indent>[1-9])?(?P<late>[+-])?(?P<rest>.*)\Z")


def word(node: CommentedValue, *, as_key: bool = False) -> str:
    """Return a scalar on one line; one written on several lines in double quotes."""
    if node.style in ("|", ">") or "\n" in node.raw:
        return quoted(node.value)
    if node.style == "":
        is_text = as_key or isinstance(parser.scalar(node.value), str)
        return quoted(node.value) if is_text and ambiguous(node.value) else node.raw
    spelled = spell(node.value)
    if spelled.startswith('"') and (node.style == '"' or "\\" in spelled):
        return node.raw  # a regular expression in single quotes is easier to read
    return spelled


def lines_of(node: CommentedValue, indent: int) -> list[str]:
    """Return the lines of a value whose key or dash is indented by ``indent``; the first follows on that line."""
    if node.style in ("|", ">"):
        return _block(node, indent)
    if "\n" not in node.raw:
        return [word(node)]
    first, *middle, last = node.raw.split("\n")
    lines = [_stripped(first, node.style), *(_stripped(line.lstrip(" \t"), node.style) for line in middle)]
    lines.append(last.lstrip(" \t"))
    return [lines[0], *(" " * (indent + 2) + line if line else "" for line in lines[1:])]


def _stripped(line: str, style: str) -> str:
    """Return the line without trailing white space, except white space after a backslash, which YAML keeps."""
    bare = line.rstrip(" \t")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if style == '"' and backslashes % 2 and len(bare) < len(line) else bare


def _block(node: CommentedValue, indent: int) -> list[str]:
    header, *body = node.raw.removesuffix("\n").split("\n")
    parts = _HEADER.match(header)
    assert parts is not None
    chomp, digit = parts["chomp"] or parts["late"] or "", parts["indent"]
    old = _indent_of(node, body, digit)
    new = indent + (int(digit) if digit else 2)
    lines = ["" if len(line) <= old and not line.strip(" ") else " " * new + line[old:] for line in body]
    if chomp != "+":
        while lines and not lines[-1]:
            lines.pop()
    if node.value and not node.value.endswith("\n"):
        chomp = "-"  # the file ends within it, without a line break
    return [f"{parts['style']}{digit or ''}{chomp}{parts['rest'].rstrip()}", *lines]


def _indent_of(node: CommentedValue, body: list[str], digit: str | None) -> int:
    if digit:
        return node.column + int(digit)
    return next((len(line) - len(line.lstrip(" ")) for line in body if line.strip(" ")), 1 << 30)
