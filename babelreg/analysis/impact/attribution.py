"""Attribution of refused messages to the findings of ``breaking``: by the place of the keyword that refuses them.

A finding has pointers into files, its own and those of its parts; a refusal has one into the bundled schema, which is
followed through references to the file where its keyword is written. Of the findings about the message, the first of
these that apply explain the refusal: those at the keyword itself; the nearest around it; those below it, as a union
refuses by its branches; those about the same field; those about a field around or below it; and those that say that
what the change breaks could not be decided. Those about the property that was sent, where the schema does not name it
any more, explain it in each case: a property that was removed is refused by the keyword for all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from babelreg.containment.validator import Refusal
from babelreg.finding import NOTHING, Finding
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import Reach
from babelreg.schema.field_path import OTHERS, parts
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import segments

_ITEM = 0
_FORWARD = "forward"


@dataclass(frozen=True, slots=True)
class BreakPlace:
    """A place that a finding is about: ``pointer`` in the file ``path``, and the ``field`` as steps into the data.

    ``names`` are the properties that it is about, where it is about some of those that a keyword lists.
    """

    path: str
    pointer: Pointer
    field: Pointer | None = None
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KnownBreak:
    """What attribution needs of a finding. ``urns`` are the messages that it is about.

    ``on_data`` are its places in a schema; it has none where it is about the whole message. ``undecided``: nothing was
    shown, and nothing excluded. ``accepted``: a waiver accepts it. It is not ``judged`` by recorded messages where it
    is about what producers do not send yet.
    """

    urns: frozenset[str]
    on_data: tuple[BreakPlace, ...] = ()
    undecided: bool = False
    accepted: bool = False
    judged: bool = True


def known_break(finding: Finding, *, accepted: bool = False) -> KnownBreak:
    """Return ``finding`` as attribution needs it."""
    urns = frozenset([finding.urn] if finding.urn else (use.urn for use in finding.messages))
    places = [place for each in (finding, *finding.parts) if each.direction != _FORWARD for place in _places(each)]
    judged = finding.direction != _FORWARD or any(part.direction != _FORWARD for part in finding.parts)
    undecided = finding.direction is not None and finding.witness is NOTHING and not finding.witnesses
    return KnownBreak(urns, tuple(places), undecided, accepted, judged)


def _places(finding: Finding) -> Iterator[BreakPlace]:
    path, listed = finding.place.path, finding.properties
    names = frozenset(str(parts(name)[-1]) for name in listed.names if name) if listed else frozenset[str]()
    field = _field_of(finding.instance) or None
    for spelled in dict.fromkeys((finding.pointer, listed.holder if listed else None)):
        if spelled is not None and _is_in_schema(path, spelled):
            yield BreakPlace(path, pointers.parse(spelled), field, names)


def _is_in_schema(path: str, pointer: str) -> bool:
    """Return True for a pointer to a part of a schema, in a message file or in a fragment."""
    if path.startswith("_common/"):
        return not pointer or pointer.startswith("/")
    return pointer == "/data" or pointer.startswith("/data/")


class Attribution:
    """The findings by message. ``locate`` returns file and pointer of a pointer into the schema of a URN.

    Findings are told by their numbers.
    """

    def __init__(self, breaks: Sequence[KnownBreak], locate: Callable[[str, Pointer], tuple[str, Pointer]]) -> None:
        self._locate = locate
        self._breaks = breaks
        self._by_urn: dict[str, list[int]] = {}
        for number, each in enumerate(breaks):
            if each.judged:
                for urn in each.urns:
                    self._by_urn.setdefault(urn, []).append(number)
        self._answers: dict[tuple[str, Pointer, str | None, Pointer | None], frozenset[int]] = {}

    def of_whole_message(self, urn: str) -> frozenset[int]:
        """Return the findings about a message that is no longer declared, or not under the name that was sent."""
        numbers = self._by_urn.get(urn, ())
        return frozenset(n for n in numbers if not self._breaks[n].on_data)

    def of_refusal(self, urn: str, refusal: Refusal) -> frozenset[int]:
        """Return the findings that explain ``refusal``, in the schema of ``urn`` as written; none where none does."""
        sent = self._sent_field(urn, refusal)
        key = (urn, refusal.pointer, refusal.missing, sent)
        if key not in self._answers:
            self._answers[key] = self._explained(urn, refusal, sent)
        return self._answers[key]

    def _sent_field(self, urn: str, refusal: Refusal) -> Pointer | None:
        """Return the field of a finding that the refused value is at or in; None where the schema names it.

        It is one of those that findings name, so that no text of a message is kept.
        """
        if OTHERS not in schema_field(refusal.pointer):
            return None
        sent = _field_of(refusal.instance)
        fields = (place.field for number in self._by_urn.get(urn, ()) for place in self._breaks[number].on_data)
        return max((field for field in fields if field and field == sent[: len(field)]), key=len, default=None)

    def _explained(self, urn: str, refusal: Refusal, sent: Pointer | None) -> frozenset[int]:
        numbers = self._by_urn.get(urn, ())
        places = [(number, place) for number in numbers for place in self._breaks[number].on_data]
        path, pointer = self._locate(urn, refusal.pointer)
        at = tuple(map(str, pointer))
        field = schema_field(refusal.pointer)
        wanted = field if refusal.missing is None else (*field, refusal.missing)
        here = [(number, place) for number, place in places if place.path == path]
        named = [n for n, place in here if place.pointer == at and refusal.missing in place.names]
        around = [(n, place) for n, place in here if at[: len(place.pointer)] == place.pointer]
        nearest = max((len(place.pointer) for _, place in around), default=0)
        about_sent = [n for n, place in places if place.field is not None and place.field == sent]
        for candidates in (
            named,
            [n for n, place in here if place.pointer == at and (refusal.missing is None or not place.names)],
            [n for n, place in around if len(place.pointer) == nearest and place.pointer != at],
            [n for n, place in here if place.pointer[: len(at)] == at and place.pointer != at],
            [n for n, place in places if place.field == wanted],
            [n for n, place in places if place.field is not None and _is_nested(place.field, wanted)],
            about_sent,
            [n for n in numbers if not self._breaks[n].on_data or self._breaks[n].undecided],
        ):
            if candidates:
                return frozenset([*candidates, *about_sent])
        return frozenset()


def _field_of(instance: Pointer) -> Pointer:
    return tuple(_ITEM if isinstance(step, int) else step for step in instance)


def _is_nested(one: Pointer, other: Pointer) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


@lru_cache(maxsize=4096)
def schema_field(pointer: Pointer) -> Pointer:
    """Return the steps into the data that a pointer into a schema leads to, also through ``$ref``.

    An item is 0, a property that the schema does not name ``*``.
    """
    steps: list[str | int] = []
    for part in _between_references(pointer):
        for segment, keyword in segments(part):
            if keyword.reach is Reach.ITEM:
                steps.append(_ITEM)
            elif keyword.reach is Reach.PROPERTY:
                steps.append(str(segment[1]) if segment[0] == "properties" else OTHERS)
    return tuple(steps)


def _between_references(pointer: Pointer) -> Iterable[Pointer]:
    part: list[str | int] = []
    for step in pointer:
        if step == "$ref" and part[-1:] != ["properties"]:
            yield tuple(part)
            part = []
        else:
            part.append(step)
    yield tuple(part)
