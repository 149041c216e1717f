"""One case: a damaged registry, every command on it, and what went wrong."""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hang import limited

from babelreg import cli
from babelreg.cache import fingerprint
from fuzzing import guard, mutate

__all__ = ["CANARY", "Bench", "Ran", "bench", "messages", "originals", "run_command"]

REGISTRY = Path(__file__).parents[3] / "registry.example"
CANARY = "canary-that-no-output-may-show"
CPU_SECONDS = 40.0
"""Of one command on a small registry, which usually takes a twentieth of a second."""
_TERMINAL = frozenset(chr(c) for c in (*range(32), 127, *range(128, 160))) - {"\n"}
_TRICKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029")


@dataclass(frozen=True)
class Ran:
    """What one command did."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str


def originals() -> dict[str, bytes]:
    """The example registry, by path."""
    return {p.relative_to(REGISTRY).as_posix(): p.read_bytes() for p in sorted(REGISTRY.rglob("*")) if p.is_file()}


class Bench:
    """A copy of the example registry that is damaged and mended again, with the folders around it."""

    def __init__(self, top: Path, opened: Callable[[], int]) -> None:
        self.top = top
        self.cpu_seconds = CPU_SECONDS
        self.files = originals()
        self.registry = top / "registry"
        self.published = top / "published"
        self.out = top / "out"
        self.messages = top / "messages.jsonl"
        self.cache = top / "cache"
        self._opened = opened
        self._touched: list[Path] = []
        shutil.copytree(REGISTRY, self.published)
        shutil.copytree(REGISTRY, self.registry)
        self.out.mkdir()

    def damage(self, changed: Mapping[str, bytes]) -> None:
        """Write the changed files; :meth:`mend` puts everything back."""
        for path, body in changed.items():
            full = self.registry / os.fsdecode(path.encode("utf-8", "surrogateescape"))
            with contextlib.suppress(OSError, ValueError):
                full.parent.mkdir(exist_ok=True)
                full.write_bytes(body)
                self._touched.append(full)

    def link(self, chance: random.Random) -> None:
        """A link out of the registry, where a file may stand."""
        full = self.registry / chance.choice(
            ["_common/link.yaml", "orders/link.yaml", "_services/link.yaml", "orders/cancelled.yaml"]
        )
        full.unlink(missing_ok=True)
        full.symlink_to(
            chance.choice([self.top / "outside" / "secret.yaml", self.top / "nowhere", full, Path("/dev/zero")])
        )
        self._touched.append(full)

    def mend(self) -> None:
        """The registry as it was."""
        for full in self._touched:
            original = self.files.get(os.fsencode(full.relative_to(self.registry)).decode("utf-8", "replace"))
            full.unlink(missing_ok=True)
            if original is not None:
                full.write_bytes(original)
        for folder in ("new", "Orders", "_x"):
            if (self.registry / folder).is_dir():
                shutil.rmtree(self.registry / folder)
        self._touched.clear()

    def forget(self) -> None:
        """Somebody else has put everything back."""
        self._touched.clear()

    def run(self, *arguments: str, writes: tuple[Path, ...] = (), stdin: bytes = b"") -> tuple[Ran, list[str]]:
        """Run one command, and what it did wrong."""
        readable = (self.registry, self.published, self.messages)
        if arguments[0] in ("lint", "breaking", "gen"):  # those that keep what they found
            writes = (*writes, self.cache)
        self._opened()
        watched = guard.watched(readable=readable, writable=writes, programs=("prove_child.py",))
        with watched as watch, limited(self.cpu_seconds):
            ran = run_command(arguments, stdin)
        wrongs = [*watch.wrongs, *_wrongs(ran)]
        if self._opened():
            wrongs.append("a file outside the registry was opened")
        return ran, [f"{' '.join(arguments[:2])}: {wrong}" for wrong in wrongs]

    def lint(self) -> list[str]:
        """What goes wrong in two runs of lint, and in the text that people read."""
        first, wrongs = self.run("lint", "--registry", str(self.registry), "--format", "json")
        second, more = self.run("lint", "--registry", str(self.registry), "--format", "json")
        text, rest = self.run("lint", "--registry", str(self.registry))
        if (first.code, first.out) != (second.code, second.out):
            more.append("lint: two runs differ")
        with contextlib.suppress(ValueError):
            found = json.loads(first.out)["findings"]
            more += [f"lint: a message of {len(f['message'])} characters" for f in found if len(f["message"]) > 2500]
            if (first.code == 1) != any(f["severity"] == "error" for f in found):
                more.append(f"lint: exit {first.code} with {len(found)} findings")
        return [*wrongs, *more, *rest, *([] if text.code == first.code else ["lint: the style changes the exit code"])]

    def commands(self, chance: random.Random | None) -> Iterator[tuple[tuple[str, ...], tuple[Path, ...]]]:
        """The other commands, with the folders that each may write. With ``chance``, the slowest one time in ten."""
        here = ("--registry", str(self.registry))
        out = self.out
        yield ("breaking", "--against", str(self.published), *here), ()
        yield ("gen", "spark", "--out", str(out / "spark"), *here), (out / "spark",)
        yield ("gen", "docs", "--out", str(out / "docs"), *here), (out / "docs",)
        if chance is None or chance.random() < 0.1:
            yield ("gen", "python", "--out", str(out / "python"), *here), (out / "python",)
        yield ("validate", str(self.messages), *here), ()

    def every_command(self) -> Iterator[tuple[tuple[str, ...], tuple[Path, ...]]]:
        """Every command in its order, mint last, with the folders that each may write."""
        here = ("--registry", str(self.registry))
        yield ("rules",), ()
        yield ("lint", *here), ()
        yield from self.commands(None)
        minted = ("mint", "urn:babel:orders:placed", "--against", str(self.published), *here)
        yield minted, (self.registry,)

    def hold(self, seed: int) -> list[str]:
        """What goes wrong in the case of that number; nothing, when babelreg is sound."""
        chance = random.Random(seed)
        changed = mutate.mutated(chance, self.files)
        try:
            self.damage(changed)
            if chance.random() < 0.05:
                self.link(chance)
            wrongs = self.lint()
            for arguments, writes in self.commands(chance):
                _, more = self.run(*arguments, writes=writes)
                wrongs += more
            wrongs += self.mint(chance)
            return wrongs
        finally:
            gc.enable()  # a command that is to end soon switches it off
            self.mend()
            shutil.rmtree(self.out)
            self.out.mkdir()

    def mint(self, chance: random.Random) -> list[str]:
        """Mint in the registry itself: what is new is taken away again."""
        urn = chance.choice(
            [
                "urn:babel:orders:created.v2",
                "urn:babel:orders:created",
                "urn:babel:billing:payment.captured",
                "urn:babel:media:thumbnail.generate",
                "urn:x",
            ]
        )
        arguments = ["mint", urn, "--registry", str(self.registry), "--against", str(self.published)]
        if chance.random() < 0.5:
            arguments += ["--sunset", "2031-01-31"]
        before = {p: p.read_bytes() for p in self.registry.rglob("*") if p.is_file() and not p.is_symlink()}
        ran, wrongs = self.run(*arguments, writes=(self.registry,))
        after = {p for p in self.registry.rglob("*") if p.is_file() and not p.is_symlink()}
        if ran.code == 0:
            again, more = self.run("lint", "--registry", str(self.registry), "--format", "json")
            wrongs += more + [f"mint: leaves a defect: {f['message']}" for f in _defects(again)]
        for path in after - before.keys():
            path.unlink()
        for path, body in before.items():
            path.write_bytes(body)
        return wrongs


def _defects(ran: Ran) -> list[Any]:
    from babelreg.load.files.defect import DEFECTS

    try:
        return [f for f in json.loads(ran.out)["findings"] if f["rule"] in DEFECTS]
    except ValueError:
        return [{"message": "no JSON"}]


def run_command(arguments: tuple[str, ...], stdin: bytes = b"") -> Ran:
    """Run one command in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    code = 0
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main(list(arguments))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    finally:
        sys.stdin = before
    return Ran(arguments, code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    if stream.closed:
        return ""
    stream.flush()
    body = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return str(body.decode("utf-8"))


def _wrongs(ran: Ran) -> list[str]:
    found = []
    if ran.code not in (0, 1, 2):
        found.append(f"exit {ran.code}\n{ran.err[-3000:]}")
    elif "Traceback" in ran.err or "panicked" in ran.err:
        found.append(f"a traceback\n{ran.err[-3000:]}")
    if ran.code == 2 and "error" not in ran.err.lower():
        found.append(f"exit 2 without a word: {ran.err[-300:]!r}")
    if CANARY in ran.out + ran.err:
        found.append("shows a file outside the registry")
    shown = ran.out + ran.err
    odd = sorted({repr(c) for c in _TERMINAL | _TRICKS if c in shown})
    if odd and ran.code != 3:
        found.append(f"prints {' '.join(odd)}")
    return found


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    """A bench in a new folder, with a file outside the registry that nobody may read."""
    top = guard.scratch()
    try:
        outside = top / "outside"
        outside.mkdir()
        for name in ("secret.yaml", "secret.json"):
            (outside / name).write_text(
                f'{{"type": "object", "description": "{CANARY}", "properties": {{"{CANARY}": {{}}}}}}'
            )
        with guard.forbidden_folder(outside) as opened, _kept_in(top / "cache"), _code_read_once():
            made = Bench(top, opened)
            (made.registry / "link").symlink_to(outside)
            made.messages.write_bytes(messages())
            yield made
    finally:
        shutil.rmtree(top)


@contextlib.contextmanager
def _code_read_once() -> Iterator[None]:
    """Every run asks which code it is; here it is the same code thousands of times."""
    asked = fingerprint.digest
    fingerprint.digest = functools.cache(asked)
    try:
        yield
    finally:
        fingerprint.digest = asked


@contextlib.contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    before = os.environ.get("BABELREG_CACHE_DIR")
    os.environ["BABELREG_CACHE_DIR"] = str(folder)
    try:
        yield
    finally:
        del os.environ["BABELREG_CACHE_DIR"]
        if before is not None:
            os.environ["BABELREG_CACHE_DIR"] = before


def messages() -> bytes:
    """A recorded message for every example of the registry."""
    from babelreg import load

    lines = []
    for message in load.registry(REGISTRY).messages:
        for example in message.examples:
            meta = {
                "id": "0f8e4a6e-58a4-4d6c-9d56-0c1d9f5b2a11",
                "queue": "orders",
                "lang": "php",
                "schema_version": 1,
                "created_at": 1760000000000,
            }
            lines.append(
                json.dumps(
                    {
                        "job": message.urn,
                        "trace_id": "7b9f3d9a-8f5e-4b52-8a37-1d5d1f0b7c22",
                        "data": example.data,
                        "meta": meta,
                        "attempts": 0,
                    }
                )
            )
    return "\n".join(lines).encode()
