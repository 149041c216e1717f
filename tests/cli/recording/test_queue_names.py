"""Hints about a queue that holds nothing: a word that was misspelt, a service, or a queue that nobody reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.cli.recording.queue_names import QueueNames
from babelreg.errors import BabelregError


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """Two services consume what is sent to ``orders``: billing from its inbox, printing from queues of its own."""
    files = {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\nqueue: orders\nproducers: [web-shop]\n"
        "consumers: [billing]\ndata: {type: object}\n",
        "_services/billing.yaml": "owner: team-billing\n",
        "_services/web-shop.yaml": "owner: team-web\n",
        "_services/printing.yaml": "owner: team-print\nconsumes: [{urn: urn:babel:orders:created, queue: to-print}]\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "queue, hint",
    [
        pytest.param("billing", None, id="an inbox"),
        pytest.param("billing.dlq", None, id="its dead letters"),
        pytest.param("orders", "its messages go to billing, to-print", id="a queue that is fanned out"),
        pytest.param("orders.dlq", "its messages go to billing.dlq, to-print.dlq", id="dead letters of that"),
        pytest.param("printing", "service printing reads to-print", id="a service with another queue"),
        pytest.param("printing.dlq", "service printing reads to-print.dlq", id="dead letters of that service"),
        pytest.param("web-shop", "service web-shop reads no queue", id="a service that sends"),
        pytest.param("biling.dlq", "did you mean billing.dlq?", id="a misspelt inbox"),
        pytest.param("something-else", None, id="nothing like it"),
    ],
)
def test_hints(registry: Path, queue: str, hint: str | None) -> None:
    assert QueueNames(registry).hint(queue) == hint


def test_readers_are_services(registry: Path) -> None:
    names = QueueNames(registry)
    assert [names.readers(queue) for queue in ("to-print", "orders")] == [["printing"], []]


def test_without_a_registry_there_is_no_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert QueueNames(None).hint("billing") is None
    with pytest.raises(BabelregError):
        QueueNames(tmp_path / "nowhere")
