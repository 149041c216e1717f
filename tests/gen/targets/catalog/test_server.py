from __future__ import annotations

import http.client
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from babelreg.cli.shared.registry_options import note_once
from babelreg.errors import UsageError
from babelreg.gen.hooks import RunPlace
from babelreg.gen.run import GenRun
from babelreg.gen.targets.catalog.page import source_hash
from babelreg.gen.targets.catalog.server import CatalogServer

EXAMPLE = Path(__file__).resolve().parents[4] / "registry.example"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    return tmp_path / "registry"


def of(root: Path, port: int = 0) -> CatalogServer:
    place = RunPlace(root, root.parent, note_once)
    return CatalogServer(place, lambda: GenRun("catalog", {}, place, None, anew=True).texts(), port)


@pytest.fixture
def server(root: Path) -> Iterator[CatalogServer]:
    """A server that answers, and that looks for changes only when told to."""
    running = of(root)
    thread = threading.Thread(target=running._server.serve_forever, daemon=True)
    thread.start()
    yield running
    running.close()
    thread.join()
    running._server.server_close()


def port_of(server: CatalogServer) -> int:
    return int(server.address.rstrip("/").rpartition(":")[2])


def get(
    server: CatalogServer, path: str, host: str | None = None, method: str = "GET"
) -> tuple[int, str, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server))
    connection.request(method, path, headers={"Host": host or f"127.0.0.1:{port_of(server)}"})
    response = connection.getresponse()
    content = response.read().decode()
    connection.close()
    return response.status, content, response.headers


def test_it_shows_the_page_and_its_data(server: CatalogServer) -> None:
    status, page, headers = get(server, "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "urn:babel:orders:created.v2" in page
    status, data, headers = get(server, "/catalog.json")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert data.startswith("{")


def test_the_policy_lets_the_page_listen_to_its_server_alone(server: CatalogServer) -> None:
    page = get(server, "/index.html")[1]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2
    assert f"script-src {' '.join(map(source_hash, scripts))}; connect-src 'self'; style-src" in page
    assert scripts[1] == 'new EventSource("changes").onmessage = () => location.reload();'


@pytest.mark.parametrize("path", ["/../babelreg.yaml", "/etc/passwd", "/changes/x", "/orders/created.yaml"])
def test_it_shows_nothing_else(server: CatalogServer, path: str) -> None:
    assert get(server, path)[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "evil.example:80"])
def test_a_page_of_another_name_cannot_read_it(server: CatalogServer, host: str) -> None:
    assert get(server, "/catalog.json", host)[0] == 421


def test_a_name_in_capitals_is_the_same_name(server: CatalogServer) -> None:
    assert get(server, "/", f"LocalHost:{port_of(server)}")[0] == 200


@pytest.mark.parametrize(
    "path, host, status",
    [
        pytest.param("/", None, 200, id="the page"),
        pytest.param("/catalog.json", None, 200, id="its data"),
        pytest.param("/nothing", None, 404, id="a page that is not there"),
        pytest.param("/", "evil.example", 421, id="another name"),
    ],
)
def test_head_answers_as_get_without_the_content(
    server: CatalogServer, path: str, host: str | None, status: int
) -> None:
    _, _, expected = get(server, path, host)
    code, content, headers = get(server, path, host, "HEAD")
    assert (code, content) == (status, "")
    assert headers["Content-Length"] == expected["Content-Length"]
    assert headers["Content-Type"] == expected["Content-Type"]


def test_head_of_the_changes_ends(server: CatalogServer) -> None:
    code, content, headers = get(server, "/changes", method="HEAD")
    assert (code, content, headers["Content-Type"]) == (200, "", "text/event-stream")


def test_it_follows_the_files(root: Path, server: CatalogServer) -> None:
    assert not server.look()
    message = root / "orders" / "cancelled.yaml"
    message.write_text(message.read_text("utf-8").replace("Order number.", "The number of this order."), "utf-8")
    assert server.look()
    assert "The number of this order." in get(server, "/")[1]
    assert not server.look()


def test_a_change_is_told_to_open_pages(root: Path, server: CatalogServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server))
    connection.request("GET", "/changes")
    response = connection.getresponse()
    assert response.headers["Content-Type"] == "text/event-stream"
    (root / "orders" / "cancelled.yaml").touch()
    assert server.look()
    assert response.readline() == b"data: changed\n"
    connection.close()


def test_a_defect_leaves_the_page_as_it_was(
    root: Path, server: CatalogServer, capsys: pytest.CaptureFixture[str]
) -> None:
    before = get(server, "/")[1]
    (root / "orders" / "cancelled.yaml").write_text("urn: [", "utf-8")
    assert not server.look()
    assert get(server, "/")[1] == before
    assert "not rebuilt: " in capsys.readouterr().err


def test_a_taken_port_is_named(root: Path, server: CatalogServer) -> None:
    with pytest.raises(UsageError, match=f"port {port_of(server)} cannot be used") as raised:
        of(root, port_of(server))
    assert "--port" in str(raised.value.fix)
