from __future__ import annotations

import pytest

from babelreg import load
from babelreg.load.files.tree import Memory
from babelreg.model.service_subset import names, share_of

MESSAGE = "urn: urn:babel:orders:{name}\nkind: event\nproducers: [shop]\ndata: {{type: object}}\n"


def registry(**messages: str):
    files = {"babelreg.yaml": b"version: 1\n", "orders/_context.yaml": b"owner: team\n"}
    services = {"_services/shop.yaml": b"lang: php\n"}
    for name, more in messages.items():
        spelled = name.replace("_v", ".v")
        files[f"orders/{spelled}.yaml"] = (MESSAGE.format(name=spelled) + more).encode()
    return load.from_tree(Memory(files | services))


V2 = "supersedes: urn:babel:orders:made\nupcast: [{rename: {a: b}}]\n"
V3 = "supersedes: urn:babel:orders:made.v2\nupcast: [{rename: {b: c}}]\nconsumers: [mailer]\n"


@pytest.mark.parametrize(
    "messages, service, urns",
    [
        pytest.param({"made": ""}, "shop", {"produces": ["made"]}, id="who produces a message has it"),
        pytest.param({"made": "consumers: [mailer]\n"}, "mailer", {"consumes": ["made"]}, id="who consumes it, too"),
        pytest.param(
            {"made": "consumers: [shop]\n"}, "shop", {"produces": ["made"], "consumes": ["made"]}, id="or who does both"
        ),
        pytest.param(
            {"made": "", "made_v2": V2, "made_v3": V3},
            "mailer",
            {"consumes": ["made.v3"], "upcasts": ["made", "made.v2"]},
            id="what a consumed message is upcast from is needed, all the way up",
        ),
        pytest.param(
            {"made": "", "made_v2": V2.partition("upcast")[0] + "consumers: [mailer]\n"},
            "mailer",
            {"consumes": ["made.v2"]},
            id="a version that is not upcast is not needed",
        ),
        pytest.param({"made": V3.replace("made.v2", "made")}, "mailer", {"consumes": ["made"]}, id="a circle ends"),
        pytest.param(
            {"made": "consumers: [mailer]\nstatus: retired\nretired_on: '2020-01-01'\n"},
            "mailer",
            {},
            id="no tombstone",
        ),
        pytest.param({"made": ""}, "nobody", {}, id="a stranger has none"),
    ],
)
def test_a_service_has_its_messages_by_role(messages, service, urns):
    share = share_of(registry(**messages), service)
    found = {role: [urn.removeprefix("urn:babel:orders:") for urn in said] for role, said in share.urns.items() if said}
    assert found == urns
    assert {message.urn for message in share.part.messages} == share.every


def test_every_service_is_known_wherever_it_is_named():
    assert names(registry(made="consumers: [mailer]\n")) == {"shop", "mailer"}
