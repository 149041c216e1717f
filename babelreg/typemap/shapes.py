"""Classes of a schema, in any language: their names, their attributes, and the shape of each.

The schema remains the source of truth: ``contract`` validates, types only describe. So a shape is never narrower than
the reader view: parsing a valid document and dumping it gives the same document. Constraints that types cannot express
(formats, ``not``, conditions) are omitted; a schema that is not understood has a shape of no keyword.

A shape is itself a JSON Schema with a few keywords: ``type``, ``enum`` of scalars, ``anyOf``, ``items``,
``additionalProperties`` and ``$ref`` to a class, a ``format`` where the language has a type for it, and limits such as
``minimum`` where the language states them beside the type; nothing else of the registry is copied.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.schema.local_references import fragment_steps
from babelreg.typemap import schema_facets as parts_of
from babelreg.typemap.limits import limits
from babelreg.typemap.names import pascal, singular
from babelreg.typemap.plain_shapes import PropertyShape, plain_key, plain_shapes
from babelreg.typemap.shape_union import union

ANY: dict[str, Any] = {}

_MAX_STEPS = 20_000
_MAX_DEPTH = 16


@dataclass(frozen=True, slots=True)
class Attribute:
    """One property. ``name`` is the attribute's name, ``wire`` the property's; for ``shape`` see the module.

    ``limits`` are sentences about its values (see ``limits.limits``).
    """

    name: str
    wire: str
    shape: dict[str, Any]
    required: bool
    description: str | None = None
    deprecated: bool = False
    limits: str | None = None


@dataclass(frozen=True, slots=True)
class Class:
    """One class: an object with named properties.

    ``open``: a producer may send further properties.
    """

    name: str
    attributes: tuple[Attribute, ...]
    description: str | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """All classes of one message. ``root`` is the name of the class of ``data`` itself."""

    root: str
    classes: Mapping[str, Class]


def shape(
    schema: Any,
    name: str,
    language: parts_of.TypeSpelling,
    reserved: Iterable[str] = (),
    *,
    strict: bool = False,
    known: Mapping[str, Mapping[str, Class]] | None = None,
) -> Shape:
    """Return the classes for the bundled ``schema``; the one for ``data`` is called ``name``, none as in ``reserved``.

    ``known`` are results of :func:`definition` by their references, which are taken where their names are free. The
    names of attributes must not depend on those of other classes, then.

    Never raises: any JSON value gives a shape. A nested class is named after its path (``<name>Total``), one from
    ``$defs`` after its key, so a class keeps its name when properties are added. With ``strict``, objects are open as
    the schema is written.
    """
    document = schema if isinstance(schema, dict) else {}
    walk = _ShapeWalk(document, name, frozenset(reserved), strict, language, known or {})
    walk.run()
    return Shape(name, walk.finished())


def definition(
    schema: Any, reference: str, language: parts_of.TypeSpelling, *, strict: bool = False
) -> Mapping[str, Class]:
    """Return the class of the definition that ``reference`` leads to, and the classes that it uses; {} for no class.

    The arguments are those of :func:`shape`, which gives the same classes where their names are free.
    """
    walk = _ShapeWalk(schema if isinstance(schema, dict) else {}, "", frozenset(), strict, language)
    target = walk.schemas.target(reference)
    if target is None or not parts_of.is_class(walk.schemas.of(target)):
        return {}
    walk.reference(reference, _Hint(""))
    walk.run_waiting()
    classes = walk.finished()
    return {} if any(name in language.reserved or not name[0].isalpha() for name in classes) else classes


@dataclass(frozen=True, slots=True)
class _Hint:
    """Proposed name of a class: after its parent and its property."""

    parent: str
    word: str = ""
    depth: int = 0

    @property
    def name(self) -> str:
        return self.parent + (pascal(self.word) if self.word else "")

    def below(self, word: str) -> _Hint:
        return _Hint(self.name, word, self.depth + 1)

    def item(self) -> _Hint:
        return _Hint(self.parent, singular(self.word) if self.word else "item", self.depth + 1)


@dataclass(slots=True)
class _ClassDraft:
    description: str | None
    fields: list[tuple[str, dict[str, Any], bool, Any, str | None]]
    open: bool


class _ShapeWalk:
    """One pass over one bundled schema."""

    def __init__(
        self,
        document: dict[str, Any],
        root: str,
        reserved: frozenset[str],
        strict: bool,
        language: parts_of.TypeSpelling,
        known: Mapping[str, Mapping[str, Class]] | None = None,
    ) -> None:
        self.known = known or {}
        self.schemas = parts_of.SchemaParts(document)
        self.root = root
        self.reserved = reserved
        self.strict = strict
        self.language = language
        self.drafts: dict[str, _ClassDraft | Class | None] = {root: None}
        self.waiting: deque[tuple[str, list[dict[str, Any]], int]] = deque()
        self.referred: dict[str, dict[str, Any] | None] = {}
        self.steps = 0
        self.plain_shapes = plain_shapes(language)

    def run(self) -> None:
        self.waiting.append((self.root, self.schemas.of(self.schemas.root), 0))
        self.run_waiting()

    def run_waiting(self) -> None:
        while self.waiting:  # iterative, because definitions may refer to each other in long chains
            self.draft(*self.waiting.popleft())

    def finished(self) -> dict[str, Class]:
        drafts = {name: draft for name, draft in self.drafts.items() if draft is not None}
        return {name: draft if isinstance(draft, Class) else self.finish(name, draft) for name, draft in drafts.items()}

    def finish(self, name: str, draft: _ClassDraft) -> Class:
        names = self.language.attributes([wire for wire, *_ in draft.fields], self.drafts.keys())
        fields = tuple(
            Attribute(names[wire], wire, node, need, parts_of.description([schema]), parts_of.deprecated(schema), about)
            for wire, node, need, schema, about in draft.fields
        )
        return Class(name, fields, draft.description, open=draft.open)

    def node(self, schema: Any, hint: _Hint, parts: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        target = parts_of.bare_reference(schema)
        if target is not None:
            return self.reference(target, hint)
        return self.combined(self.schemas.of(schema) if parts is None else parts, hint)

    def reference(self, target: str, hint: _Hint) -> dict[str, Any]:
        if target == "#":
            return self.root_again()
        if target in self.referred:
            known = self.referred[target]
            return ANY if known is None else known  # None: a cycle without a class
        schema = self.schemas.target(target)
        if schema is None:
            return ANY
        self.referred[target] = None
        conjuncts = self.schemas.of(schema)
        if parts_of.is_class(conjuncts):
            name = self.known_class(target)
            if name is None:
                name = self.claim(self.definition_name(target))
                self.waiting.append((name, conjuncts, 0))
            others = [kind for kind in parts_of.types(conjuncts) or () if kind != "object"]
            self.referred[target] = union([_class(name), *(_WIDE.get(kind) or _SCALARS[kind] for kind in others)])
        else:
            self.referred[target] = self.combined(conjuncts, _Hint(hint.parent, hint.word, hint.depth + 1))
        return self.referred[target] or ANY

    def known_class(self, target: str) -> str | None:
        """Take the known classes of a reference over, if no other class has their names; return the first of them."""
        known = self.known.get(target, {})
        if not known or not all(self.is_free(name, class_) for name, class_ in known.items()):
            return None
        self.drafts.update(known)
        return next(iter(known))

    def is_free(self, name: str, class_: Class) -> bool:
        return name not in self.reserved and self.drafts.get(name, class_) == class_

    def root_again(self) -> dict[str, Any]:
        # Data is always an object, but a reference to its schema may admit values of other types.
        kinds = parts_of.types(self.schemas.of(self.schemas.root))
        return _class(self.root) if kinds == ["object"] else ANY

    def definition_name(self, target: str) -> str:
        name = pascal(fragment_steps(target)[-1])
        return name if name[0].isalpha() and name not in self.language.reserved else self.root + name

    def combined(self, parts: list[dict[str, Any]], hint: _Hint) -> dict[str, Any]:
        self.steps += 1
        if self.steps > _MAX_STEPS or hint.depth > _MAX_DEPTH:
            return ANY
        values = parts_of.listed_values(parts)
        if values is not None:
            return self.of_values(values)
        types = parts_of.types(parts)
        branches = parts_of.alternatives(parts)
        if branches and not parts_of.is_class(parts):
            return self.union_of_branches(parts, branches, hint)
        if types is None:
            return ANY
        return union([self.of_type(kind, parts, hint) for kind in types])

    def of_values(self, values: parts_of.ListedValues) -> dict[str, Any]:
        scalars, kinds = self.language.listed(values)
        return union(
            [*([{"enum": scalars}] if scalars else []), *(_WIDE.get(kind) or _SCALARS[kind] for kind in kinds)]
        )

    def union_of_branches(self, parts: list[dict[str, Any]], branches: list[Any], hint: _Hint) -> dict[str, Any]:
        base = parts_of.without_alternatives(parts)
        shapes = []
        for number, branch in enumerate(branches, 1):
            target = parts_of.bare_reference(branch)
            if target is not None and not base:
                shapes.append(self.reference(target, hint))
                continue
            joined = [*base, *self.schemas.of(branch)]
            word = parts_of.tag(joined) or ("" if len(branches) == 1 else f"Option{number}")
            plain = not word or not parts_of.is_class(joined)
            parent, own = (hint.parent, hint.word) if plain else (hint.name, word)
            shapes.append(self.combined(joined, _Hint(parent, own, hint.depth + 1)))
        return union(shapes)

    def of_type(self, kind: str, parts: list[dict[str, Any]], hint: _Hint) -> dict[str, Any]:
        if kind == "array":
            return self.array(parts, hint)
        if kind == "object":
            if not parts_of.is_class(parts):
                return self.mapping(parts, hint)
            name = self.claim(hint.name)
            self.waiting.append((name, parts, hint.depth))
            return _class(name)
        format_ = self.language.format(kind, parts)
        if format_:
            return {"type": kind, "format": format_}
        if kind != "number":
            return {**_SCALARS[kind], **self.language.limits(kind, parts)}
        return {"anyOf": [{**member, **self.language.limits(member["type"], parts)} for member in _NUMBER]}

    def array(self, parts: list[dict[str, Any]], hint: _Hint) -> dict[str, Any]:
        leading, rest = parts_of.items(parts)
        shapes = [self.node(schema, hint.item()) for schema in leading]
        if rest is not False:
            shapes.append(self.node(rest, hint.item()))
        items = union(shapes)
        array = {"type": "array", "items": items} if items else {"type": "array"}
        return {**array, **self.language.limits("array", parts)}

    def mapping(self, parts: list[dict[str, Any]], hint: _Hint) -> dict[str, Any]:
        schemas = parts_of.map_values(parts)
        value = union([self.node(schema, hint.below("value")) for schema in schemas]) if schemas else ANY
        mapping = {"type": "object", "additionalProperties": value} if value else {"type": "object"}
        return {**mapping, **self.language.limits("object", parts)}

    def claim(self, name: str) -> str:
        candidate, number = name, 2
        while candidate in self.drafts or candidate in self.reserved:
            candidate, number = f"{name}{number}", number + 1
        self.drafts[candidate] = None
        return candidate

    def draft(self, name: str, parts: list[dict[str, Any]], depth: int) -> None:
        required = parts_of.required(parts)
        fields = []
        for wire, schema in self.properties(parts, required):
            node, about = self.property(wire, schema, name, depth)
            fields.append((wire, node, wire in required, schema, about))
        open_ = self.schemas.admits_others(parts, self.strict)
        self.drafts[name] = _ClassDraft(parts_of.description(parts), fields, open_)

    def property(self, wire: str, schema: Any, parent: str, depth: int) -> PropertyShape:
        """Return the shape of a property of the class ``parent``, and its limits."""
        key = plain_key(schema) if depth < _MAX_DEPTH and self.steps < _MAX_STEPS else None
        if key is not None and key in self.plain_shapes:
            self.steps += 1  # as without the cache: other messages do not change the shape
            return self.plain_shapes[key]
        own = self.schemas.of(schema)
        node = ANY if schema is None else self.node(schema, _Hint(parent, wire, depth + 1), own)
        stated = [*node, *(keyword for member in node.get("anyOf", ()) for keyword in member)]
        known = parts_of.listed_values(own) if self.language.names_known_values else None
        result = PropertyShape(node, limits(own, stated, known))
        if key is not None:
            self.plain_shapes[key] = result
        return result

    def properties(self, parts: list[dict[str, Any]], required: dict[str, None]) -> Iterator[tuple[str, Any]]:
        certain = parts_of.properties(parts)
        yield from certain.items()
        # A property that only some branches declare may have any value when another branch matches.
        possible = self.schemas.conditional_names(parts)
        for name in dict.fromkeys([*possible, *required]):
            if name not in certain:
                yield name, None


_NUMBER: list[dict[str, Any]] = [{"type": "integer"}, {"type": "number"}]  # a float would round integers beyond 2^53
_SCALARS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"anyOf": _NUMBER},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
}


def _class(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


_WIDE: dict[str, dict[str, Any]] = {"object": {"type": "object"}, "array": {"type": "array"}}
