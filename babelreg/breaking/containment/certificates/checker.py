"""The checker of certificates: replays the derivation that one view of a schema is contained in another.

It is meant to be read. A goal is "facts imply outer", "facts imply outer for values of one JSON type", or that facts
contradict each other. Facts are subschemas that all hold for a value. A step of the certificate names a rule and the
steps of its premises; the goals of the premises are computed here, never read. Each rule is one short function in a
table; docs/proofs.md says why each is sound. Whatever is not clearly right is refused.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from math import inf, lcm
from typing import Any, NamedTuple

import jsonschema_rs

from babelreg.breaking.containment.certificates import pattern_tables
from babelreg.schema.local_references import LocalReferences

__all__ = ["CertificateRefused", "CertificateTooLarge", "check"]

VERSION = 1
MOST_STEPS = 1_000_000
TYPES = ("null", "boolean", "number", "string", "array", "object")
READINGS = {"ecma": ("ecma", "ecma"), "python": ("python", "python"), "python-reader": ("python-sender", "python")}
DRAFTS = ("draft4", "draft6", "draft7", "draft2019-09", "draft2020-12")
_SINCE = (
    {"const", "contains", "propertyNames"},
    {"if", "then", "else"},
    {"minContains", "maxContains", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties"}
    | {"$recursiveRef", "$recursiveAnchor"},
    {"prefixItems", "$dynamicRef", "$dynamicAnchor"},
)
"""The keywords that each draft added to the one before it; 2020-12 dropped those in the next line."""
_DROPPED = {"additionalItems", "$recursiveRef", "$recursiveAnchor"}
_REFERENCES = {"$ref", "$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"}
_PATTERNS = {"pattern", "patternProperties"}
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_ONE = {"not", "if", "then", "else", "additionalProperties", "additionalItems", "contains", "propertyNames", "items"}
_ONE |= {"unevaluatedItems", "unevaluatedProperties", "contentSchema"}
_LIST = {"allOf", "anyOf", "oneOf", "items", "prefixItems"}
_MAP = {"properties", "patternProperties", "dependentSchemas", "dependencies", "definitions", "$defs"}


class CertificateRefused(Exception):
    """A certificate that shows nothing: the number of the step at fault, None for the whole, and the reason."""

    def __init__(self, reason: str, step: int | None = None) -> None:
        super().__init__(reason if step is None else f"step {step}: {reason}")
        self.step = step


class CertificateTooLarge(CertificateRefused):
    """A certificate that takes more steps or depth than the checker goes."""


class Side(NamedTuple):
    """A view: where its references lead, and how its patterns are read."""

    references: LocalReferences
    reading: str


class Node(NamedTuple):
    """A subschema of a view, or one made by a rule."""

    schema: Any
    side: Side


Facts = tuple[Node, ...]


def require(holds: object, reason: str) -> None:
    """Refuse the step unless ``holds``."""
    if not holds:
        raise CertificateRefused(reason)


def check(certificate: Any) -> None:
    """Return if the certificate shows that ``outer`` allows every value that ``inner`` allows.

    It shows it for ECMA-262's reading of patterns, and for one of Python's where the views have patterns.
    Raises CertificateRefused.
    """
    replay = None
    try:
        for readings in _checked_form(certificate):
            replay = _Replay(certificate, READINGS[readings])
            replay.implies(certificate["readings"][readings], (replay.inner,), replay.outer)
    except RecursionError as err:
        raise CertificateTooLarge("is nested too deeply") from err
    except CertificateRefused as refused:
        raise type(refused)(str(refused), replay.at if replay else None) from None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, StopIteration) as err:
        raise CertificateRefused(f"is malformed: {err!r}", replay.at if replay else None) from err


def _checked_form(certificate: Any) -> list[str]:
    """Return the readings of patterns that the certificate is for."""
    expected = {"version", "dialect", "formats", "inner", "outer", "readings", "nodes", "steps", "tables"}
    require(isinstance(certificate, dict) and certificate.keys() == expected, f"has not the keys {sorted(expected)}")
    require(certificate["version"] == VERSION, "is of another version")
    require(certificate["dialect"] in DRAFTS, "is of an unknown dialect")
    require(isinstance(certificate["formats"], bool), "does not say whether formats are asserted")
    readings = certificate["readings"]
    patterns = any(mentions(certificate[name], _PATTERNS) for name in ("inner", "outer"))
    require(readings.keys() <= READINGS.keys() and "ecma" in readings, "does not name the readings of patterns")
    require(len(readings) > 1 or not patterns, "lacks the reading of patterns by Python")
    return list(readings)


def mentions(value: Any, keywords: Iterable[str]) -> bool:
    """Return True if one of ``keywords`` is a key anywhere in ``value``."""
    if isinstance(value, dict):
        return not value.keys().isdisjoint(keywords) or any(mentions(item, keywords) for item in value.values())
    return isinstance(value, list) and any(mentions(item, keywords) for item in value)


def known(schema: Any, draft: int, seen: dict[int, Any], root: bool = True) -> Any:
    """Return a copy without the keywords that the draft ignores. Refuses a subschema that is a document of its own.

    ``seen`` gets the copy of each subschema by its identity.
    """
    if not isinstance(schema, dict):
        return schema
    own = schema.get("$id" if draft else "id")
    require(root or not isinstance(own, str) or own.startswith("#"), "a view has a subschema with its own identifier")
    ignored = _DROPPED.union(*_SINCE[4:]) if draft == 4 else set().union(*_SINCE[draft:])
    copy = {keyword: value for keyword, value in schema.items() if keyword not in ignored}
    seen[id(copy)] = copy
    for keyword, value in copy.items():
        if isinstance(value, dict) and keyword in _MAP:
            copy[keyword] = {name: known(item, draft, seen, False) for name, item in value.items()}
        elif isinstance(value, list) and keyword in _LIST:
            copy[keyword] = [known(item, draft, seen, False) for item in value]
        elif keyword in _ONE:
            copy[keyword] = known(value, draft, seen, False)
    return copy


def anything(schema: Any) -> bool:
    """Return True for a schema that refuses nothing."""
    return schema is True or schema == {}


def key(value: Any) -> Any:
    """Return a key that is the same for equal JSON values only: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(value, bool) or (isinstance(value, float) and abs(value) >= 2**53):
        return type(value), value
    if isinstance(value, list):
        return (list, *map(key, value))
    return frozenset((name, key(item)) for name, item in value.items()) if isinstance(value, dict) else value


