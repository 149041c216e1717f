"""The loop of a redrive on a queue in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from broker_queues import URN, dead_letter, envelope

from babelreg.contract import Contract
from babelreg.recording.redrive.dead_letter import DeadLetter, Move
from babelreg.recording.redrive.redrive import TARGET_UNKNOWN, Redrive

CONTRACT = Contract({URN: {"type": "object", "properties": {"id": {"type": "integer"}}}})


class Letters:
    """Dead letters that a broker lists, and does not take back; it fails after ``most`` messages were sent."""

    def __init__(self, bodies: Sequence[bytes], most: int | None = None) -> None:
        self.waiting = [DeadLetter(body, number) for number, body in enumerate(bodies)]
        self.left: list[int] = []
        self.dropped: list[int] = []
        self.sent: list[tuple[str, bytes]] = []
        self.most = most

    def next(self, most: int) -> list[DeadLetter]:
        batch, self.waiting = self.waiting[:most], self.waiting[most:]
        return batch

    def leave(self, letters: Sequence[DeadLetter]) -> None:
        self.left += [letter.handle for letter in letters]

    def move(self, moves: Sequence[Move]) -> Iterator[Move]:
        for move in moves:
            if len(self.sent) == self.most:
                raise ConnectionError("away")
            self.sent.append((move.target, move.body))
            yield move

    def drop(self, letters: Sequence[DeadLetter]) -> None:
        self.dropped += [letter.handle for letter in letters]

    def publish(self, target: str, bodies: Sequence[bytes]) -> None: ...

    def missing(self, target: str) -> bool:
        return False

    def close(self) -> None: ...


def test_every_dead_letter_is_moved_or_left_once() -> None:
    queue = Letters([dead_letter(number, {"id": "x"} if number % 3 == 0 else None) for number in range(50)])
    result = Redrive("orders.dlq", CONTRACT.verdict, batch=7).run(queue)
    assert queue.left == list(range(0, 50, 3))
    assert queue.sent == [("orders", envelope(number)) for number in range(50) if number % 3]
    assert (result.sent, result.staying) == ({("orders", URN): 33}, {("not_an_integer", URN): 17})


@pytest.mark.parametrize("batch", [1, 2, 10])
def test_a_repeat_is_removed_and_not_sent_again(batch: int) -> None:
    again = {"failed_at": 2, "attempts": 4}
    letters = [dead_letter(1), dead_letter(2), dead_letter(1, **again), dead_letter(1, {"id": 5}), dead_letter(2)]
    queue = Letters(letters)
    result = Redrive("orders.dlq", CONTRACT.verdict, batch=batch).run(queue)
    assert [body for _, body in queue.sent] == [envelope(1), envelope(2), envelope(1, {"id": 5})]
    assert (queue.dropped, result.repeated, result.sent.total()) == ([2, 4], 2, 3)


def test_a_dry_run_and_a_broker_that_fails_remove_no_repeat() -> None:
    letters = [dead_letter(1), dead_letter(1)]
    queue = Letters(letters)
    assert Redrive("orders.dlq", CONTRACT.verdict, dry_run=True).run(queue).repeated == 1
    assert (queue.dropped, queue.left) == ([], [0, 1])
    queue = Letters(letters, most=0)
    with pytest.raises(ConnectionError):
        Redrive("orders.dlq", CONTRACT.verdict).run(queue)
    assert queue.dropped == []


def test_a_dead_letter_that_names_a_queue_of_others_stays_unless_one_is_named() -> None:
    letter = dead_letter(1, original_queue="payments")
    result = Redrive("orders.dlq", CONTRACT.verdict, declared={URN: {"orders"}}).run(Letters([letter]))
    assert result.staying == {(TARGET_UNKNOWN, URN): 1}
    queue = Letters([letter])
    Redrive("orders.dlq", CONTRACT.verdict, to="sandbox").run(queue)
    assert queue.sent == [("sandbox", envelope(1))]


def test_a_broker_that_fails_leaves_the_counts_of_what_was_sent() -> None:
    queue = Letters([dead_letter(number) for number in range(9)], most=4)
    run = Redrive("orders.dlq", CONTRACT.verdict, batch=3)
    with pytest.raises(ConnectionError):
        run.run(queue)
    assert run.result.sent.total() == 4


def test_a_run_that_is_stopped_ends_after_its_batch() -> None:
    queue = Letters([dead_letter(number) for number in range(9)])
    run = Redrive("orders.dlq", CONTRACT.verdict, batch=3, told=lambda sent: run._stop.set())
    assert run.run(queue).sent.total() == 3
