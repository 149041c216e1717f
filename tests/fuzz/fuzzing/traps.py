"""What stands in a registry to lead a reader astray: ways out of it, files that are none, settings and waivers gone wrong."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable
from pathlib import Path

__all__ = ["TRAPS", "Trap", "set_one"]

Trap = Callable[[Path, Path], None]
"""``trap(registry, outside)`` sets it; ``outside`` is a folder with files that nobody may read."""

_MESSAGE = "urn: urn:babel:orders:trap\nkind: event\nproducers: [orders-api]\n"


def _file(path: str, text: str) -> Trap:
    def write(registry: Path, outside: Path) -> None:
        full = registry / path
        full.parent.mkdir(exist_ok=True)
        full.unlink(missing_ok=True)
        full.write_bytes(
            text.replace("OUTSIDE", str(outside)).replace("UP", "../" * 12).encode("utf-8", "surrogateescape")
        )

    return write


def _referring(to: str) -> Trap:
    return _file("orders/trap.yaml", f"{_MESSAGE}data: {{type: object, properties: {{a: {{$ref: '{to}'}}}}}}\n")


def _examples(file: str) -> Trap:
    return _file("orders/trap.yaml", f"{_MESSAGE}data: {{type: object}}\nexamples: {{file: '{file}'}}\n")


def _link(path: str, to: str) -> Trap:
    def link(registry: Path, outside: Path) -> None:
        full = registry / path
        full.parent.mkdir(exist_ok=True)
        full.symlink_to(to.replace("OUTSIDE", str(outside)).replace("SELF", str(full)))

    return link


def _pipe(path: str) -> Trap:
    return lambda registry, outside: os.mkfifo(registry / path)


def _sparse(path: str, size: int) -> Trap:
    def write(registry: Path, outside: Path) -> None:
        (registry / path).unlink(missing_ok=True)
        with (registry / path).open("wb") as file:
            file.truncate(size)

    return write


def _folder(path: str) -> Trap:
    return lambda registry, outside: (registry / path).mkdir()


def _both(*traps: Trap) -> Trap:
    def every(registry: Path, outside: Path) -> None:
        for trap in traps:
            trap(registry, outside)

    return every


_LINES = _file("orders/trap.yaml", f"{_MESSAGE}data: {{type: object}}\nexamples: {{file: trap.jsonl}}\n")

TRAPS: dict[str, Trap] = {
    "a reference that climbs": _referring("UPetc/passwd"),
    "a reference that climbs to YAML": _referring("../../outside/secret.yaml"),
    "an absolute reference": _referring("/etc/passwd"),
    "an absolute reference to YAML": _referring("OUTSIDE/secret.yaml"),
    "a file: URL": _referring("file://OUTSIDE/secret.yaml"),
    "an http: URL": _referring("http://127.0.0.1:1/secret.yaml"),
    "an https: URL": _referring("https://example.com/secret.json"),
    "a reference in escapes": _referring("%2e%2e/%2e%2e/outside/secret.yaml"),
    "a reference with a NUL": _referring("..%00/secret.yaml"),
    "a reference to a URN": _referring("urn:babel:orders:created"),
    "a reference to the settings": _referring("../babelreg.yaml"),
    "a foreign $schema": _file("orders/trap.yaml", f"{_MESSAGE}data: {{$schema: 'http://127.0.0.1:1/s', type: object}}\n"),
    "a foreign $id": _file("orders/trap.yaml", f"{_MESSAGE}data: {{$id: 'http://127.0.0.1:1/s', $ref: other}}\n"),
    "examples that climb": _examples("../../outside/secret.json"),
    "examples from the root": _examples("/etc/passwd"),
    "examples from a URL": _examples("http://127.0.0.1:1/x.jsonl"),
    "examples that are a folder": _both(_examples("more"), _folder("orders/more")),
    "examples that are a device": _both(_LINES, _link("orders/trap.jsonl", "/dev/zero")),
    "examples behind a link": _both(_LINES, _link("orders/trap.jsonl", "OUTSIDE/secret.json")),
    "examples through a linked folder": _both(_examples("../away/secret.json"), _link("away", "OUTSIDE")),
    "examples in a pipe": _both(_LINES, _pipe("orders/trap.jsonl")),
    "examples without end": _both(_LINES, _sparse("orders/trap.jsonl", 1 << 40)),
    "examples that cannot be sent": _both(_LINES, _file("orders/trap.jsonl", '{"a": "\\ud800"}\n{"a": 1e999}\n{"a": NaN}\n[[[[\n\x00\n')),
    "a link to a message outside": _link("orders/trap.yaml", "OUTSIDE/secret.yaml"),
    "a link to a fragment outside": _both(_referring("../_common/trap.yaml"), _link("_common/trap.yaml", "OUTSIDE/secret.yaml")),
    "a link to nowhere": _link("orders/trap.yaml", "nowhere"),
    "a link to itself": _link("orders/trap.yaml", "SELF"),
    "a link to a device": _link("orders/trap.yaml", "/dev/zero"),
    "a link to a terminal": _link("orders/trap.yaml", "/dev/tty"),
    "a linked folder": _link("trap", "OUTSIDE"),
    "a linked context": _link("trap.yaml", "OUTSIDE"),
    "a pipe": _pipe("orders/trap.yaml"),
    "a pipe among the services": _pipe("_services/trap.yaml"),
    "a file of a terabyte": _sparse("orders/trap.yaml", 1 << 40),
    "a fragment of a terabyte": _both(_referring("../_common/trap.yaml"), _sparse("_common/trap.yaml", 1 << 40)),
    "a folder like a file": _folder("orders/trap.yaml"),
    "a message of NULs": _sparse("orders/trap.yaml", 1000),
    "a pyproject.toml gone wrong": _file("pyproject.toml", "[tool.babelreg.lint\nprofile = 1\n"),
    "a pyproject.toml behind a link": _link("pyproject.toml", "OUTSIDE/pyproject.toml"),
    "a pyproject.toml in a pipe": _pipe("pyproject.toml"),
    "globs that explode": _file("pyproject.toml", "[tool.babelreg.lint]\npaths = [{path = '" + "*a" * 40 + "b', rules = {}}, {path = '" + "**/" * 40 + "x', profile = 'strict'}]\n"),
    "waivers gone wrong": _file("orders/trap.yaml", f"{_MESSAGE}# babelreg: allow\ndata: {{}} # babelreg: allow x until 2027-99-99 -- \n# babelreg: allow {'y ' * 500}\n"),
    "a waiver of everything": _file("orders/trap.yaml", f"# babelreg: allow urn-syntax until 0000-00-00 -- é\u202e\n{_MESSAGE}data: {{}}\n"),
    "a terminal's own words": _file("orders/trap.yaml", "urn: \"\\e[2J\\u202e\"\nkind: '::error::x'\n\"\\x07\": 1\n"),
}  # fmt: skip


def set_one(chance: random.Random, registry: Path, outside: Path) -> str:
    """Set one of them, and say which; where its place is taken, it is not set."""
    name = chance.choice(sorted(TRAPS))
    with contextlib.suppress(OSError):
        TRAPS[name](registry, outside)
    return name
