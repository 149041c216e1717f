"""Layout of Python expressions, on several lines where one would be too long."""

from __future__ import annotations

import ast

from babelreg.typemap.python.names import in_lines, literal

LONGEST = 120
"""The maximum length of a line of generated code, except for longer names."""


def bracketed(opening: str, parts: list[str], closing: str, longest: int = LONGEST) -> str:
    """Return ``opening``, the parts and ``closing`` on one line, or one part a line. An import gets parentheses."""
    flat = f"{opening}{', '.join(parts)}{closing}"
    if len(flat) <= longest:
        return flat
    before, after = ("(", ")") if opening.endswith(" import ") else ("", "")
    return f"{opening}{before}\n{''.join(f'    {part},{chr(10)}' for part in parts)}{closing}{after}"


def text(value: str, indent: int, used: int) -> str:
    """Return ``value`` as a literal, or as several adjacent ones; ``used`` characters precede it on its line."""
    source = literal(value)
    return source if used + len(source) + 1 <= LONGEST else in_lines(value, indent)


def item(key: str, value: str, indent: int = 4) -> str:
    """Return a line of a dictionary of texts, or several lines where one would be too long."""
    source = text(key, indent, indent + 2)
    return f"{source}: {text(value, indent, indent + len(source.rpartition(chr(10))[2]) + 3)},"


def laid_out(annotation: str, indent: int, used: int, after: int = 0) -> str:
    """Return ``annotation``, or a call with keywords, broken within brackets where it does not fit on its line.

    ``used`` characters precede it there, ``after`` follow it.
    """
    if used + len(annotation) + after <= LONGEST:
        return annotation
    return _broken(ast.parse(annotation, mode="eval").body, annotation.encode(), indent)


def _broken(node: ast.expr, source: bytes, indent: int) -> str:
    inner = " " * (indent + 4)
    match node:
        case ast.BinOp(op=ast.BitOr()):
            operands = [_part(operand, source, indent + 4) for operand in union_operands(node)]
            return "(\n" + inner + f"\n{inner}| ".join(operands) + "\n" + " " * indent + ")"
        case ast.Subscript(value=value, slice=inside):
            elements = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            comma = "," if isinstance(inside, ast.Tuple) else ""  # after one element it would make a tuple
            lines = "".join(f"{inner}{_part(element, source, indent + 4)}{comma}\n" for element in elements)
            return f"{_segment(value, source)}[\n{lines}{' ' * indent}]"
        case ast.Call(func=function, args=[], keywords=keywords):
            parts = [f"{keyword.arg}={_part(keyword.value, source, indent + 4)}" for keyword in keywords]
            lines = "".join(f"{inner}{part},\n" for part in parts)
            return f"{_segment(function, source)}(\n{lines}{' ' * indent})"
        case ast.Constant(value=str() as value):
            return in_lines(value, indent)
    return _segment(node, source)


def _part(node: ast.expr, source: bytes, indent: int) -> str:
    segment = _segment(node, source)
    return segment if indent + 2 + len(segment) + 1 <= LONGEST else _broken(node, source, indent)


def _segment(node: ast.expr, source: bytes) -> str:
    return source[node.col_offset : node.end_col_offset].decode()


def union_operands(node: ast.expr) -> list[ast.expr]:
    """Return the operands of ``a | b | c``, which the syntax tree nests to the left."""
    operands: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        operands.append(node.right)
        node = node.left
    return [node, *reversed(operands)]