def type_of(value: Any) -> str:
    """Return the JSON type of ``value``."""
    names = {type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")


def listed(schema: Any, of_type: str) -> list[Any] | None:
    """Return the values of one type that ``enum`` and ``const`` admit; None without either."""
    if "enum" not in schema and "const" not in schema:
        return None
    values = [value for value in schema.get("enum", [schema.get("const")]) if type_of(value) == of_type]
    return [v for v in values if key(v) == key(schema["const"])] if "const" in schema else values


def declared(schema: Any) -> Any:
    """Return the names under ``type``; None without it."""
    types = schema.get("type")
    return [types] if isinstance(types, str) else types


def count(schema: Any, keyword: str, default: int | None) -> int | None:
    """Return a number of characters, items or members. Refuses one that is none."""
    value = schema.get(keyword, default)
    require(value is default or (type_of(value) == "number" and value >= 0 and value == int(value)), f"bad {keyword}")
    return None if value is None else int(value)


def least_of(facts: Facts, keyword: str) -> int:
    """Return the largest of the lower limits."""
    return max((count(fact.schema, keyword, 0) or 0 for fact in facts), default=0)


def most_of(facts: Facts, keyword: str) -> int | None:
    """Return the smallest of the upper limits; None without one."""
    return min((m for fact in facts if (m := count(fact.schema, keyword, None)) is not None), default=None)


def same_pattern(left: tuple[str, str], right: tuple[str, str]) -> bool:
    """Return True if two patterns, each with its reading, match the same strings, as they are written alike."""
    return left == right or (left[0] == right[0] and "$" not in left[0] and "ecma" not in (left[1], right[1]))


def exact(value: Any) -> Fraction | None:
    """Return a number as it is written: 0.1 is a tenth. None where it is none, or beyond all bounds."""
    if type_of(value) != "number":
        return None
    written = Decimal(repr(value))
    return Fraction(written) if written.is_finite() and abs(written.adjusted()) < 400 else None


class Span(NamedTuple):
    """The numbers that bounds leave. ``low`` and ``high`` are a bound and whether it is excluded; ``high`` is negated,
    so that of both the greater is the tighter. ``step`` divides all the numbers.
    """

    low: tuple[Fraction, bool] | None
    high: tuple[Fraction, bool] | None
    step: Fraction | None

    @property
    def empty(self) -> bool:
        """True if no number is left."""
        if self.low is None or self.high is None:
            return False
        return self.low[0] > -self.high[0] or (self.low[0] == -self.high[0] and (self.low[1] or self.high[1]))


def span(facts: Facts, types: bool = True) -> Span:
    """Return what the bounds of all facts leave, narrowed to multiples of the step."""
    lows: list[tuple[Fraction, bool]] = []
    highs: list[tuple[Fraction, bool]] = []
    steps: list[Fraction] = []
    for schema, _ in facts:
        for bounds, sign, inclusive, exclusive in (
            (lows, 1, "minimum", "exclusiveMinimum"), (highs, -1, "maximum", "exclusiveMaximum"),
        ):  # fmt: skip
            pairs = ((schema.get(inclusive), schema.get(exclusive) is True), (schema.get(exclusive), True))
            bounds += [(sign * bound, excluded) for value, excluded in pairs if (bound := exact(value)) is not None]
        whole = types and "integer" in (declared(schema) or ()) and "number" not in declared(schema)
        steps += [step for step in (exact(schema.get("multipleOf")), Fraction(1) if whole else None) if step]
    step = None
    for other in steps:
        below = lcm(other.denominator, step.denominator if step else 1)
        step = Fraction(lcm(int(other * below), int((step or other) * below)), below)
    low, high = (_rounded(max(bounds, default=None), step) for bounds in (lows, highs))
    return Span(low, high, step)


def _rounded(bound: tuple[Fraction, bool] | None, step: Fraction | None) -> tuple[Fraction, bool] | None:
    """Return the first multiple of ``step`` within the bound."""
    if bound is None or step is None:
        return bound
    first = -(-bound[0] // step) * step
    return (first + step if bound[1] and first == bound[0] else first), False


class _Replay:
    """One replay, with one reading of patterns. Methods that take a step raise CertificateRefused unless it holds."""

    def __init__(self, certificate: dict[str, Any], readings: tuple[str, str]) -> None:
        self.draft = DRAFTS.index(certificate["dialect"])
        self.formats = certificate["formats"]
        self.steps, self.tables = certificate["steps"], certificate["tables"]
        self.subschemas: dict[int, Any] = {}
        views = [known(certificate[name], self.draft, self.subschemas) for name in ("inner", "outer")]
        sides = [Side(LocalReferences(view), reading) for view, reading in zip(views, readings, strict=True)]
        self.inner, self.outer = (Node(view, side) for view, side in zip(views, sides, strict=True))
        self.nodes = [self._named(*named) for named in certificate["nodes"]]
        self.at: int | None = None
        self.left, self.depth = MOST_STEPS, 0
        self.open: list[tuple[frozenset[int], int, int]] = []
        self.used = inf
        self.proved: set[Any] = set()
        self.made: dict[Any, Node] = {}
        self.valid: dict[Any, bool | None] = {}
        self.verified: set[int] = set()

    def _named(self, side: str, pointer: str) -> Node:
        node = {"inner": self.inner, "outer": self.outer}[side]
        schema = node.schema
        for part in pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            schema = schema[int(name) if isinstance(schema, list) else name]
        require(isinstance(schema, dict), f"{pointer} is not a subschema")
        return Node(schema, node.side)

    def step(self, number: Any) -> tuple[str, Any, Any]:
        """Return a step: its rule, arguments and premises, which are earlier steps."""
        self.left -= 1
        if self.left < 0:
            raise CertificateTooLarge("takes too many steps")
        require(type(number) is int and 0 <= number < len(self.steps), "a premise is not a step")
        self.at = number
        rule, args, premises = self.steps[number]
        require(all(type(premise) is int and premise < number for premise in premises), "a premise is not earlier")
        return rule, args, premises

    def make(self, node: Node, schema: Any, *name: Any) -> Node:
        """Return a schema made by a rule; the same one for the same name."""
        return self.made.setdefault(name, node._replace(schema=schema))

    def negation(self, node: Node) -> Node:
        return self.make(node, {"not": node.schema}, "not", id(node.schema))

    def target(self, node: Node) -> Node | None:
        """Return where the ``$ref`` of the node leads."""
        found = node.side.references.target(node.schema["$ref"] or None)  # validators differ on the empty reference
        if found is not None and isinstance(found[1], dict):
            require(id(found[1]) in self.subschemas, "a reference leads to a place that is not a subschema")
        return None if found is None else node._replace(schema=found[1])

    def facts(self, nodes: Iterable[Node]) -> Facts | None:
        """Return all that holds where the nodes do, by ``$ref``, ``allOf`` and ``not``; None where one is false."""
        facts: dict[int, Node] = {}
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node.schema is False:
                return None
            if node.schema is True or id(node.schema) in facts:
                continue
            facts[id(node.schema)] = node
            target = self.target(node) if "$ref" in node.schema else None
            waiting += [target] if target else []
            if self.draft < 3 and "$ref" in node.schema:
                facts[id(node.schema)] = node._replace(schema={})  # the other keywords are void
                continue
            waiting += [node._replace(schema=member) for member in node.schema.get("allOf", ())]
            negated = node.schema.get("not", False)
            if anything(negated):
                return None
            if negated and negated.keys() == {"not"}:
                waiting.append(node._replace(schema=negated["not"]))
            if negated and negated.keys() == {"anyOf"}:
                waiting += [self.negation(node._replace(schema=branch)) for branch in negated["anyOf"]]
        return tuple(fact for fact in facts.values() if fact.schema)

    def types(self, facts: Facts) -> list[str]:
        """Return the types that a value may still have."""
        left = set(TYPES)
        for fact in facts:
            names = declared(fact.schema)
            left &= set(TYPES) if names is None else {"number" if name == "integer" else name for name in names}
        return [name for name in TYPES if name in left]

    def implies(self, number: int, nodes: Iterable[Node], outer: Node) -> None:
        """Goal: every value that satisfies all nodes satisfies ``outer``."""
        rule, args, premises = self.step(number)
        if rule == "top":
            return require(anything(outer.schema), "the outer schema refuses something")
        facts = self.facts(nodes)
        if rule == "bottom":
            return require(facts is None, "the facts do not contradict each other")
        if facts is None:
            raise CertificateRefused("the facts contradict each other")
        goal = (frozenset(id(fact.schema) for fact in facts), id(outer.schema))
        if rule == "hypothesis":
            return self.assumed(*goal)
        if (number, goal) in self.proved:
            return None
        position, used, self.used = len(self.open), self.used, inf
        self.open.append((*goal, self.depth))
        OF_ALL_TYPES[rule](self, facts, outer, args, premises)
        self.open.pop()
        if self.used >= position:
            self.proved.add((number, goal))
        self.used = min(used, self.used if self.used < position else inf)
        return None

    def assumed(self, facts: frozenset[int], outer: int) -> None:
        """Rule: the same goal is being shown for a value that contains this one; values are finite."""
        for position, (given, wanted, depth) in enumerate(self.open):
            if wanted == outer and given <= facts and depth < self.depth:
                self.used = min(self.used, position)
                return
        raise CertificateRefused("no such goal is open for a larger value")

    def deeper(self, judge: Callable[..., None], *goal: Any) -> None:
        """Judge a goal about a part of the value."""
        self.depth += 1
        judge(*goal)
        self.depth -= 1

    def implies_for(self, number: int, facts: Facts | None, name: str, outer: Node) -> None:
        """Goal: every value of the type that satisfies all facts satisfies ``outer``."""
        rule, args, premises = self.step(number)
        if rule == "void":
            return self.absurd_for(premises[0], facts, name)
        if facts is None:
            raise CertificateRefused("the facts contradict each other")
        if rule == "top":
            return require(anything(outer.schema), "the outer schema refuses something")
        require(isinstance(outer.schema, dict), "the outer schema is false")
        return OF_ONE_TYPE[rule](self, facts, name, outer, args, premises)

    def absurd(self, number: int, nodes: Iterable[Node]) -> None:
        """Goal: no value satisfies all nodes."""
        rule, args, premises = self.step(number)
        facts = self.facts(nodes)
        if rule == "bottom":
            return require(facts is None, "the facts do not contradict each other")
        if rule != "types" or facts is None:
            raise CertificateRefused("is not a contradiction")
        by_type = dict(zip(args, premises, strict=True))
        for name in self.types(facts):
            self.absurd_for(by_type[name], facts, name)
        return None

    def absurd_for(self, number: int, nodes: Iterable[Node] | None, name: str) -> None:
        """Goal: no value of the type satisfies all nodes."""
        rule, args, premises = self.step(number)
        facts = None if nodes is None else self.facts(nodes)
        if rule == "absent":
            return require(facts is None or name not in self.types(facts), "the facts admit the type")
        if facts is None:
            raise CertificateRefused("the facts contradict each other")
        return CONTRADICTIONS[rule](self, facts, name, args, premises)

    def cases(self, facts: Facts, number: int, keyword: str) -> list[list[Node]]:
        """Return what holds in each case of a union among the facts: a branch; if ``only``, no other of a oneOf."""
        node = self.fact(facts, number)
        require(keyword in ("anyOf", "oneOf", "only"), "is not a union")
        branches = [node._replace(schema=branch) for branch in node.schema["oneOf" if keyword == "only" else keyword]]
        if keyword != "only":
            return [[branch] for branch in branches]
        return [[branch, *(self.negation(b) for b in branches if b is not branch)] for branch in branches]

    def fact(self, facts: Facts, number: int) -> Node:
        """Return a node of the certificate that is one of the facts."""
        node = self.nodes[number]
        require(any(fact.schema is node.schema for fact in facts), "the node is not among the facts")
        return node

    def permits(self, node: Node, value: Any) -> bool | None:
        """Return what a validator says of one value; None where other readings may differ."""
        schema, asked = node.schema, (id(node.schema), json.dumps(value))
        if isinstance(schema, bool):
            return schema
        if asked not in self.valid:
            self.valid[asked] = self._validated(node, value)
        return self.valid[asked]

    def _validated(self, node: Node, value: Any) -> bool | None:
        schema, pattern = node.schema, node.schema.get("pattern")
        refers = mentions(schema, {"$ref", "$dynamicRef", "$recursiveRef"})
        if (refers and schema is not node.side.references.root) or (self.draft == 0 and has_number(value)):
            return None
        if node.side.reading != "ecma" and isinstance(pattern, str) and not refers:
            matched = pattern_tables.matches(pattern, node.side.reading, value) if isinstance(value, str) else True
            schema = {keyword: item for keyword, item in schema.items() if keyword != "pattern"}
            if not matched:
                return matched
        if node.side.reading != "ecma" and mentions(schema, _PATTERNS):
            return None
        validator = getattr(jsonschema_rs, VALIDATORS[self.draft])
        options = {"validate_formats": self.formats, "email_options": EMAIL, "offline": True}
        try:
            return bool(validator(schema, **options).is_valid(value))
        except ValueError:
            return None

    def excluded(self, facts: Facts, value: Any) -> bool:
        """Return True if a fact refuses the value."""
        lists = (listed(fact.schema, type_of(value)) for fact in facts)
        if any(values is not None and key(value) not in map(key, values) for values in lists):
            return True
        return any(self.permits(fact, value) is False for fact in facts)

    def values(self, facts: Facts, name: str) -> list[Any]:
        """Return all values of the type that the facts may leave. Refuses where none of them lists values."""
        lists = [values for fact in facts if (values := listed(fact.schema, name)) is not None]
        lists += [[None]] if name == "null" else [[False, True]] if name == "boolean" else []
        require(lists, "no fact lists values")
        return min(lists, key=len)

    def no_string(self, number: int, facts: Facts, least: int, most: int | None, none: Any = (), but: Any = ()) -> None:
        """Check that a table shows that no string of ``least`` to ``most`` characters satisfies the facts.

        ``none`` are patterns that need not be refused by then, ``but`` strings that are left out.
        """
        rule, args, _ = self.step(number)
        require(rule == "no-string", "is not a table of patterns")
        self.excludes(args[0], facts, least, most, none, but)

    def excludes(self, number: int, facts: Facts, least: int, most: int | None, none: Any = (), but: Any = ()) -> None:
        """Check what a table says, for :meth:`no_string`."""
        given = [(fact.schema["pattern"], fact.side.reading) for fact in facts if "pattern" in fact.schema]
        table = self.table(number)
        low, high = max(least, least_of(facts, "minLength")), most_of(facts, "maxLength")
        high = most if high is None else high if most is None else min(high, most)
        demanded, refused = ([tuple(pattern) for pattern in table[name]] for name in ("all", "none"))
        require(all(pattern in given for pattern in demanded), "the table demands a pattern that no fact has")
        require(all(pattern in none for pattern in refused), "the table refuses another pattern")
        require(all(text in but for text in table["but"]), "the table leaves out a string that is not listed")
        require(table["least"] <= low, "the table leaves out shorter strings")
        require(
            table["most"] is None or (high is not None and high <= table["most"]), "the table leaves out longer ones"
        )

    def table(self, number: int) -> Any:
        """Return a table of patterns, verified once."""
        table = self.tables[number]
        require(table.keys() == {"all", "none", "but", "least", "most", "rows"}, "a table has other keys")
        require(all(reading in pattern_tables.READINGS for _, reading in table["all"] + table["none"]), "bad reading")
        if number not in self.verified:
            try:
                pattern_tables.verify(table)
            except pattern_tables.TableRefused as refused:
                raise CertificateRefused(f"table {number}: {refused}") from refused
            self.verified.add(number)
        return table


EMAIL = jsonschema_rs.EmailOptions(allow_display_text=False)
VALIDATORS = tuple(f"Draft{number}Validator" for number in ("4", "6", "7", "201909", "202012"))


def has_number(value: Any) -> bool:
    """Return True if the value is or holds a number: in draft 4, 1 and 1.0 have two types."""
    if isinstance(value, (dict, list)):
        return any(map(has_number, value.values() if isinstance(value, dict) else value))
    return type_of(value) == "number"


# Rules of goals for values of all types


def _types(replay: _Replay, facts: Facts, outer: Node, args: Any, premises: Any) -> None:
    """Split by the type of the value."""
    by_type = dict(zip(args, premises, strict=True))
    for name in replay.types(facts):
        replay.implies_for(by_type[name], facts, name, outer)


def _cases(replay: _Replay, facts: Facts, outer: Node, args: Any, premises: Any) -> None:
    """Split by the branch of a union that holds."""
    for case, premise in zip(replay.cases(facts, *args), premises, strict=True):
        replay.implies(premise, (*facts, *case), outer)


def _void(replay: _Replay, facts: Facts, outer: Node, args: Any, premises: Any) -> None:
    """Facts that no value satisfies imply everything."""
    replay.absurd(premises[0], facts)


# Rules of goals for values of one type


def _same(replay: _Replay, facts: Facts, name: str, outer: Node, args: Any, premises: Any) -> None:
    """A fact is written like the outer schema, and means the same there."""
    fact = replay.fact(facts, args[0])
    require(json.dumps(fact.schema, sort_keys=True) == json.dumps(outer.schema, sort_keys=True), "they differ")
    apart = {"$ref", "$dynamicRef", "$recursiveRef"}
    apart |= set() if fact.side.reading == outer.side.reading else _PATTERNS
    require(fact.schema is outer.schema or not mentions(outer.schema, apart), "they may mean different things")


def _values(replay: _Replay, facts: Facts, name: str, outer: Node, args: Any, premises: Any) -> None:
    """The facts list the values, and each is excluded or permitted."""
    for value in replay.values(facts, name):
        require(replay.permits(outer, value) or replay.excluded(facts, value), f"{value!r} may be refused")


def _keywords(replay: _Replay, facts: Facts, name: str, outer: Node, args: Any, premises: Any) -> None:
    """Each keyword of the outer schema follows from the facts."""
    steps = dict(zip(args, premises, strict=True))
    void = replay.draft < 3 and "$ref" in outer.schema
    keywords = ["$ref"] if void else list(dict.fromkeys(_GROUPS.get(keyword, keyword) for keyword in outer.schema))
    for keyword in keywords:
        types, rule = KEYWORDS.get(keyword, ((), None))
        if rule is not None and name in types:
            rule(replay, facts, name, outer, steps.pop(keyword, None))
    require(not steps, f"{list(steps)} is not for a keyword of the outer schema")


# Rules of keywords of the outer schema: ``number`` is the step that shows the keyword, None where none is needed


def _reference(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    target = replay.target(outer)
    if target is None:
        raise CertificateRefused("the reference leads nowhere")
    replay.implies_for(number, facts, name, target)


def _unsupported(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    require(False, "there is no rule for a keyword of the outer schema")


def _type(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    if name not in declared(outer.schema):
        require(name == "number" and "integer" in declared(outer.schema), "the type is not admitted")
        integral = any("integer" in (declared(f.schema) or ()) and "number" not in declared(f.schema) for f in facts)
        step = span(facts).step if replay.draft else None
        lists = [values for fact in facts if (values := listed(fact.schema, name)) is not None]
        integral |= step is not None and step.denominator == 1
        # In draft 4, 1.0 is not an integer, and a list with 1 allows it.
        integral |= replay.draft > 0 and any(all(type(value) is int for value in values) for values in lists)
        require(integral, "the numbers need not be integers")


def _enum(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """A fact lists no other values, or patterns leave no other strings."""
    allowed = listed(outer.schema, name) or []
    if number is not None:
        require(name == "string", "only strings have patterns")
        return replay.no_string(number, facts, 0, None, but=allowed)
    keys = set(map(key, allowed))
    lists = [values for fact in facts if (values := listed(fact.schema, name)) is not None]
    return require(any(keys.issuperset(map(key, values)) for values in lists), "no fact lists only these values")


def _all_of(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    rule, _, premises = replay.step(number)
    require(rule == "all", "is not a step for allOf")
    for member, premise in zip(outer.schema["allOf"], premises, strict=True):
        replay.implies_for(premise, facts, name, outer._replace(schema=member))


def _any_of(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """One branch follows; or what a negated branch leaves satisfies another, if it leaves anything."""
    rule, args, premises = replay.step(number)
    branches = [outer._replace(schema=branch) for branch in outer.schema["anyOf"]]
    if rule == "branch":
        return replay.implies_for(premises[0], facts, name, branches[args[0]])
    require(rule == "otherwise" and branches[args[0]].schema.keys() == {"not"}, "is not a step for anyOf")
    left = replay.facts((*facts, outer._replace(schema=branches[args[0]].schema["not"])))
    if len(args) == 1:
        return require(left is None or name not in replay.types(left), "values are left")
    return replay.implies_for(premises[0], left, name, branches[args[1]])


def _one_of(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """One branch follows, and each of the others is contradicted."""
    rule, (at,), premises = replay.step(number)
    require(rule == "only", "is not a step for oneOf")
    branches = [outer._replace(schema=branch) for branch in outer.schema["oneOf"]]
    replay.implies_for(premises[0], facts, name, branches[at])
    for branch, premise in zip(branches[:at] + branches[at + 1 :], premises[1:], strict=True):
        replay.absurd_for(premise, (*facts, branch), name)


def _not(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    replay.absurd_for(number, (*facts, outer._replace(schema=outer.schema["not"])), name)


def _if(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """What meets the condition satisfies ``then``; what does not, ``else``, or all meet it."""
    rule, _, (first, second) = replay.step(number)
    condition, then, other = (outer._replace(schema=outer.schema.get(word, True)) for word in ("if", "then", "else"))
    replay.implies_for(first, replay.facts((*facts, condition)), name, then)
    if rule == "condition-holds":
        return replay.implies_for(second, facts, name, condition)
    require(rule == "branches", "is not a step for if")
    return replay.implies_for(second, replay.facts((*facts, replay.negation(condition))), name, other)


def _bounds(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """The numbers that the facts leave are within the bounds, and multiples."""
    given, wanted = (
        span(facts),
        span((outer._replace(schema={k: v for k, v in outer.schema.items() if k != "multipleOf"}),), False),
    )
    step = exact(outer.schema.get("multipleOf"))
    if given.empty:
        return
    for keyword in _BOUNDS:
        bound = outer.schema.get(keyword)
        require(bound is None or isinstance(bound, bool) or exact(bound) is not None, f"{keyword} cannot be read")
    require(wanted.low is None or (given.low is not None and given.low >= wanted.low), "the lower bound is lower")
    require(wanted.high is None or (given.high is not None and given.high >= wanted.high), "the upper bound is higher")
    divides = given.step is not None and step and not given.step % step
    require(step is None or divides, "the numbers need not be multiples")


def _min_length(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    wanted = count(outer.schema, "minLength", 0) or 0
    if number is not None:
        return replay.no_string(number, facts, 0, wanted - 1)
    return require(wanted <= least_of(facts, "minLength"), "strings may be shorter")


def _max_length(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    wanted, most = count(outer.schema, "maxLength", None), most_of(facts, "maxLength")
    if number is not None and wanted is not None:
        return replay.no_string(number, facts, wanted + 1, None)
    return require(wanted is not None and most is not None and most <= wanted, "strings may be longer")


def _pattern(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    pattern = (outer.schema["pattern"], outer.side.reading)
    if number is not None:
        return replay.no_string(number, facts, 0, None, none=[pattern])
    given = [(fact.schema["pattern"], fact.side.reading) for fact in facts if "pattern" in fact.schema]
    return require(any(same_pattern(pattern, other) for other in given), "no fact has the pattern")


def _asserted(*keywords: str) -> KeywordRule:
    """Return the rule of keywords that only the same values in one fact imply."""

    def rule(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
        ignored = keywords == ("format",) and not replay.formats
        wanted = [outer.schema.get(keyword) for keyword in keywords]
        same = any([fact.schema.get(keyword) for keyword in keywords] == wanted for fact in facts)
        require(ignored or same, f"no fact has the same {keywords}")

    return rule


def _prefix(schema: Any) -> list[Any]:
    """Return the schemas of the first items, one each."""
    schemas = schema.get("prefixItems", schema.get("items"))
    return schemas if isinstance(schemas, list) else []


def _further(schema: Any) -> Any:
    """Return the schema of all further items."""
    return schema.get("additionalItems" if isinstance(schema.get("items"), list) else "items", True)


def _item(nodes: Facts, at: int) -> Facts:
    """Return what holds for the item at a position."""
    prefixes = [_prefix(node.schema) for node in nodes]
    return tuple(
        node._replace(schema=prefix[at] if at < len(prefix) else _further(node.schema))
        for node, prefix in zip(nodes, prefixes, strict=True)
    )


def _most_items(facts: Facts) -> int | None:
    closed = [len(_prefix(fact.schema)) for fact in facts if _further(fact.schema) is False]
    return min([m for m in (most_of(facts, "maxItems"), *closed) if m is not None], default=None)


def _item_counts(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    wanted, most = count(outer.schema, "maxItems", None), _most_items(facts)
    require((count(outer.schema, "minItems", 0) or 0) <= least_of(facts, "minItems"), "there may be fewer items")
    require(wanted is None or (most is not None and most <= wanted), "there may be more items")
    unique = not outer.schema.get("uniqueItems") or any(fact.schema.get("uniqueItems") for fact in facts)
    require(unique or (most is not None and most <= 1), "the items need not be unique")


def _items(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """Each position; the one after all listed ones stands for all that follow. No item there: none later."""
    rule, _, premises = replay.step(number)
    require(rule == "items", "is not a step for items")
    most, left = _most_items(facts), iter(premises)
    for at in range(max(len(_prefix(node.schema)) for node in (*facts, outer)) + 1):
        (wanted,) = _item((outer,), at)
        if most is not None and at >= most:
            break
        if not anything(wanted.schema):
            premise = next(left)
            replay.deeper(replay.implies, premise, _item(facts, at), wanted)
            if replay.steps[premise][0] == "void":
                break
    require(next(left, None) is None, "there are more premises than positions")


def _contains(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """As many items of a fact's ``contains``, or all items of which there are enough, are what is sought."""
    rule, args, premises = replay.step(number)
    require("maxContains" not in outer.schema, "there is no rule for maxContains")
    wanted, at_least = outer._replace(schema=outer.schema["contains"]), count(outer.schema, "minContains", 1) or 0
    if rule == "contains-none":
        return require(at_least == 0, "some items are sought")
    if rule == "contains-same":
        fact = replay.fact(facts, args[0])
        require((count(fact.schema, "minContains", 1) or 0) >= at_least, "fewer items are sought in the fact")
        return replay.deeper(replay.implies, premises[0], (fact._replace(schema=fact.schema["contains"]),), wanted)
    require(rule == "contains-every" and least_of(facts, "minItems") >= at_least, "there may be too few items")
    last = max((len(_prefix(fact.schema)) for fact in facts), default=0)
    for at, premise in zip(range(last + 1), premises, strict=True):
        replay.deeper(replay.implies, premise, _item(facts, at), wanted)
    return None


def _required_by(facts: Facts) -> set[str]:
    return {name for fact in facts for name in fact.schema.get("required", ())}


def _least_properties(facts: Facts) -> int:
    return max(len(_required_by(facts)), least_of(facts, "minProperties"))


def _closed(schema: Any) -> bool:
    return schema.get("additionalProperties") is False and not schema.get("patternProperties")


def _property(replay: _Replay, nodes: Facts, name: str) -> Facts:
    """Return what holds for the value of the property ``name``."""
    applied: list[Node] = []
    for node in nodes:
        own = node.schema.get("properties", {})
        schemas = [own[name]] if name in own else []
        for pattern, schema in node.schema.get("patternProperties", {}).items():
            matched = pattern_tables.matches(pattern, node.side.reading, name)
            require(matched is not None, "a pattern cannot be read")
            schemas += [schema] if matched else []
        schemas = schemas or [node.schema.get("additionalProperties", True)]
        applied += [node._replace(schema=schema) for schema in schemas]
    return tuple(applied)


def _unlisted(nodes: Facts, matched: set[tuple[str, str]]) -> Facts:
    """Return what holds for a property that is not listed, and whose name matches exactly these patterns."""
    applied: list[Node] = []
    for node in nodes:
        patterns = node.schema.get("patternProperties", {}).items()
        schemas = [schema for pattern, schema in patterns if (pattern, node.side.reading) in matched]
        schemas = schemas or [node.schema.get("additionalProperties", True)]
        applied += [node._replace(schema=schema) for schema in schemas]
    return tuple(applied)


def _required(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    require(_required_by(facts).issuperset(outer.schema["required"]), "a property may be absent")


def _property_counts(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    wanted = count(outer.schema, "maxProperties", None)
    closed = [len(fact.schema.get("properties", {})) for fact in facts if _closed(fact.schema)]
    most = [m for m in (most_of(facts, "maxProperties"), *closed) if m is not None]
    least = count(outer.schema, "minProperties", 0) or 0
    require(least <= _least_properties(facts), "there may be fewer properties")
    require(wanted is None or any(m <= wanted for m in most), "there may be more properties")


def _property_names(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """The names that a fact admits, or lists one by one, are admitted."""
    rule, args, premises = replay.step(number)
    wanted = outer._replace(schema=outer.schema["propertyNames"])
    text = replay.make(outer, {"type": "string"}, "string")
    if rule == "names":
        given = [f._replace(schema=f.schema["propertyNames"]) for f in facts if "propertyNames" in f.schema]
        return replay.deeper(replay.implies, premises[0], (text, *given), wanted)
    fact = replay.fact(facts, args[0])
    require(rule == "listed-names" and _closed(fact.schema), "other properties may be there")
    for own, premise in zip(sorted(fact.schema.get("properties", {})), premises, strict=True):
        replay.deeper(replay.implies, premise, (text, replay.make(outer, {"enum": [own]}, "name", own)), wanted)
    return None


def _properties(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
    """Each listed property, then all others by the patterns that their names match."""
    rule, args, premises = replay.step(number)
    require(rule == "properties", "is not a step for properties")
    nodes, left = (*facts, outer), iter(premises)
    names = sorted({own for node in nodes for own in node.schema.get("properties", {})})
    for own in names:
        _each(replay, left, _property(replay, facts, own), _property(replay, (outer,), own))
    patterns = sorted({(p, node.side.reading) for node in nodes for p in node.schema.get("patternProperties", {})})
    require(len(patterns) <= 8, "there are too many patterns")
    chosen = list(itertools.product((True, False), repeat=len(patterns)))
    for choice, table in zip(chosen, args or [None] * len(chosen), strict=True):
        matched = {pattern for pattern, yes in zip(patterns, choice, strict=True) if yes}
        if table is None:
            _each(replay, left, _unlisted(facts, matched), _unlisted((outer,), matched))
        else:
            _no_name(replay, replay.table(table), matched, set(patterns) - matched, names)
    require(next(left, None) is None, "there are more premises than properties")


def _each(replay: _Replay, premises: Any, facts: Facts, wanted: Facts) -> None:
    """Each of the wanted schemas of one property follows."""
    for schema in wanted:
        if not anything(schema.schema):
            replay.deeper(replay.implies, next(premises), facts, schema)


def _no_name(replay: _Replay, table: Any, matched: Any, others: Any, names: list[str]) -> None:
    """No name but those listed matches exactly these patterns."""
    demanded, refused = ({tuple(pattern) for pattern in table[name]} for name in ("all", "none"))
    bounded = table["least"] == 0 and table["most"] is None and set(table["but"]) <= set(names)
    require(demanded <= matched and refused <= others and bounded, "the table is of other patterns")


def _dependent(keyword: str) -> KeywordRule:
    """Return the rule of a keyword that demands names or a schema where a property is there."""

    def rule(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
        _, kinds, premises = replay.step(number)
        left = iter(premises)
        for (own, demanded), kind in zip(sorted(outer.schema[keyword].items()), kinds, strict=True):
            if kind == "absent":
                replay.deeper(replay.absurd, next(left), _property(replay, facts, own))
            elif kind == "required":
                require(_demanded(replay, facts, own).issuperset(demanded), "a property may be absent")
                require(isinstance(demanded, list), "is not a list of names")
            else:
                has_it = replay.make(outer, {"type": "object", "required": [own]}, "present", own)
                require(kind == "present" and not isinstance(demanded, list), "is not a schema")
                replay.implies(next(left), (*facts, has_it), outer._replace(schema=demanded))

    return rule


def _demanded(replay: _Replay, facts: Facts, own: str) -> set[str]:
    """Return names that an object has if it has ``own``."""
    lists = [fact.schema.get("dependentRequired", {}).get(own, ()) for fact in facts]
    if replay.draft < 3:  # later drafts leave it to the validator whether ``dependencies`` applies
        lists += [fact.schema.get("dependencies", {}).get(own, ()) for fact in facts]
    return _required_by(facts).union(*(names for names in lists if isinstance(names, list)))


def _unless_empty(rule: KeywordRule) -> KeywordRule:
    """Return the rule, which says nothing of an object without properties."""

    def guarded(replay: _Replay, facts: Facts, name: str, outer: Node, number: Any) -> None:
        if number is not None or most_of(facts, "maxProperties") != 0:
            rule(replay, facts, name, outer, number)

    return guarded


# Rules of contradictions


def _no_value(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    for value in replay.values(facts, name):
        require(replay.excluded(facts, value), f"{value!r} may be admitted")


def _no_number(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    require(name == "number" and span(facts).empty, "a number is left")


def _no_length(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    most = most_of(facts, "maxLength")
    require(name == "string" and most is not None and most < least_of(facts, "minLength"), "a length is left")


def _no_count(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """There must be more items, or properties, than there may be."""
    least = least_of(facts, "minItems") if name == "array" else _least_properties(facts)
    most = _most_items(facts) if name == "array" else most_of(facts, "maxProperties")
    require(name in ("array", "object") and most is not None and most < least, "a number of parts is left")


def _no_item(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """There must be an item at the position, and there is none that satisfies the facts."""
    require(name == "array" and 0 <= args[0] < least_of(facts, "minItems"), "there need not be such an item")
    replay.deeper(replay.absurd, premises[0], _item(facts, args[0]))


def _no_property(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """A required property has no value that satisfies the facts."""
    require(name == "object" and args[0] in _required_by(facts), "the property is not required")
    replay.deeper(replay.absurd, premises[0], _property(replay, facts, args[0]))


def _negation(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """All values satisfy what a fact negates."""
    negated = replay.nodes[args[0]]
    require(any(fact.schema.get("not") is negated.schema for fact in facts), "no fact negates the node")
    replay.implies_for(premises[0], facts, name, negated)


def _no_case(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    """No branch of a union is satisfied."""
    for case, premise in zip(replay.cases(facts, *args), premises, strict=True):
        replay.absurd_for(premise, (*facts, *case), name)


def _no_string(replay: _Replay, facts: Facts, name: str, args: Any, premises: Any) -> None:
    require(name == "string", "is not about strings")
    replay.excludes(args[0], facts, 0, None)


KeywordRule = Callable[[_Replay, Facts, str, Node, Any], None]
OF_ALL_TYPES: dict[str, Callable[[_Replay, Facts, Node, Any, Any], None]] = {
    "types": _types, "cases": _cases, "void": _void,
}  # fmt: skip
OF_ONE_TYPE: dict[str, Callable[[_Replay, Facts, str, Node, Any, Any], None]] = {
    "same": _same, "values": _values, "keywords": _keywords,
}  # fmt: skip
CONTRADICTIONS: dict[str, Callable[[_Replay, Facts, str, Any, Any], None]] = {
    "no-value": _no_value, "no-number": _no_number, "no-length": _no_length, "no-string": _no_string,
    "no-count": _no_count, "no-item": _no_item, "no-property": _no_property, "negation": _negation, "cases": _no_case,
}  # fmt: skip
_GROUPS = {
    "const": "enum", "patternProperties": "properties", "additionalProperties": "properties", "prefixItems": "items",
    "additionalItems": "items", "maxItems": "minItems", "uniqueItems": "minItems", "maxProperties": "minProperties",
    "contentMediaType": "contentEncoding", **dict.fromkeys(_BOUNDS, "minimum"),
}  # fmt: skip
"""The keywords that are judged together with another."""
_ARRAY, _OBJECT, _STRING = ("array",), ("object",), ("string",)
KEYWORDS: dict[str, tuple[tuple[str, ...], KeywordRule]] = {
    "$ref": (TYPES, _reference), "type": (TYPES, _type), "enum": (TYPES, _enum), "allOf": (TYPES, _all_of),
    "anyOf": (TYPES, _any_of), "oneOf": (TYPES, _one_of), "not": (TYPES, _not), "if": (TYPES, _if),
    "minimum": (("number",), _bounds), "minLength": (_STRING, _min_length), "maxLength": (_STRING, _max_length),
    "pattern": (_STRING, _pattern), "minItems": (_ARRAY, _item_counts), "items": (_ARRAY, _items),
    "contains": (_ARRAY, _contains), "required": (_OBJECT, _required), "minProperties": (_OBJECT, _property_counts),
    "propertyNames": (_OBJECT, _unless_empty(_property_names)), "properties": (_OBJECT, _unless_empty(_properties)),
    "format": (_STRING, _asserted("format")),
    "contentEncoding": (_STRING, _asserted("contentEncoding", "contentMediaType")),
    **{k: (_OBJECT, _unless_empty(_dependent(k))) for k in ("dependencies", "dependentRequired", "dependentSchemas")},
    "unevaluatedItems": (_ARRAY, _unsupported), "unevaluatedProperties": (_OBJECT, _unsupported),
    **dict.fromkeys(_REFERENCES - {"$ref"}, (TYPES, _unsupported)),
}  # fmt: skip
"""By keyword, the types that it speaks of and its rule. Every keyword that refuses anything is here or in a group."""
