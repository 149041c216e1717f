"""The processor time of the compilers on generated TypeScript and Go, beside quicktype's output for the same schemas.

    python benchmarks/typed_compile.py --npm FOLDER [--messages 1000] [--runs 3] [LANGUAGE...]

FOLDER is one in which ``npm install quicktype typescript`` ran. Prints the middle of the runs of each, which take turns,
and their ratio. Bar: at most 2 times quicktype's. For Go the package is compiled, for TypeScript checked (``--noEmit``).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(__file__).parent))

import machine  # noqa: E402
import registry_of  # noqa: E402

GO = {"GOFLAGS": "-mod=mod -buildvcs=false", "GOPROXY": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
OPTIONS = {"strict": True, "module": "nodenext", "target": "es2022", "types": [], "noEmit": True}


def run(command: list[str | Path], folder: Path, environment: dict[str, str] | None = None) -> float:
    """Run ``command`` and return the seconds of the processor that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=folder, check=True, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def babelreg(target: str, registry: Path, out: Path, *more: str) -> None:
    """Generate ``target``."""
    command = [sys.executable, "-m", "babelreg", "gen", target, "--registry", registry, "--out", out, "-q", *more]
    run(command, ROOT)


def quicktype(commands: Path, language: str, schemas: Path, out: Path, *more: str) -> None:
    """Write quicktype's types of all schemas into one file, as it does."""
    flat = schemas.parent / "flat"
    if not flat.exists():
        flat.mkdir()
        for schema in schemas.rglob("*.schema.json"):
            name = str(schema.relative_to(schemas)).removesuffix(".schema.json")
            (flat / f"{name.replace('/', '_').replace('.', '_')}.schema").write_text(schema.read_text())
    out.parent.mkdir(parents=True)
    run(
        [commands / "quicktype", "--lang", language, "--src-lang", "schema", *more, "-o", out, *sorted(flat.iterdir())],
        ROOT,
    )


def of_go(folder: Path) -> float:
    """Compile the package ``messages`` anew: a comment changes it, so that no cache has it."""
    source = min((folder / "messages").glob("*.go"))
    source.write_text(f"{source.read_text('utf-8')}\n// {os.urandom(8).hex()}\n", "utf-8")
    return run(["go", "build", "./messages"], folder, GO)


def go_packages(home: Path, commands: Path) -> list[Path]:
    """Write both packages."""
    ours, theirs = home / "go-ours", home / "go-quicktype"
    babelreg("go", home / "registry", ours)
    quicktype(commands, "go", home / "schemas", theirs / "messages" / "messages.go", "--package", "messages")
    for folder in (ours, theirs):
        (folder / "go.mod").write_text("module example\n\ngo 1.18\n")
        of_go(folder)  # the standard library
    return [ours, theirs]


def typescript_projects(home: Path, commands: Path) -> list[Path]:
    """Write both projects."""
    ours, theirs = home / "ts-ours", home / "ts-quicktype"
    babelreg("typescript", home / "registry", ours / "src")
    quicktype(commands, "typescript", home / "schemas", theirs / "src" / "messages.ts")
    for folder in (ours, theirs):
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "include": ["src"]}))
    return [ours, theirs]


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", default=["typescript", "go"], metavar="LANGUAGE")
    parser.add_argument("--npm", type=Path, required=True)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    commands = (args.npm / "node_modules/.bin").resolve()
    compilers: dict[str, tuple[Callable[[Path, Path], list[Path]], Callable[[Path], float]]] = {
        "typescript": (typescript_projects, lambda folder: run([commands / "tsc", "-p", "."], folder)),
        "go": (go_packages, of_go),
    }
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        registry_of.write(home / "registry", args.messages)
        babelreg("jsonschema", home / "registry", home / "schemas", "--plain")
        for language in args.languages:
            prepare, compile_one = compilers[language]
            folders = prepare(home, commands)
            seconds = [[compile_one(folder) for folder in folders] for _ in range(args.runs)]
            ours = statistics.median(mine for mine, _ in seconds)
            ratio = statistics.median(mine / other for mine, other in seconds)
            loops = machine.beside(ours, processor=True).strip()
            print(f"{language}: {loops}, {ratio:.2f} times quicktype (bar: 2)", flush=True)


if __name__ == "__main__":
    main()
