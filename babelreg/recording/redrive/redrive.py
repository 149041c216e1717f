"""The loop of a redrive: validate a batch of dead letters, move the valid ones, count all.

Built on the rules of ``babelqueue.redrive``, with four differences: a dead letter is validated first, the others stay
in place instead of being written to the queue again, a run ends with the messages that were there at its start, so that
one that fails again does not go around without end, and repeats are removed instead of being sent again: a consumer
that is killed between the dead letter and the acknowledgement of its message writes another one.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from babelreg.contract import Verdict
from babelreg.recording.redrive.dead_letter import (
    DeadLetter,
    DeadLetterQueue,
    Move,
    Selection,
    block_of,
    original_queue,
    reasons_of,
    redriven_body,
)

TARGET_UNKNOWN = "target_unknown"
"""The reason of a valid dead letter that stays because it does not name the queue that it came from."""

POISON = "poison"
"""The reason of a record around a body that was not an envelope; it stays."""

BATCH = 200
"""The most messages that a run which is killed may have sent without removing them."""


@dataclass(frozen=True, slots=True)
class Redriven:
    """Counts of a run: ``sent`` by queue and URN, ``staying`` by the present reason and the URN, None if unreadable.

    ``repeated`` were removed: the same message was sent to the same queue before.
    ``not_selected`` were read and passed over; ``seen`` are the reasons and URNs of all that were read.
    """

    sent: Counter[tuple[str, str]] = field(default_factory=Counter)
    staying: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    not_selected: int = 0
    repeated: int = 0
    seen_reasons: frozenset[str] = frozenset()
    seen_urns: frozenset[str] = frozenset()


class Redrive:
    """A run over the dead letters of ``source``, the name of a queue.

    ``validate`` returns the verdict about a message. ``to`` is the queue to send to, None for the one that each came
    from; ``declared`` has the queues of the registry by URN. ``dry_run`` moves nothing. Set ``stop`` to end after the
    current batch; ``told`` is called with the number of messages sent after each.
    """

    def __init__(
        self,
        source: str,
        validate: Callable[[bytes], Verdict],
        *,
        to: str | None = None,
        declared: Mapping[str, Collection[str]] | None = None,
        selection: Selection | None = None,
        limit: int | None = None,
        dry_run: bool = False,
        batch: int = BATCH,
        stop: threading.Event | None = None,
        told: Callable[[int], None] = lambda sent: None,
    ) -> None:
        self._source = source
        self._validate = validate
        self._to = to
        self._declared = declared or {}
        self._selection = selection or Selection()
        self._limit = limit
        self._dry_run = dry_run
        self._batch = batch
        self._stop = stop or threading.Event()
        self._told = told
        self._sent: Counter[tuple[str, str]] = Counter()
        self._staying: Counter[tuple[str, str | None]] = Counter()
        self._not_selected = 0
        self._repeated = 0
        self._digests: set[bytes] = set()
        self._reasons: set[str] = set()
        self._urns: set[str] = set()

    @property
    def result(self) -> Redriven:
        """The counts so far, also of a run that raised."""
        reasons, urns = frozenset(self._reasons), frozenset(self._urns)
        return Redriven(self._sent, self._staying, self._not_selected, self._repeated, reasons, urns)

    def run(self, queue: DeadLetterQueue) -> Redriven:
        """Move what is valid. Raises what ``queue`` raises, and SchemaError."""
        while not self._stop.is_set() and self._room() != 0:
            letters = queue.next(self._batch)
            if not letters:
                break
            moves, repeats, left = self._sorted(letters)
            queue.leave(letters if self._dry_run else left)
            for move in moves if self._dry_run else queue.move(moves):
                self._sent[move.target, move.urn] += 1
            if not self._dry_run:
                queue.drop(repeats)
            self._repeated += len(repeats)
            self._told(self._sent.total())
        return self.result

    def _room(self) -> int | None:
        return None if self._limit is None else self._limit - self._sent.total()

    def _sorted(self, letters: list[DeadLetter]) -> tuple[list[Move], list[DeadLetter], list[DeadLetter]]:
        """Return the moves of a batch, repeats, and what stays; counts the latter."""
        moves: list[Move] = []
        repeats: list[DeadLetter] = []
        left: list[DeadLetter] = []
        room = self._room()
        for letter in letters:
            if room is not None and len(moves) >= room:
                left.append(letter)  # beyond the limit: not looked at
                continue
            move = self._move_of(letter)
            if move is None:
                left.append(letter)
            elif self._is_repeat(move):
                repeats.append(letter)
            else:
                moves.append(move)
        return moves, repeats, left

    def _is_repeat(self, move: Move) -> bool:
        """Return whether the same bytes are sent to the same queue before; remembers them."""
        digest = hashlib.blake2b(move.body, digest_size=16, key=move.target.encode()[:64]).digest()
        seen = digest in self._digests
        self._digests.add(digest)
        return seen

    def _move_of(self, letter: DeadLetter) -> Move | None:
        verdict = self._validate(letter.body)
        envelope = verdict.envelope
        urn = envelope.urn if envelope is not None else None
        block = block_of(letter, verdict)
        reasons = reasons_of(block)
        self._reasons.update(reasons)
        self._urns.update([urn] if urn else [])
        if not self._selection.matches(reasons, urn):
            self._not_selected += 1
            return None
        if verdict.reason is not None or envelope is None or urn is None:
            # Around a body that is not an envelope lies a record, which names no URN.
            reason = POISON if block.get("reason") == POISON else verdict.reason or POISON
            self._staying[reason, urn] += 1
            return None
        target = self._to or original_queue(block, self._declared.get(urn, ()), self._source)
        if target is None:
            self._staying[TARGET_UNKNOWN, urn] += 1
            return None
        return Move(letter, urn, target, redriven_body(letter.body, envelope))
