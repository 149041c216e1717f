"""Core schemas: the subschemas of a view in the few keywords that the checker has rules for.

Part of the checker, so nothing else of babelreg is imported but the resolver of references and the list of asserted
formats. A core schema means the same as the subschema that it is made of. Keywords that the dialect does not have or
does not assert are left out; ``const`` is an ``enum``, the items of drafts before 2020-12 and the bounds of draft 4 are
written as in 2020-12, ``dependencies`` of drafts up to 7 as ``dependentRequired`` and ``dependentSchemas``. Beside
``$ref`` these drafts have no other keyword.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from babelreg.containment.certificates.unevaluated import settle_unevaluated
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.keywords_by_type import ASSERTED_FORMATS
from babelreg.schema.local_references import LocalReferences, fragment_steps, references
from babelreg.schema.static_references import with_static_references
from babelreg.schema.values import equality_key

TYPES = ("null", "boolean", "number", "string", "array", "object")
DRAFTS = ("draft4", "draft6", "draft7", "draft2019-09", "draft2020-12")
URIS = tuple(f"http://json-schema.org/draft-0{number}/schema" for number in (4, 6, 7))
URIS += tuple(f"http://json-schema.org/draft/{year}/schema" for year in ("2019-09", "2020-12"))
_SINCE = (
    {"const", "contains", "propertyNames"},
    {"if", "then", "else"},
    {"minContains", "maxContains", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties"}
    | {"$recursiveRef", "$recursiveAnchor"},
    {"prefixItems", "$dynamicRef", "$dynamicAnchor"},
)
"""The keywords that each draft added to the one before it; 2020-12 dropped those in the next line."""
_DROPPED = {"additionalItems", "$recursiveRef", "$recursiveAnchor"}
_CONTENT = {"contentEncoding", "contentMediaType"}
_IGNORED = [set().union(*_SINCE[draft:]) | (_CONTENT if draft > 2 else set()) for draft in range(4)]
_IGNORED.append(_DROPPED | _CONTENT)
_MAP = {"properties", "patternProperties", "dependentSchemas", "dependencies", "definitions", "$defs"}
_APPLY = {"not", "if", "then", "else", "additionalProperties", "additionalItems", "contains", "propertyNames", "items"}
_APPLY |= {"unevaluatedItems", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems"} | _MAP


GROUPS = {
    "patternProperties": "properties", "additionalProperties": "properties", "prefixItems": "items", "then": "if",
    "else": "if", "minContains": "contains", "maxContains": "contains", "contentMediaType": "contentEncoding",
}  # fmt: skip
"""The keywords that mean something only together with another."""
APPLIES = {
    **dict.fromkeys(("type", "enum", "allOf", "anyOf", "oneOf", "not", "if", "$ref", "$dynamicRef"), TYPES),
    "$recursiveRef": TYPES,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), ("number",)),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format", "contentEncoding"), ("string",)),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "items", "contains", "unevaluatedItems"), ("array",)),
    **dict.fromkeys(("required", "minProperties", "maxProperties", "propertyNames", "properties"), ("object",)),
    **dict.fromkeys(("dependencies", "dependentRequired", "dependentSchemas"), ("object",)),
    "unevaluatedProperties": ("object",),
}
"""By keyword that may refuse something, the types of the values that it may refuse."""
_KEPT = [{*APPLIES, *GROUPS, "const", "additionalItems", "$defs", "definitions"} - ignored for ignored in _IGNORED]


class View:
    """A view as core schemas: ``pairs`` has each subschema, in the order of the text, with its core schema.

    Schemas that references find below unknown keywords come last, and are in ``hidden``, too. With ``rewrite=False`` it
    is a copy of what the dialect knows and asserts. Raises ValueError where a subschema names another dialect, which
    validators follow, and where they differ on whether two numbers are equal.
    """

    def __init__(self, written: Any, draft: int, *, formats: bool, rewrite: bool = True) -> None:
        self.written = with_static_references(written, DIALECTS[DRAFTS[draft]]) if rewrite else written
        self.pairs: list[tuple[Any, dict[str, Any]]] = []
        self.hidden: list[Any] = []
        self.draft, self.formats, self._rewrites = draft, formats, rewrite
        self._kept = _KEPT[draft] if formats else _KEPT[draft] - {"format"}
        if not rewrite:
            self._kept = self._kept | _NAMING
        self.validators: dict[int, tuple[set[str], Any]] = {}
        """By the ``id()`` of a core schema, the patterns and the validator of what it is made of."""
        self._targets: dict[str, list[Any]] = {}
        self._made: dict[Any, Any] = {}
        self._texts: dict[int, str] = {}
        self._named: dict[int, list[str]] = {}
        self._keys: dict[int, dict[str, set[Any]]] = {}
        self._constants: dict[int, dict[str, str]] = {}
        self.root = self._core(self.written)
        if rewrite:
            self._read_hidden()
            if draft > 2:
                settle_unevaluated(self.pairs, self._references, draft)
            if len(self.pairs) > _MANY and all(_BY_SCOPE.isdisjoint(core) for _, core in self.pairs):
                self._share()

    def has_patterns(self) -> bool:
        return not all(map(_PATTERNS.isdisjoint, (core for _, core in self.pairs)))

    @cached_property
    def origins(self) -> dict[int, Any]:
        """The subschema of each core schema, by the ``id()`` of the latter."""
        return {id(core): subschema for subschema, core in self.pairs}

    @cached_property
    def _cores(self) -> dict[int, Any]:
        return {id(subschema): core for subschema, core in self.pairs}

    @cached_property
    def _references(self) -> LocalReferences:
        return LocalReferences(self.written, DIALECTS[DRAFTS[self.draft]])

    def target(self, reference: Any) -> list[Any]:
        """Return a list of the core schema that a reference leads to; empty for none, or where validators differ.

        It is the end of a chain of references; a circle has none.
        """
        if reference not in self._targets:
            self._targets[reference] = []
            found = self._references.target(reference or None)
            schema: Any = None if found is None else found[1]
            schema = schema if isinstance(schema, bool) else self._cores.get(id(schema))
            if schema is not None:
                self._targets[reference] = self.target(schema["$ref"]) if only_refers(schema) else [schema]
        return self._targets[reference]

    def is_metaschema(self, reference: str) -> bool:
        """Return True if a reference leads out of the view to a metaschema, which means the same everywhere."""
        known = self.draft != 3 and reference.replace("https://", "http://", 1).rstrip("#") in URIS
        return known and not any("$dynamicAnchor" in subschema for subschema, _ in self.pairs)

    def text(self, core: Any) -> str:
        """Return the JSON of a core schema, the same for any order of its keywords."""
        if id(core) not in self._texts:
            self._texts[id(core)] = _written(core)
        return self._texts[id(core)]

    def references(self, core: Any) -> list[str]:
        """Return the references in a core schema; data counts, too."""
        if id(core) not in self._named:
            self._named[id(core)] = list(dict.fromkeys(references(core)))
        return self._named[id(core)]

    def keys(self, values: list[Any]) -> dict[str, set[Any]]:
        """Return the keys of the values of an ``enum`` of a core schema, by their type."""
        if id(values) not in self._keys:
            by_type = self._keys[id(values)] = dict[str, set[Any]]()
            for value in values:
                by_type.setdefault(type_of(value), set()).add(equality_key(value))
        return self._keys[id(values)]

    def constants(self, core: Any) -> dict[str, str]:
        """Return the properties that have one value, a string, wherever they are there and the core schema holds."""
        if not isinstance(core, dict):
            return {}
        if id(core) not in self._constants:
            found = self._constants[id(core)] = dict[str, str]()  # a circle adds nothing
            for part in [*core.get("allOf", ()), *(self.target(core["$ref"]) if "$ref" in core else ())]:
                found |= self.constants(part)
            for name, value in core.get("properties", {}).items():
                listed: Any = value.get("enum", ()) if isinstance(value, dict) else ()
                if len(listed) == 1 and isinstance(listed[0], str):
                    found[name] = listed[0]
        return self._constants[id(core)]

    def make(self, schema: Any, *name: Any) -> Any:
        """Return a schema that a rule makes; the same one for the same name."""
        return self._made.setdefault(name, schema)

    def part(self, core: Any, keyword: str) -> Any:
        """Return a core schema with one of its keywords, and with those that mean something only together with it."""
        group = {name: value for name, value in core.items() if GROUPS.get(name, name) == keyword}
        return core if len(group) == len(core) else self._made.setdefault((id(core), keyword), group)

    def _core(self, schema: Any) -> Any:
        if not isinstance(schema, dict):
            return schema
        uri = str(schema.get("$schema", URIS[self.draft]))  # validators read http and https alike
        if self.pairs and uri.replace("https://", "http://", 1).rstrip("#") != URIS[self.draft]:
            raise ValueError("a subschema is of another dialect")
        core: dict[str, Any] = {}
        self.pairs.append((schema, core))
        kept = _BESIDE_REF if self.draft < 3 and "$ref" in schema else self._kept
        for keyword, value in schema.items():
            if keyword in kept:
                if keyword in _APPLY:
                    value = _below(keyword, value, self._core)
                elif keyword == "type" and isinstance(value, str):
                    value = [value]
                core[keyword] = value
        if self._rewrites:
            if not core and schema.keys() <= _IGNORED[self.draft]:
                return True
            if not _REWRITTEN.isdisjoint(core):
                self._rewrite(core)
        return core

    def _share(self) -> None:
        """Let core schemas that are written alike be one object, so that what is shown of one is shown of all."""
        by_text: dict[str, Any] = {}
        shared: dict[int, tuple[Any, Any]] = {}

        def one_of(core: Any) -> Any:
            if not isinstance(core, dict):
                return core
            if id(core) not in shared:
                core.update({word: _below(word, core[word], one_of) for word in _APPLY & core.keys()})
                named = {word: _below(word, core[word], _name_of) for word in _APPLY & core.keys()}
                shared[id(core)] = by_text.setdefault(_written({**core, **named}), core), core
            return shared[id(core)][0]

        self.root = one_of(self.root)
        self.pairs = [(subschema, one_of(core)) for subschema, core in self.pairs]
        self._replaced = shared  # what is alive keeps its id

    def _rewrite(self, core: dict[str, Any]) -> None:
        if "const" in core:
            wanted = core.pop("const")
            if "enum" in core and is_rounded([wanted, core["enum"]]):
                raise ValueError("validators differ on whether const is among the numbers of enum")
            same = equality_key(wanted)
            core["enum"] = [value for value in core.get("enum", [wanted]) if equality_key(value) == same]
        further = core.pop("additionalItems", True)
        if isinstance(core.get("items"), list):
            core["prefixItems"], core["items"] = core["items"], further
        for limit, excluded in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if isinstance(core.get(excluded), bool) and core.pop(excluded) and limit in core:
                core[excluded] = core.pop(limit)
        if self.draft < 3 and "dependencies" in core:
            demanded = core.pop("dependencies")
            core["dependentRequired"] = {name: item for name, item in demanded.items() if isinstance(item, list)}
            core["dependentSchemas"] = {name: item for name, item in demanded.items() if not isinstance(item, list)}
        for keyword in ("dependentRequired", "dependentSchemas", "uniqueItems"):
            if not core.get(keyword, True):
                del core[keyword]
        if "contains" in core and core.get("minContains") == 0 and "maxContains" not in core:
            del core["contains"]
        alone = {"$defs", "definitions"}
        alone |= {"minContains", "maxContains"} if "contains" not in core else set()
        alone |= {"if", "then", "else"} if "if" not in core or core.keys().isdisjoint(("then", "else")) else set()
        for keyword in alone & core.keys():
            del core[keyword]

    def _read_hidden(self) -> None:
        """Read the schemas that references lead to and that are below no keyword of the dialect."""
        known = {id(subschema) for subschema, _ in self.pairs}
        for _, core in self.pairs:  # which grow
            found = self._references.target(core["$ref"]) if "$ref" in core else None
            if found is not None and isinstance(found[1], dict) and id(found[1]) not in known:
                before = len(self.pairs)
                self.hidden.append(found[1])
                self._core(found[1])
                known |= {id(subschema) for subschema, _ in self.pairs[before:]}


def _below(keyword: str, value: Any, of: Callable[[Any], Any]) -> Any:
    """Return the schemas below a keyword, each as ``of`` makes it."""
    if isinstance(value, dict):
        return {name: of(item) for name, item in value.items()} if keyword in _MAP else of(value)
    return [of(item) for item in value] if isinstance(value, list) else value


def _name_of(core: Any) -> Any:
    return id(core) if isinstance(core, dict) else core


_MANY = 1000
"""With fewer subschemas it takes less to show the same twice than to find out which are alike."""
_REWRITTEN = {"const", "items", "additionalItems", "exclusiveMinimum", "exclusiveMaximum", "dependencies"}
_REWRITTEN |= {"dependentRequired", "dependentSchemas", "contains", "minContains", "maxContains", "if", "then", "else"}
_REWRITTEN |= {"uniqueItems", "$defs", "definitions"}
_written = json.JSONEncoder(sort_keys=True).encode
_PATTERNS = {"pattern", "patternProperties"}
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_BY_SCOPE = frozenset(_DYNAMIC)
"""What these mean depends on the way that leads to them."""
_NAMING = {"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"}
_BESIDE_REF = {"$ref", "definitions", "$defs"}


def same_assertions(written: Any, bare: Any, draft: int, *, formats: bool) -> bool:
    """Return True if ``bare`` is ``written`` without keywords that assert nothing, and no reference leads into them."""
    try:
        views = [View(schema, draft, formats=formats, rewrite=False) for schema in (written, bare)]
    except ValueError:
        return False
    for view in views:
        for _, core in view.pairs:
            if isinstance(name := core.get("format"), str) and name not in ASSERTED_FORMATS:
                del core["format"]
    if len(views[0].pairs) != len(views[1].pairs) or _written(views[0].root) != _written(views[1].root):
        return False
    dropped: set[str] = set()
    for (whole, core), (part, _) in zip(*(view.pairs for view in views), strict=True):
        others = part.keys() - core.keys()
        if not part.keys() <= whole.keys():
            return False
        if any(part[name] is not whole[name] and _written(part[name]) != _written(whole[name]) for name in others):
            return False
        dropped |= whole.keys() - part.keys()
    return dropped.isdisjoint(step for reference in references(written) for step in fragment_steps(reference))


def alike(view: View, core: Any, other_view: View, other: Any) -> bool | None:
    """Return None unless two core schemas are written alike, and so is all that their references lead to; else whether
    there are patterns among it.
    """
    waiting: list[tuple[Any, Any]] = [(core, other)]
    seen, patterns = set[tuple[int, int]](), False
    while waiting:
        pair = waiting.pop()
        if (id(pair[0]), id(pair[1])) in seen:
            continue
        seen.add((id(pair[0]), id(pair[1])))
        text = view.text(pair[0])
        if text != other_view.text(pair[1]) or mentions(text, _DYNAMIC):
            return None
        patterns = patterns or mentions(text, _PATTERNS)
        for reference in view.references(pair[0]):
            ends, others = view.target(reference), other_view.target(reference)
            if not ends and not others and view.is_metaschema(reference) and other_view.is_metaschema(reference):
                continue
            if not ends or not others:
                return None
            waiting.append((ends[0], others[0]))
    return patterns


def only_refers(core: Any) -> bool:
    """Return True if a core schema says what the target of its ``$ref`` says."""
    return isinstance(core, dict) and len(core) == 1 and "$ref" in core


def mentions(text: str, keywords: Iterable[str]) -> bool:
    """Return False if none of ``keywords`` is a key anywhere in the JSON ``text``."""
    return any(f'"{keyword}": ' in text for keyword in keywords)


def parts_of(value: Any) -> Iterator[Any]:
    """Yield the value and all values in it, names included."""
    yield value
    for part in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts_of(part)


def is_rounded(value: Any) -> bool:
    """Return True where there is a number in the value of which validators may take another for the same."""
    return any(type_of(part) == "number" and abs(part) >= 2**53 for part in parts_of(value))


def type_of(value: Any) -> str:
    """Return the JSON type of ``value``."""
    return _TYPE_NAMES.get(type(value), "object")


_TYPE_NAMES = {type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
