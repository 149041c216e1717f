"""Python expressions laid out over several lines where one would be too long."""

from __future__ import annotations

import ast

from babelreg.typemap.python.names import in_lines, literal

__all__ = ["LONGEST", "bracketed", "item", "laid_out", "text"]

LONGEST = 120
"""The longest line of generated code, but for a name that is longer by itself."""


def bracketed(opening: str, parts: list[str], closing: str, longest: int = LONGEST) -> str:
    """``opening``, the parts and ``closing`` on one line, or with a line for each part. An import gets brackets."""
    flat = f"{opening}{', '.join(parts)}{closing}"
    if len(flat) <= longest:
        return flat
    before, after = ("(", ")") if opening.endswith(" import ") else ("", "")
    return f"{opening}{before}\n{''.join(f'    {part},{chr(10)}' for part in parts)}{closing}{after}"


def text(value: str, indent: int, used: int) -> str:
    """``value`` as a literal, or as several ones that Python joins; ``used`` characters precede it on its line."""
    spelled = literal(value)
    return spelled if used + len(spelled) + 1 <= LONGEST else in_lines(value, indent)


def item(key: str, value: str, indent: int = 4) -> str:
    """A line of a dictionary of texts, or several lines where one would be too long."""
    spelled = text(key, indent, indent + 2)
    return f"{spelled}: {text(value, indent, indent + len(spelled.rpartition(chr(10))[2]) + 3)},"


def laid_out(annotation: str, indent: int, used: int, after: int = 0) -> str:
    """``annotation``, or a call by keywords; broken within brackets where it does not fit on its line.

    ``used`` characters precede it there, ``after`` follow it.
    """
    if used + len(annotation) + after <= LONGEST:
        return annotation
    return _broken(ast.parse(annotation, mode="eval").body, annotation.encode(), indent)


def _broken(node: ast.expr, source: bytes, indent: int) -> str:
    inner = " " * (indent + 4)
    match node:
        case ast.BinOp(op=ast.BitOr()):
            operands = [_part(one, source, indent + 4) for one in _operands(node)]
            return "(\n" + inner + f"\n{inner}| ".join(operands) + "\n" + " " * indent + ")"
        case ast.Subscript(value=value, slice=inside):
            elements = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            comma = "," if isinstance(inside, ast.Tuple) else ""  # behind one element it would make a tuple
            lines = "".join(f"{inner}{_part(one, source, indent + 4)}{comma}\n" for one in elements)
            return f"{_spelled(value, source)}[\n{lines}{' ' * indent}]"
        case ast.Call(func=function, args=[], keywords=keywords):
            parts = [f"{one.arg}={_part(one.value, source, indent + 4)}" for one in keywords]
            lines = "".join(f"{inner}{part},\n" for part in parts)
            return f"{_spelled(function, source)}(\n{lines}{' ' * indent})"
        case ast.Constant(value=str() as value):
            return in_lines(value, indent)
    return _spelled(node, source)


def _part(node: ast.expr, source: bytes, indent: int) -> str:
    spelled = _spelled(node, source)
    return spelled if indent + 2 + len(spelled) + 1 <= LONGEST else _broken(node, source, indent)


def _spelled(node: ast.expr, source: bytes) -> str:
    return source[node.col_offset : node.end_col_offset].decode()


def _operands(node: ast.expr) -> list[ast.expr]:
    """The operands of ``a | b | c``, found in a loop: Python nests them to the left."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]
