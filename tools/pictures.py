"""Draw the pictures of the documentation: boxes and arrows as SVG, from the tables below.

    python tools/pictures.py

The colours follow the reader's scheme, light or dark. Each picture has a background of its own, so that it is readable
on a page of the other scheme. The text alternative is the title and description of the SVG, and is repeated where a
page shows it. Widths of texts are estimated: a line that does not fit its box is a ValueError.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = ["COLOURS", "FOLDER", "PICTURES", "Arrow", "Box", "Picture", "svg"]

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
COLOURS = {
    "light": {"page": "#ffffff", "box": "#eef3fb", "main": "#dbe8ff", "line": "#47566b", "text": "#16202e"},
    "dark": {"page": "#0d1117", "box": "#1b2431", "main": "#173a6b", "line": "#9fb0c6", "text": "#eef3fa"},
}
_LINE, _SMALL, _LETTER, _PADDING = 19, 17, 7.4, 8


@dataclass(frozen=True, slots=True)
class Box:
    """A box: a bold first line, and lines below it. Positions and sizes are pixels, from the top left corner."""

    x: int
    y: int
    width: int
    height: int
    lines: tuple[str, ...]
    main: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow along ``points``. Its label, of several lines, is centred at ``at``."""

    points: tuple[tuple[int, int], ...]
    label: tuple[str, ...] = ()
    at: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its text alternative."""

    title: str
    description: str
    width: int
    height: int
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


PICTURES = {
    "flow": Picture(
        "From the registry to tables",
        "The registry in git is the source of everything. babelreg gen python writes code for services, which "
        "send and handle messages through a broker. babelreg drain and tap record them to files. babelreg "
        "lake ingest types each recorded message into the table of its URN, or puts it into the quarantine "
        "with a reason, from where redrive moves it once the registry accepts it.",
        860,
        330,
        (
            Box(
                20, 20, 820, 62,
                (
                    "registry",
                    "a folder in git: URNs, schemas, owners, producers, consumers",
                ),
                main=True,
            ),
            Box(20, 160, 150, 80, ("services", "typed producers", "and consumers")),
            Box(250, 160, 140, 80, ("broker", "Redis, RabbitMQ", "or Kafka")),
            Box(470, 160, 140, 80, ("recordings", "JSON lines", "and frames")),
            Box(700, 160, 140, 80, ("tables", "one for each", "URN")),
            Box(470, 268, 140, 46, ("quarantine", "with a reason")),
        ),
        (
            Arrow(((95, 82), (95, 160)), ("gen python",), (140, 126)),
            Arrow(((320, 82), (320, 160)), ("topology",), (356, 126)),
            Arrow(((540, 82), (540, 160)), ("validate",), (574, 126)),
            Arrow(((770, 82), (770, 160)), ("types",), (796, 126)),
            Arrow(((170, 188), (250, 188)), ("send",), (210, 180)),
            Arrow(((250, 216), (170, 216)), ("handle",), (210, 234)),
            Arrow(((390, 200), (470, 200)), ("drain, tap",), (430, 192)),
            Arrow(((610, 188), (700, 188)), ("ingest",), (655, 180)),
            Arrow(((540, 240), (540, 268)), (), (0, 0)),
            Arrow(((610, 291), (770, 291), (770, 240)), ("redrive",), (690, 283)),
        ),
    ),
    "directions": Picture(
        "Two directions and two readers",
        "Backward: data of the published schema, sent so far or still in queues, meets a consumer with the "
        "edited schema. Forward: data of the edited schema meets a consumer that still has the published one. "
        "babelreg breaking checks both. A tolerant reader, the default, ignores properties that its schema "
        "does not declare; a strict reader applies its schema as written.",
        860,
        350,
        (
            Box(20, 20, 230, 70, ("producer, published", "what was sent so far,", "and waits in queues")),
            Box(20, 150, 230, 70, ("producer, edited", "what will be sent after", "the change")),
            Box(610, 20, 230, 70, ("consumer, published", "not updated yet")),
            Box(610, 150, 230, 70, ("consumer, edited", "updated")),
            Box(
                20, 260, 400, 70,
                (
                    "tolerant reader, the default",
                    "ignores properties that it does not declare:",
                    "a new optional property is compatible",
                ),
                main=True,
            ),
            Box(
                440, 260, 400, 70,
                (
                    "strict reader",
                    "applies its schema as written:",
                    "what it does not allow, it refuses",
                ),
            ),
        ),
        (
            Arrow(((250, 62), (610, 178)), ("backward",), (500, 170)),
            Arrow(((250, 178), (610, 62)), ("forward",), (500, 82)),
        ),
    ),
    "versions": Picture(
        "The life of a version",
        "A message starts as a draft, which may change freely. Once active, it is compared with every "
        "published version. babelreg mint writes the next version, which supersedes it, and deprecates it "
        "with a sunset: its last day. When nobody sends it any more it is retired: a tombstone, whose URN is "
        "never used again.",
        870,
        246,
        (
            Box(20, 20, 150, 66, ("draft", "may change freely")),
            Box(250, 20, 150, 66, ("active", "every change is", "compared"), main=True),
            Box(480, 20, 150, 66, ("deprecated", "senders are warned", "until the sunset")),
            Box(700, 20, 150, 66, ("retired", "a tombstone: never", "used again")),
            Box(
                250, 160, 380, 66,
                (
                    "next version, .v2: active",
                    "supersedes the first; upcast lets its consumers",
                    "read data of the first",
                ),
                main=True,
            ),
        ),
        (
            Arrow(((170, 53), (250, 53)), ("publish",), (210, 45)),
            Arrow(((400, 53), (480, 53)), ("sunset",), (440, 45)),
            Arrow(((630, 53), (700, 53)), ("unused",), (665, 45)),
            Arrow(((325, 86), (325, 160)), ("mint",), (347, 128)),
            Arrow(((555, 160), (555, 86)), ("deprecates",), (600, 128)),
        ),
    ),
}  # fmt: skip


def _style() -> str:
    def rules(scheme: str) -> str:
        of = COLOURS[scheme]
        return (
            f".page{{fill:{of['page']}}}.box{{fill:{of['box']};stroke:{of['line']}}}.main{{fill:{of['main']}}}"
            f"path{{stroke:{of['line']};fill:none}}.head{{fill:{of['line']};stroke:none}}text{{fill:{of['text']}}}"
        )

    font = "text{font:14px system-ui,sans-serif;text-anchor:middle}.name{font-weight:600}"
    return f"{font}{rules('light')}@media (prefers-color-scheme: dark){{{rules('dark')}}}"


def _text(x: float, y: float, line: str, kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{kind}>{escape(line)}</text>'


def _box(box: Box) -> Iterator[str]:
    kind = "box main" if box.main else "box"
    yield f'<rect class="{kind}" x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="6"/>'
    top = box.y + (box.height - _SMALL * (len(box.lines) - 1)) / 2 + 5
    for number, line in enumerate(box.lines):
        if len(line) * _LETTER > box.width - _PADDING:
            raise ValueError(f"{line!r} is too long for its box")
        yield _text(box.x + box.width / 2, top + number * _SMALL, line, ' class="name"' if number == 0 else "")


def _arrow(arrow: Arrow) -> Iterator[str]:
    points = " L".join(f"{x} {y}" for x, y in arrow.points)
    yield f'<path d="M{points}" marker-end="url(#head)"/>'
    for number, line in enumerate(arrow.label):
        yield _text(arrow.at[0], arrow.at[1] + number * _LINE, line)


def svg(picture: Picture) -> str:
    """Return the picture as an SVG document. Raises ValueError for a line that is too long for its box."""
    size = f'width="{picture.width}" height="{picture.height}" viewBox="0 0 {picture.width} {picture.height}"'
    head = '<path class="head" d="M0 0L9 4.5L0 9z"/>'
    marker = 'markerWidth="9" markerHeight="9" refX="9" refY="4.5"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(picture.title)}</title>',
        f'<desc id="description">{escape(picture.description)}</desc>',
        f"<style>{_style()}</style>",
        f'<defs><marker id="head" {marker} orient="auto">{head}</marker></defs>',
        '<rect class="page" width="100%" height="100%" rx="8"/>',
        *(part for arrow in picture.arrows for part in _arrow(arrow)),
        *(part for box in picture.boxes for part in _box(box)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the command line."""
    FOLDER.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(svg(picture), "utf-8")


if __name__ == "__main__":
    main()
