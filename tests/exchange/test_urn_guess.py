"""URNs for the names of files and definitions: valid, and apart from each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.exchange.urn_guess import UrnGuess, context_of, folder_context
from babelreg.model import Urn


@pytest.mark.parametrize(
    "words, name, kind",
    [
        pytest.param("OrderCreated", "order-created", None, id="a class name"),
        pytest.param("check_run$completed", "check_run.completed", None, id="a dollar"),
        pytest.param("PushEvent", "push", "event", id="an event by its last word"),
        pytest.param("send_mail_command", "send_mail", "command", id="a command by its last word"),
        pytest.param("event", "event", None, id="nothing but that word"),
        pytest.param("HTTPRequest", "http-request", None, id="an abbreviation"),
        pytest.param("config-2.0", "config-2-0", None, id="a number with a dot"),
        pytest.param("created.2", "created-2", None, id="a number behind a dot"),
        pytest.param("2024", "message-2024", None, id="only a number"),
        pytest.param("created-v1", "created", None, id="the first version"),
        pytest.param("v3", "message-v3", None, id="only a version"),
        pytest.param("Größe.änderung", "groe.anderung", None, id="letters that URNs lack"),
        pytest.param("日本", "message", None, id="no letter of a URN"),
        pytest.param("con", "message-con", None, id="a device of Windows"),
    ],
)
def test_a_name(words, name, kind):
    assert UrnGuess().guess("shop", words) == (Urn("shop", name), kind)


def test_a_version_needs_the_one_before_it():
    guess = UrnGuess(["urn:babel:shop:created"])
    found = [str(guess.guess("shop", words)[0]) for words in ("created.v2", "created-v3", "created-v7", "paid.v2")]
    assert found == [
        "urn:babel:shop:created.v2", "urn:babel:shop:created.v3", "urn:babel:shop:created-n2", "urn:babel:shop:paid",
    ]  # fmt: skip


@given(st.lists(st.text(max_size=300), max_size=8), st.text(max_size=80))
def test_every_guess_is_a_urn_of_its_own(names, folder):
    guess, context = UrnGuess(), context_of(folder) or "imported"
    found = [str(guess.guess(context, name)[0]) for name in names]
    assert [str(Urn.parse(urn)) for urn in found] == found
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    "folders, context",
    [(("a", "Order_Service", "schemas", "v2"), "order-service"), (("schemas",), None), ((), None)],
)
def test_the_context_of_folders(folders, context):
    assert folder_context(folders) == context
