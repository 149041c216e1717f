"""Impact of a change on recorded messages, which two versions of a registry validate one by one.

A message that was good and is refused belongs to the findings that explain a keyword that refuses it, to several where
several do. Only such a message, which is rare, is validated again for all that is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from babelreg.analysis.impact.attribution import Attribution, KnownBreak
from babelreg.analysis.impact.evidence import ExpectationEvidence
from babelreg.analysis.impact.impact_counts import (
    Cell,
    Group,
    ImpactCounts,
    RefusedMessage,
    Rescue,
    Sender,
    UnexplainedPlace,
)
from babelreg.analysis.impact.registry_versions import JudgedMessage, RegistryVersions
from babelreg.analysis.infer.refusals import MessageValidators
from babelreg.analysis.sketch.window import Window
from babelreg.contract import Verdict
from babelreg.contract.envelope import Envelope
from babelreg.contract.verdict import decode
from babelreg.model import Registry
from babelreg.model.service import LANGUAGES
from babelreg.schema.pointer import Pointer, text

_UNKNOWN = "unknown_urn"


class TrafficImpact:
    """Counts of the messages that ``before`` and ``after`` judge, by the findings of ``breaks``.

    A message is in the ``window`` by the time of its envelope, and also where it has none. It is pickled without
    counts, for other processes.
    """

    def __init__(
        self,
        before: Registry,
        after: Registry,
        breaks: Sequence[KnownBreak] = (),
        window: Window | None = None,
    ) -> None:
        self._arguments = (before, after, breaks, window)
        self.versions = RegistryVersions(before, after)
        self.evidence = ExpectationEvidence(before, after)
        self._breaks = breaks
        self._begin_ms, self._end_ms = (window.begin_ms, window.end_ms) if window else (0, 2**63)
        self._validators = MessageValidators(after)
        self._attribution = Attribution(breaks, self._located)
        self._queues = frozenset(
            queue for registry in (before, after) for each in registry.messages if (queue := each.queue)
        )
        self._producers: dict[tuple[Any, Any], Sender] = {}
        self.counts = ImpactCounts()

    def __reduce__(self) -> tuple[Any, ...]:
        return TrafficImpact, self._arguments

    def restart(self) -> None:
        """Count from nothing again; what was compiled is kept."""
        self.counts = ImpactCounts()

    def add(self, messages: Iterable[bytes | Envelope | Verdict]) -> None:
        """Count messages as a broker delivered them, decoded already, or refused."""
        for message in messages:
            decoded = decode(message) if isinstance(message, bytes) else message
            if isinstance(decoded, Envelope):
                self._add(decoded)
            else:
                self._add_refused(decoded)

    def _add_refused(self, verdict: Verdict) -> None:
        """Count a message whose envelope no reader handles, under either version."""
        meta = verdict.envelope.meta if verdict.envelope else {}
        if self._in_window(meta.get("created_at")) is not None:
            self.counts.cells[Cell("", self._producer(meta), verdict.reason, verdict.reason)] += 1

    def _add(self, envelope: Envelope) -> None:
        meta = envelope.meta
        time_ms = self._in_window(meta.get("created_at"))
        if time_ms is None:
            return
        judged = self.versions.judge(envelope)
        urn, before, after = judged
        producer = self._producer(meta)
        self.counts.cells[Cell(urn, producer, before, after)] += 1
        if before != after and (before is None or after is None):
            self._add_changed(envelope, judged, producer, time_ms)
        if self.evidence.expects_of(urn) and (before is None or after is None):
            valid = (before is None, after is None)
            self.evidence.add(urn, envelope.data, valid, self.counts.held, self.counts.expected)

    def _in_window(self, created_at: Any) -> int | None:
        """Return the time of a message in the window, 0 for one without a time; count any other as left out."""
        counts = self.counts
        if type(created_at) is not int or created_at <= 0:
            counts.undated += 1
            return 0
        if created_at < self._begin_ms:
            counts.earlier += 1
            return None
        if created_at >= self._end_ms:
            counts.later += 1
            return None
        if counts.first_ms is None or created_at < counts.first_ms:
            counts.first_ms = created_at
        if counts.newest_ms is None or created_at > counts.newest_ms:
            counts.newest_ms = created_at
        return created_at

    def _producer(self, meta: dict[str, Any]) -> Sender:
        lang, queue = meta.get("lang"), meta.get("queue")
        lang, queue = (lang if lang in LANGUAGES else None), (queue if queue in self._queues else None)
        return self._producers.setdefault((lang, queue), Sender(lang, queue))

    def _add_changed(self, envelope: Envelope, judged: JudgedMessage, producer: Sender, time_ms: int) -> None:
        """Count a message that is refused now, or that is no longer, by what explains it."""
        urn, before, _ = judged
        known_ms = time_ms or None
        if before is not None:
            sample = RefusedMessage(time_ms, envelope.document, self.versions.refused_before(envelope))
            self.counts.group(Rescue(urn, before)).add(producer, known_ms, sample)
            return
        groups = self._explained(envelope, judged)
        for key, pointer in groups.items():
            self.counts.group(key).add(producer, known_ms, RefusedMessage(time_ms, envelope.document, pointer))
        if not all(isinstance(key, int) and self._breaks[key].accepted for key in groups):
            self.counts.hurt[urn] += 1

    def _explained(self, envelope: Envelope, judged: JudgedMessage) -> dict[Group, str]:
        """Return the groups of a message that is refused now, with the pointer that each is about."""
        urn, _, reason = judged
        if reason == _UNKNOWN:
            numbers = self._attribution.of_whole_message(urn)
            return dict.fromkeys(numbers, "/job") or {UnexplainedPlace(urn, "", "", _UNKNOWN): "/job"}
        present = self.versions.after.resolve(envelope.urn)
        validator = self._validators.of(present)
        try:
            refusals = validator.refusals(envelope.data) if validator is not None else []
        except UnicodeEncodeError:  # an unpaired surrogate, which cannot be part of an error
            refusals = []
        explained: dict[Group, str] = {}
        for refusal in refusals:
            for number in self._attribution.of_refusal(present, refusal):
                explained.setdefault(number, "/data" + text(refusal.instance))
        if explained or not refusals:
            return explained or {UnexplainedPlace(urn, "", "", reason or ""): "/data"}
        first = refusals[0]
        path, pointer = self._located(present, first.pointer)
        undeclared = not self.versions.may_be_sent(envelope)
        place = UnexplainedPlace(urn, path, text(pointer), first.keyword, undeclared)
        return {place: "/data" + text(first.instance)}

    def _located(self, urn: str, pointer: Pointer) -> tuple[str, Pointer]:
        validator = self._validators.of(urn)
        assert validator is not None
        return validator.located(pointer)
