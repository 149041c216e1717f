"""The catalog in a real browser: nothing hostile runs, nothing is loaded, everything is reachable and accessible.

Needs Chromium on the path and ``pip install 'babelreg[browser]'``.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hostile
import pytest

from babelreg import load
from babelreg.containment import compare
from babelreg.gen.target import files_by_path
from babelreg.gen.targets.catalog import target
from babelreg.model import BoundedContext, Commit, Counterexample, Example, Registry, Service

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.servers, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]

ROOT = Path(__file__).resolve().parents[4]

RUN = "window.hacked=1"
CODE = f"{RUN};fetch('http://127.0.0.1:9/x');alert(1)"
EVENTS = ("error", "load", "focus", "click", "mouseover", "toggle", "begin", "animationstart", "input", "pointerenter")
TAGS = (
    "img src=x",
    "svg",
    "body",
    "details open",
    "iframe src=//127.0.0.1:9",
    "video src=x",
    "input autofocus",
    "a href=x",
)
TEXTS = [
    *(f"<{tag} on{event}={CODE}>" for tag in TAGS for event in EVENTS),
    *(f"{end}<script>{CODE}</script>" for end in ("</script>", "</style>", "</title>", "</noscript>", "-->", "]]>", '">', "'>")),
    *(f"{scheme}:{CODE}" for scheme in ("javascript", "JaVaScRiPt", "\tjavascript", "vbscript", "data:text/html,<script>x</script>")),
    f"${{{CODE}}}", f"`+({CODE})+`", f"'-({CODE})-'", f'"-({CODE})-"', f"{{{{constructor.constructor('{CODE}')()}}}}",
    "__proto__", "constructor", "toString", "hasOwnProperty", "</td></tr></table>", "%", "%00", "%zz", "a/b?c#d&e=f",
    '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">', '<base href="http://127.0.0.1:9/">',
    '<link rel=stylesheet href="http://127.0.0.1:9/">', "<style>@import 'http://127.0.0.1:9/'</style>",
    "<img src=http://127.0.0.1:9/x.png>", "<form action=http://127.0.0.1:9/><button>x</button></form>",
    "http://127.0.0.1:9/x.png", "<!--<script>", "\u2028\u2029", "\u202e", "\ud800", "`", "``` `", "a" * 600, "a " * 300,
]  # fmt: skip
EXAMPLE_PAGES = (
    "#/", "#/messages", "#/fields", "#/services", "#/owners", "#/contexts", "#/personal", "#/search/total",
    "#/message/urn:babel:orders:created.v2", "#/message/urn:babel:orders:created", "#/message/urn:babel:orders:placed",
    "#/field/total.minor", "#/service/orders-api", "#/context/orders", "#/owner/team-orders", "#/message/urn:babel:no:such",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


class Opened:
    """A page, and everything that it did besides showing itself."""

    def __init__(self, browser: Any, path: Path, **settings: Any) -> None:
        self.url = path.as_uri()
        self.context = browser.new_context(**settings)
        self.page = self.context.new_page()
        self.events: list[str] = []
        self.page.on("request", lambda request: self._requested(request.url))
        self.page.on("dialog", lambda dialog: self._dialog(dialog))
        self.page.on("pageerror", lambda error: self.events.append(f"error: {error}"))
        self.page.on("console", lambda message: self.events.append(f"console: {message.text}"))
        self.go("")

    def _requested(self, url: str) -> None:
        if url.partition("#")[0] != self.url:
            self.events.append(f"request: {url}")

    def _dialog(self, dialog: Any) -> None:
        self.events.append("dialog")
        dialog.dismiss()

    def go(self, route: str) -> None:
        """Open the file anew at ``route``."""
        self.page.goto("about:blank")
        self.page.goto(self.url + route)

    def show(self, route: str) -> None:
        """Follow a link to ``route`` in the open file."""
        self.page.evaluate("route => { location.hash = route; }", route)
        self.page.wait_for_function("route => location.hash === route", arg=self.page.evaluate("location.hash"))
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def links(self) -> list[str]:
        """Return the routes of all links in the content."""
        found: list[str] = self.page.evaluate(
            "[...document.querySelectorAll('main a')].map((a) => a.getAttribute('href'))"
        )
        return [route for route in found if route.startswith("#")]


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Opened]]:
    pages: list[Opened] = []

    def of(path: Path, **settings: Any) -> Opened:
        pages.append(Opened(browser, path, **settings))
        return pages[-1]

    yield of
    for page in pages:
        page.context.close()


def written(folder: Path, registry: Registry, options: dict[str, Any]) -> Path:
    text = files_by_path(target.files(registry, options))["index.html"].text
    path = folder / "index.html"
    path.write_text(text, "utf-8")
    return path


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    registry = load.registry(ROOT / "registry.example")
    new, old = (registry.by_urn[f"urn:babel:orders:created{v}"] for v in (".v2", ""))
    options = {
        "comparisons": {new.urn: compare(old.schema, new.schema)},
        "commits": {new.urn: [Commit("0123456789ab", "2026-11-20", "Ada", "Say it again")]},
    }
    return written(tmp_path_factory.mktemp("example"), registry, options)


def hostile_registry() -> Registry:
    """One message for each text, with that text wherever a message, a service or a context holds one."""
    messages, services, contexts = [], {}, {}
    for number, text in enumerate(TEXTS):
        schema = {
            "type": "object",
            "properties": {text: {"type": "string", "description": text, "pattern": text, "x-gdpr-sensitive": text}},
        }
        source = hostile.Written(text)
        more = {
            "examples": (Example({text: text}, source, ()),),
            "counterexamples": (Counterexample({text: text}, text, source, ()),),
            "upcast": ({"rename": {text: text}},),
            "supersedes": f"urn:babel:hostile:case{number - 1}",
            "producers": (text,),
        }
        messages.append(hostile.message(number, text, schema, **more))
        services[text] = Service(text, source, owner=text, lang=text, repo=text, contact=text, description=text)
        contexts[text] = BoundedContext(text, source, owner=text, description=text, contact=text)
    return Registry("", contexts=contexts, services=services, messages=tuple(messages))


def hostile_options(registry: Registry) -> dict[str, Any]:
    messages = registry.messages
    pairs = itertools.pairwise(messages)
    return {
        "title": TEXTS[0],
        "note": TEXTS[0],
        "comparisons": {
            new.urn: compare({"const": text}, {"const": 1}) for (_, new), text in zip(pairs, TEXTS, strict=False)
        },
        "commits": {m.urn: [Commit(text, text, text, text)] for m, text in zip(messages, TEXTS, strict=True)},
    }


def test_there_are_a_hundred_hostile_texts() -> None:
    assert len(set(TEXTS)) >= 100


def test_nothing_hostile_runs_and_nothing_is_loaded(tmp_path: Path, opened: Callable[..., Opened]) -> None:
    registry = hostile_registry()
    held = opened(written(tmp_path, registry, hostile_options(registry)))
    routes = {"#/", *(f"#/{kind}" for kind in ("messages", "fields", "services", "owners", "contexts", "personal"))}
    for route in sorted(routes):
        held.show(route)
        routes |= set(held.links())
    assert len(routes) > 4 * len(registry.messages)
    for route in sorted(routes):
        held.show(route)
        assert held.page.evaluate("document.querySelectorAll('main h1').length") == 1, route
        assert (
            held.page.evaluate(
                "document.querySelectorAll('main :is(script, img, iframe, style, link, meta, form, base, object, video)').length"
            )
            == 0
        ), route
    for text in TEXTS:
        held.page.fill("#query", text)
    assert held.page.evaluate("window.hacked") is None
    assert held.events == []


def test_every_link_leads_to_a_page(example: Path, opened: Callable[..., Opened]) -> None:
    held = opened(example)
    seen: set[str] = set()
    waiting = ["#/"]
    while waiting:
        route = waiting.pop()
        held.show(route)
        assert held.page.inner_text("h1") != "Not found", route
        if "?" not in route:
            waiting += {link for link in held.links() if link not in seen}
        seen |= {route, *waiting}
    assert len(seen) > 100
    assert held.events == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation(example: Path, opened: Callable[..., Opened], theme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python").__path__[0]
    (script,) = Path(axe).rglob("axe.min.js")
    held = opened(example, viewport={"width": width, "height": 900}, color_scheme=theme)
    for route in EXAMPLE_PAGES:
        held.go(route)
        if route == "#/":
            held.page.fill("#query", "order")
            held.page.keyboard.press("ArrowDown")
        if width == 390 and route == "#/messages":
            held.page.click("#menu")
        held.page.evaluate(script.read_text("utf-8"))
        found = held.page.evaluate("async () => (await axe.run()).violations")
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == [], route


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_window(
    tmp_path: Path, example: Path, opened: Callable[..., Opened], width: int
) -> None:
    registry = hostile_registry()
    size = {"width": width, "height": 844}
    for path, routes in (
        (example, EXAMPLE_PAGES),
        (written(tmp_path, registry, {}), ("#/", f"#/message/{registry.messages[-2].urn}")),
    ):
        held = opened(path, viewport=size)
        for route in routes:
            held.go(route)
            assert held.page.evaluate("document.documentElement.scrollWidth") <= width, route


def test_a_link_to_a_field_shows_it(example: Path, opened: Callable[..., Opened]) -> None:
    held = opened(example)
    held.go("#/message/urn:babel:orders:created.v2?field=lines[].qty")
    assert held.page.inner_text("tr.target td").startswith("lines[].qty")
    assert held.page.evaluate("document.querySelector('tr.target').getBoundingClientRect().top") < 800


@pytest.mark.parametrize(
    "route",
    ["#/message/urn:babel:orders:creatd.v2", "#/nothing/here", "#/message/%E0%A4%A", "#/message/", "#/__proto__/x"],
)
def test_a_link_to_what_is_not_there_says_so(example: Path, opened: Callable[..., Opened], route: str) -> None:
    held = opened(example)
    held.go(route)
    assert held.page.inner_text("h1") == "Not found"
    if "creatd" in route:
        assert "#/message/urn:babel:orders:created.v2" in held.links()
    assert held.events == []


def test_the_search_needs_no_mouse(example: Path, opened: Callable[..., Opened]) -> None:
    held = opened(example)
    held.page.keyboard.press("/")
    held.page.keyboard.type("created v2")
    held.page.keyboard.press("ArrowDown")
    assert held.page.get_attribute("#query", "aria-activedescendant") == "hit0"
    held.page.keyboard.press("Enter")
    assert held.page.inner_text("h1") == "urn:babel:orders:created.v2"
    assert held.page.evaluate("document.activeElement.id") == "main"
    held.page.keyboard.press("/")
    held.page.keyboard.press("Escape")
    assert held.page.is_hidden("#hits")


@pytest.mark.parametrize(
    "query, first",
    [
        pytest.param("orders:created.v2", "orders:created.v2", id="a name as it is written"),
        pytest.param("total.minor", "total.minor", id="a field"),
        pytest.param("crm", "crm", id="a service"),
        pytest.param("team-media", "team-media", id="an owner"),
        pytest.param("thumbnail generate", "media:thumbnail.generate", id="two words"),
        pytest.param("personal data", "Personal data", id="a page of the catalog"),
        pytest.param("cancelled zebra quagga", "orders:cancelled", id="one of several words"),
        pytest.param("cancled", "orders:cancelled", id="a letter too few"),
        pytest.param("regsitered", "customers:registered", id="two letters in the wrong order"),
    ],
)
def test_the_search_finds_first(example: Path, opened: Callable[..., Opened], query: str, first: str) -> None:
    held = opened(example)
    held.page.fill("#query", query)
    assert held.page.inner_text(".hit b >> nth=0") == first


def test_a_field_is_found_with_its_messages(example: Path, opened: Callable[..., Opened]) -> None:
    held = opened(example)
    held.page.fill("#query", "total.minor")
    assert held.page.inner_text(".hit .about >> nth=0").startswith("in billing:invoice.issue and orders:created.v2: ")
    held.go("#/search/total.minor")
    assert "field in billing:invoice.issue and orders:created.v2" in held.page.inner_text("main li >> nth=0")


@pytest.mark.parametrize("height", [300, 500, 900])
def test_each_result_is_visible_as_a_whole(example: Path, opened: Callable[..., Opened], height: int) -> None:
    held = opened(example, viewport={"width": 1200, "height": height})
    held.page.fill("#query", "o")
    covered = """() => [...document.querySelectorAll(".hit")].filter((hit) => {
        const box = hit.getBoundingClientRect(), x = box.left + box.width / 2;
        return ![box.top + 3, box.bottom - 3].every((y) => hit.contains(document.elementFromPoint(x, y)));
    }).length"""
    assert held.page.evaluate("() => document.querySelectorAll('.hit').length") > 2
    assert held.page.evaluate(covered) == 0
    assert "Enter shows them all" in held.page.inner_text("#tip")


def test_going_back_shows_the_place_that_was_left(example: Path, opened: Callable[..., Opened]) -> None:
    held = opened(example, viewport={"width": 1280, "height": 500})
    held.go("#/message/urn:babel:orders:created.v2")
    held.page.evaluate("scrollTo(0, 1200)")
    held.page.evaluate("document.querySelector('main a[href=\"#/service/warehouse\"]').click()")
    held.page.wait_for_function("document.querySelector('h1').textContent === 'warehouse'")
    assert held.page.evaluate("scrollY") == 0
    held.page.go_back()
    held.page.wait_for_function("document.querySelector('h1').textContent.startsWith('urn')")
    assert held.page.evaluate("scrollY") == 1200


def test_without_scripts_there_is_a_list(example: Path, opened: Callable[..., Opened]) -> None:
    held = opened(example, java_script_enabled=False)
    assert "urn:babel:orders:created.v2" in held.page.inner_text("main")


def test_paper_shows_the_page_without_the_menu(example: Path, opened: Callable[..., Opened]) -> None:
    held = opened(example, color_scheme="dark")
    held.go("#/message/urn:babel:orders:created.v2")
    held.page.emulate_media(media="print", color_scheme="dark")
    assert held.page.is_hidden("#nav")
    assert held.page.is_hidden(".bar")
    assert held.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
