"""Schemas on which the work of a validator grows exponentially with the depth of the data, and the bound for them.

Where a schema refers to itself through two branches that apply to the same part of a value, a validator checks
that part twice, the parts in it four times, and so on. jsonschema-rs keeps the answers of recursive references, so that
``is_valid`` stays linear unless ``unevaluatedProperties`` or ``unevaluatedItems`` are involved; its list of errors does
not: 24 levels take 24 GB. Other schemas have no cost here, and their messages are not looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from babelreg.schema.applicators import applied_to_item, applied_to_property
from babelreg.schema.dialects import Dialect, Reach
from babelreg.schema.keywords import BRANCHES, CONDITIONS, DEFINITIONS, REFERENCES, UNEVALUATED
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.values import mappings
from babelreg.schema.walk import children, in_place

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

MOST_ERRORS = 10_000
"""Checks of a subschema that a list of errors may need: about 100 MB, and half a second."""
MOST_CHECKS = 1_000_000
"""Checks of a subschema that a verdict may need where the validator does not keep answers: a tenth of a second."""
_ONCE_MORE = 4
_MOST_PAIRS = 2_000_000
_DYNAMIC = frozenset(REFERENCES) - {"$ref"}
_UNUSUAL = frozenset({*_DYNAMIC, *UNEVALUATED, "$schema"})
"""What may change the work of a part, or the document to which its references belong."""
_ALTERNATIVES = (BRANCHES | CONDITIONS) - {"allOf"}


class TooComplexError(ValueError):
    """Data whose check would take more steps than the bound."""


class ValidationCost:
    """The number of checks that data may need by a schema on which it grows exponentially with depth.

    ``recursive`` are the subschemas that multiply the checks of a part of the data. ``linear`` tells that a verdict
    without errors needs no bound.
    """

    def __init__(self, root: dict[str, Any], dialect: Dialect) -> None:
        self._root = root
        self._dialect = dialect
        self._references = LocalReferences(root, dialect)
        self._schemas: dict[int, dict[str, Any]] = {}
        self._below: dict[int, list[dict[str, Any]]] = {}
        self._applied: dict[int, Counter[int]] = {}
        order = self._order()
        self._sizes = self._in_place_sizes(order)
        self._component = self._components(order)
        looping = [at for at in order if any(self._together(at, to) for to in self._targets(self._schemas[at]))]
        self.recursive = [self._schemas[at] for at in looping if self._multiplies(at)]
        most = max(self._sizes.values(), default=0)
        self.exponential = bool(self.recursive) or most > MOST_ERRORS
        unevaluated = any(not UNEVALUATED.isdisjoint(schema) for schema in map(self._schemas.get, looping) if schema)
        self.linear = most <= MOST_ERRORS and not unevaluated

    def exceeds(self, data: Any, most: int) -> bool:
        """Return True where checks of ``data`` take more than ``most`` steps, and more than a few times its size."""
        checks = pairs = 0
        waiting: list[tuple[Any, Counter[int]]] = [(data, Counter({id(self._root): 1}))]
        while waiting:
            value, applied = waiting.pop()
            counts: Counter[int] = Counter()
            for at, times in applied.items():
                for inner, number in self._in_place(at).items():
                    counts[inner] += times * number
            checks += counts.total()
            pairs += len(counts)
            if pairs > _MOST_PAIRS:
                return True
            if isinstance(value, dict):
                waiting.extend((part, self._on_part(counts, value, name)) for name, part in value.items())
            elif isinstance(value, list):
                waiting.extend((part, self._on_part(counts, value, index)) for index, part in enumerate(value))
        return checks > most + _ONCE_MORE * pairs

    def _on_part(self, counts: Counter[int], value: Any, step: str | int) -> Counter[int]:
        """Return how often each subschema applies to a part of a value to which ``counts`` apply."""
        applied: Counter[int] = Counter()
        for at, times in counts.items():
            for below in self._on_step(self._schemas[at], step):
                applied[id(below)] += times
        return applied

    def _on_step(self, schema: dict[str, Any], step: str | int) -> Iterator[dict[str, Any]]:
        if self._dialect.only_refers(schema):
            return
        found = (
            applied_to_property(schema, step, self._dialect, None)
            if isinstance(step, str)
            else applied_to_item(schema, step, self._dialect)
        )
        yield from (below for _, below in found if id(below) in self._schemas)

    def _in_place(self, start: int) -> Counter[int]:
        """Return how often each subschema applies to a value if that one does, which counts itself."""
        if start not in self._applied:
            path, waiting = set[int](), [(start, False)]
            while waiting:
                at, leaving = waiting.pop()
                if leaving:
                    path.discard(at)
                    counts = Counter({at: 1})
                    again = self._again(self._schemas[at])
                    for below in self._below[at]:
                        for inner, number in self._applied.get(id(below), Counter()).items():
                            counts[inner] += again * number
                    self._applied[at] = counts
                elif at not in self._applied and at not in path:
                    path.add(at)
                    waiting.append((at, True))
                    waiting.extend((id(below), False) for below in self._below[at])
        return self._applied[start]

    def _again(self, schema: dict[str, Any]) -> int:
        """Return how often the branches of ``schema`` are checked: once more to see what they evaluate."""
        return 1 if UNEVALUATED.isdisjoint(schema) or _ALTERNATIVES.isdisjoint(schema) else 2

    def _order(self) -> list[int]:
        """Return the subschemas that the root reaches, each after those that it applies, apart from circles."""
        order: list[int] = []
        waiting: list[tuple[dict[str, Any], bool]] = [(self._root, False)]
        while waiting:
            schema, leaving = waiting.pop()
            if leaving:
                order.append(id(schema))
            elif id(schema) not in self._schemas:
                self._schemas[id(schema)] = schema
                self._below[id(schema)] = [below for below in self._branches(schema) if isinstance(below, dict)]
                waiting.append((schema, True))
                waiting.extend((below, False) for below in self._targets(schema))
        return order

    def _branches(self, schema: dict[str, Any]) -> Iterator[Any]:
        yield from (target[1] for target in self._references.targets(schema) if target is not None)
        if not self._dialect.only_refers(schema):
            yield from (below for _, below in in_place(schema, self._dialect, conditions=True))

    def _targets(self, schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield from self._below[id(schema)]
        if not self._dialect.only_refers(schema):
            for _, _, below, reach in children(schema, self._dialect):
                if reach in (Reach.PROPERTY, Reach.ITEM) and isinstance(below, dict):
                    yield below

    def _in_place_sizes(self, order: list[int]) -> dict[int, int]:
        sizes: dict[int, int] = {}
        for at in order:
            again = self._again(self._schemas[at])
            sizes[at] = 1 + again * sum(sizes.get(id(below), 0) for below in self._below[at])
        return sizes

    def _components(self, order: list[int]) -> dict[int, int]:
        """Return the number of the circle of each subschema (Kosaraju)."""
        above: dict[int, list[int]] = {at: [] for at in order}
        for at in order:
            for below in self._targets(self._schemas[at]):
                above[id(below)].append(at)
        component: dict[int, int] = {}
        for number, start in enumerate(reversed(order)):
            waiting = [start]
            while waiting:
                at = waiting.pop()
                if at not in component:
                    component[at] = number
                    waiting.extend(above[at])
        return component

    def _together(self, at: int, schema: dict[str, Any]) -> bool:
        return self._component[at] == self._component[id(schema)]

    def _multiplies(self, start: int) -> bool:
        """Return True where two subschemas of the circle of ``start`` apply to one part of a value."""
        counts = self._in_place(start)
        schemas = [self._schemas[at] for at in counts]
        named = {name for schema in schemas if isinstance(listed := schema.get("properties"), dict) for name in listed}
        lists = [schema.get(keyword) for schema in schemas for keyword in ("items", "prefixItems")]
        most = max((len(items) for items in lists if isinstance(items, list)), default=0)
        return any(self._times(counts, step, start) > 1 for step in ("", *named, *range(most + 1)))

    def _times(self, counts: Counter[int], step: str | int, start: int) -> int:
        """Return how often subschemas of the circle of ``start`` apply to the part at ``step``."""
        below = ((times, found) for at, times in counts.items() for found in self._on_step(self._schemas[at], step))
        return sum(times for times, found in below if self._together(start, found))


class BoundedValidator:
    """A validator by a schema of exponential cost, which refuses data that would take too many steps."""

    def __init__(self, validator: Validator, cost: ValidationCost) -> None:
        self._validator = validator
        self._cost = cost

    def is_valid(self, data: Any) -> bool:
        """Return True for valid data. Of data that is too complex it is not known."""
        return (self._cost.linear or not self._cost.exceeds(data, MOST_CHECKS)) and self._validator.is_valid(data)

    def iter_errors(self, data: Any) -> Iterator[ValidationError]:
        """Return the errors, none for valid data. Raises TooComplexError where they cannot be listed."""
        if self.is_valid(data):
            return iter(())
        if self._cost.exceeds(data, MOST_ERRORS):
            raise TooComplexError("the validation steps of the schema multiply with each level of the data")
        return iter(self._validator.iter_errors(data))


def validation_cost(schema: Any, dialect: Dialect) -> ValidationCost | None:
    """Return the cost of ``schema``; None for an ordinary schema, on which it grows with the size of the data alone."""
    if not isinstance(schema, dict) or is_ordinary(schema, dialect):
        return None
    cost = ValidationCost(schema, dialect)
    return cost if cost.exponential else None


def is_ordinary(schema: dict[str, Any], dialect: Dialect) -> bool:
    """Return True where references lead from the root to definitions and on, without a circle; False also in doubt.

    Nearly every schema is such, and this takes a twentieth of the time of :class:`ValidationCost`. All that a
    definition holds counts as applied to one value, data included, so the numbers are too large rather than too small.
    """
    if not (_UNUSUAL - {"$schema"}).isdisjoint(schema):
        return False
    definitions = {key: part for key in DEFINITIONS if isinstance(part := schema.get(key), dict)}
    parts: dict[str, Any] = {"#": [value for key, value in schema.items() if key not in definitions]}
    parts |= {f"#/{key}/{name}": part for key, named in definitions.items() for name, part in named.items()}
    sizes = dict.fromkeys(parts, 1)
    looked_for = _UNUSUAL | {dialect.identifier, "$ref"}
    targets: dict[str, list[str]] = {"#": [schema["$ref"]] if "$ref" in schema else []}
    for name, part in parts.items():
        listed = targets.setdefault(name, [])
        within = list(mappings(part))
        sizes[name] += len(within)
        for mapping in within:
            if not looked_for.isdisjoint(mapping):
                if not _UNUSUAL.isdisjoint(mapping) or isinstance(mapping.get(dialect.identifier), str):
                    return False
                if "$ref" in mapping:
                    listed.append(mapping["$ref"])
        if any(not isinstance(target, str) or target not in parts for target in listed):
            return False  # a name with escapes, a part of a definition, an anchor, a file
    return _is_free_of_circles(targets, sizes) and max(sizes.values()) <= MOST_ERRORS


def _is_free_of_circles(targets: dict[str, list[str]], sizes: dict[str, int]) -> bool:
    """Add to the size of each name those of its targets, in their order; return False where there is none (Kahn)."""
    users: dict[str, list[str]] = {name: [] for name in targets}
    for name, listed in targets.items():
        for target in listed:
            users[target].append(name)
    unknown = {name: len(listed) for name, listed in targets.items()}
    known = [name for name, number in unknown.items() if not number]
    for name in known:  # which grows
        for user in users[name]:
            sizes[user] += sizes[name]
            unknown[user] -= 1
            if not unknown[user]:
                known.append(user)
    return len(known) == len(targets)


def bounded(validator: Validator, schema: Any, dialect: Dialect) -> Validator | BoundedValidator:
    """Return ``validator``, which is compiled from ``schema``, with a bound where its work grows exponentially."""
    cost = validation_cost(schema, dialect)
    return validator if cost is None else BoundedValidator(validator, cost)
