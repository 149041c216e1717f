"""Python names of messages and properties: modules, attributes, string literals. Classes: ``typemap.names``.

All names in generated code consist of ASCII letters, digits and underscores, whatever the registry says. All texts
become literals or docstrings here, in which invisible characters are escaped.
"""

from __future__ import annotations

import functools
import keyword
import re
import textwrap
from collections.abc import Callable, Iterable, Set

from babelreg.model import Urn
from babelreg.typemap.names import escaped, in_ascii, is_plain, visible

__all__ = [
    "ANNOTATION_NAMES",
    "TYPED_FORMATS",
    "attributes",
    "docstring",
    "in_lines",
    "in_order",
    "literal",
    "module_name",
    "natural",
]

_SIMPLE = re.compile(r"[ !#-\[\]-~]*\Z")  # printable ASCII but the double quote and the backslash
_LONGEST = 110
"""The longest line of a docstring, its indent included."""
_LONGEST_PIECE = 100

# Attributes of pydantic.BaseModel (2.14), and the names that annotations in a generated module use.
_BASE_MODEL = [
    *("construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"),
    *("schema", "schema_json", "update_forward_refs", "validate"),
]
ANNOTATION_NAMES = (
    *("Annotated", "Any", "ClassVar", "Field", "Literal", "MISSING", "Mapping", "Missing", "Model", "NotRequired"),
    *("OpenModel", "ReadOnly", "Sequence", "Struct", "TypedDict", "UNSET", "UnsetType"),
)
"""Names in annotations and class headers of generated modules, besides Python's own."""
TYPED_FORMATS: dict[tuple[str, str], str] = {
    ("string", "date-time"): "DateTime",
    ("string", "date"): "Date",
    ("string", "uuid"): "Uuid",
    ("string", "decimal"): "DecimalText",
    ("number", "decimal"): "DecimalNumber",
}
"""``{(type, format): name}`` of the types in generated code that represent more than a JSON value."""

_BUILTIN = ["bool", "dict", "float", "int", "list", "self", "str"]
_TAKEN = frozenset([*_BASE_MODEL, *ANNOTATION_NAMES, *_BUILTIN, *TYPED_FORMATS.values(), *keyword.kwlist])


def module_name(urn: Urn) -> str:
    """Return the module name: ``urn:babel:orders:invoice.requested.v2`` is ``orders_invoice_requested_v2``."""
    version = f"_v{urn.version}" if urn.version > 1 else ""
    name = re.sub(r"[^a-z0-9]+", "_", f"{urn.context}_{urn.name}").strip("_") + version
    return name if name[0].isalpha() else f"message_{name}"


def natural(text: str) -> list[tuple[bool, int, str]]:
    """Return a sort key by which ``v10`` comes after ``v2``."""
    parts = re.findall(r"\d+|\D+", text)
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def in_order(names: Iterable[str]) -> list[str]:
    """Return names in the order of ``__all__``: constants, then classes, then the rest."""
    return sorted(names, key=lambda name: (_rank(name), natural(name)))


def import_order(names: Iterable[str]) -> list[str]:
    """Return names in the order of imports, which is that of ``__all__`` but for the case of letters."""
    return sorted(names, key=lambda name: (_rank(name), natural(name.lower()), natural(name)))


def _rank(name: str) -> int:
    return 0 if name.isupper() else 1 if name[0].isupper() else 2


def attributes(properties: Iterable[str], classes: Set[str] = frozenset()) -> dict[str, str]:
    """Return ``{property: attribute}`` for one class, with unique attributes.

    A property that is a valid name keeps it whatever the other properties are, so that a new one renames none.
    ``classes`` are names that annotations of this module use.
    """

    def taken(name: str) -> bool:
        return name in _TAKEN or name in classes

    ordered = list(properties)
    by_property = {name: name for name in ordered if _fits(name) and not taken(name)}
    used = set(by_property.values())
    for name in ordered:
        if name in by_property:
            continue
        wanted = _attribute(name, taken)
        candidate, number = wanted, 2
        while candidate in used or taken(candidate):
            candidate, number = f"{wanted}_{number}" if not wanted.endswith("_") else f"{wanted}{number}", number + 1
        used.add(candidate)
        by_property[name] = candidate
    return {name: by_property[name] for name in ordered}


def _fits(name: str) -> bool:
    # Pydantic keeps names with a leading underscore for private attributes and those with model_ for itself.
    return name.isascii() and name.isidentifier() and not name.startswith(("_", "model_"))


def _attribute(name: str, taken: Callable[[str], bool]) -> str:
    spelled = re.sub(r"[^A-Za-z0-9]+", "_", in_ascii(name)).strip("_")
    if not spelled:
        return "field"
    if not spelled[0].isalpha():
        spelled = f"field_{spelled}"
    return f"{spelled}_" if taken(spelled) or not _fits(spelled) or keyword.iskeyword(spelled) else spelled


def literal(text: str) -> str:
    """Return ``text`` as a Python string literal in double quotes; all but plain printable text is escaped."""
    return f'"{text}"' if _SIMPLE.match(text) else f'"{"".join(map(_in_literal, text))}"'


@functools.lru_cache(4096)  # most texts have the same few characters
def _in_literal(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if is_plain(character) else escaped(character)


def in_lines(text: str, indent: int) -> str:
    """Return ``text`` as adjacent literals in parentheses, one a line; the last line is indented by ``indent``."""
    inner = " " * (indent + 4)
    most = max(_LONGEST_PIECE - len(inner), 40)
    pieces: list[list[str]] = [[]]
    length = 0
    for spelled in map(_in_literal, text):
        if length + len(spelled) > most:
            pieces.append([])
            length = 0
        pieces[-1].append(spelled)
        length += len(spelled)
    return "(\n" + "".join(f'{inner}"{"".join(piece)}"\n' for piece in pieces) + " " * indent + ")"


def docstring(text: str, indent: str = "", *, wrap: bool = True) -> str:
    """Return ``text`` as a docstring in three double quotes; lines after the first are indented by ``indent``.

    Long lines are wrapped, unless ``wrap`` is False, as for code.
    """
    shown = visible(text).strip()
    escaped = (_wrapped(shown, _LONGEST - len(indent)) if wrap else shown).replace("\\", "\\\\")
    inner = escaped.rstrip('"')
    safe = inner.replace('"""', '\\"\\"\\"') + '\\"' * (len(escaped) - len(inner))
    lines = [line.rstrip() for line in safe.split("\n")]
    if len(lines) == 1:
        return f'"""{safe}"""'
    return "\n".join([f'"""{lines[0]}', *(f"{indent}{line}" if line else "" for line in lines[1:]), f'{indent}"""'])


def _wrapped(text: str, longest: int) -> str:
    """Return ``text`` with long lines wrapped, so that after escaping they have at most ``longest`` characters."""
    if len(text) <= longest // 2:
        return text
    return "\n".join(
        line if len(line) + line.count("\\") + line.count('"') <= longest else "\n".join(_filled(line, longest))
        for line in text.split("\n")
    )


def _filled(line: str, longest: int) -> list[str]:
    escapes = "\\" in line or '"' in line  # which take two characters each
    wrapped = textwrap.wrap(line, longest // 2 if escapes else longest, break_on_hyphens=False)
    return wrapped or [""]
