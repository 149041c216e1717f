"""Measure what tests notice: change one thing in a function, run the tests of its module, count who fails.

    tools/mutants.py --count 600 --before REVISION --report report.jsonl

The changes are drawn with a fixed seed and named by function. With ``--before``, they are drawn from the functions that
are the same in an earlier revision, wherever its module was, and tried in both: there with the tests of that time. They
are made in copies of the two trees. A test that does not end notices, too.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mutation import changed, changes, functions

ROOT = Path(__file__).parents[1]
SEED = 28
SECONDS = 600
MODULES = (
    "schema/regex/parser.py",
    "load/yaml/editor.py",
    "typemap/spark/mapping.py",
    "contract/envelope_edit.py",
    "lint/schema/satisfiability.py",
    "breaking/mint/upcast_draft.py",
    "containment/certificates/single_values.py",
    "lake/tasks/message_segments.py",
    "runtime/bytes/recorder.py",
    "gen/reference/field_rows.py",
)
"""Modules of ten packages, each judged by its mirrored test."""


def mirrored_test(module: str) -> str:
    """Return the path of the test of a module, which is named below ``babelreg/``."""
    folder, _, name = module.rpartition("/")
    return f"tests/{folder}/test_{name}".replace("//", "/")


def drawn(
    root: Path, count: int, before: Path | None = None, modules: Sequence[str] = MODULES
) -> list[tuple[str, str]]:
    """Return the modules and the names of ``count`` changes, shared out evenly; fewer where there are not as many."""
    found = []
    for place, module in enumerate(modules):
        names = [name for name, _ in changes(ast.parse((root / "babelreg" / module).read_text("utf-8")))]
        if before:
            same = _same_functions(root, module, before, former(root, module, before))
            names = [name for name in names if name.partition(":")[0] in same]
        random.Random(f"{SEED} {module}").shuffle(names)
        found += [(module, name) for name in names[: -(-(count - place) // len(modules))]]
    return found


def former(root: Path, module: str, before: Path) -> str:
    """Return where ``module`` was in an earlier tree: the module of its name that shares most functions with it."""
    same_name = sorted((before / "babelreg").rglob(Path(module).name))
    candidates = [str(path.relative_to(before / "babelreg")) for path in same_name]
    return max(candidates, key=lambda candidate: len(_same_functions(root, module, before, candidate)))


def _same_functions(root: Path, module: str, before: Path, earlier: str) -> set[str]:
    now, then = (
        {name: ast.dump(function) for name, function in functions(ast.parse(path.read_text("utf-8")))}
        for path in (root / "babelreg" / module, before / "babelreg" / earlier)
    )
    return {name for name in now.keys() & then.keys() if now[name] == then[name]}


def tried(folder: Path, module: str, names: Sequence[str]) -> dict[str, bool]:
    """Return which of the changes of a module the tests in ``folder`` notice; exit if they fail without any."""
    results, path = folder / "results.jsonl", folder / "babelreg" / module
    results.unlink(missing_ok=True)
    asked = {
        "path": str(path),
        "module": ".".join(["babelreg", *Path(module).with_suffix("").parts]).removesuffix(".__init__"),
        "changes": list(names),
        "results": str(results),
    }
    (folder / "asked.json").write_text(json.dumps(asked), "utf-8")
    done = _pytest(folder, module, "-p", "mutation", BABELREG_MUTATION=str(folder / "asked.json"))
    lines = results.read_text("utf-8").splitlines() if results.exists() else []
    quick = {row["change"]: row["noticed"] for row in map(json.loads, lines)}
    if set(quick) != set(names):
        raise SystemExit(f"the tests of {module} in {folder} cannot be run:\n{done.stdout}{done.stderr}")
    return {name: quick[name] or _noticed_alone(folder, module, name) for name in names}


def _noticed_alone(folder: Path, module: str, name: str) -> bool:
    path = folder / "babelreg" / module
    source = path.read_text("utf-8")
    path.write_text(changed(source, name), "utf-8")
    try:
        return _pytest(folder, module, "-x").returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(source, "utf-8")


def _pytest(folder: Path, module: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *options]
    env = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{Path(__file__).parent}", **environment}
    limit = None if environment else SECONDS
    return subprocess.run(
        [*command, mirrored_test(module)],
        cwd=folder, env=env, capture_output=True, text=True, timeout=limit, check=False,
    )  # fmt: skip


def main() -> int:
    """Print each change that no test notices, and how many were noticed; fail where more than 1 % are lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--module", action="append", choices=MODULES, help="only this one (may be repeated)")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="another checkout, with its own tests")
    parser.add_argument("--report", type=Path, help="a JSON line for each change")
    parser.add_argument("--before", metavar="REVISION", help="try the same changes in an earlier revision, too")
    given = parser.parse_args()
    noticed, lost = {"now": 0, "before": 0}, []
    with tempfile.TemporaryDirectory() as now, tempfile.TemporaryDirectory() as then:
        root, before = _copy(given.checkout, "HEAD", Path(now)), None
        if given.before:
            before = _copy(given.checkout, given.before, Path(then))
        wanted = drawn(root, given.count, before, MODULES)
        for module in given.module or dict.fromkeys(module for module, _ in wanted):
            names = [name for of, name in wanted if of == module]
            result = tried(root, module, names)
            earlier = tried(before, former(root, module, before), names) if before else {}
            noticed["now"] += sum(result.values())
            noticed["before"] += sum(earlier.values())
            for name in names:
                if not result[name]:
                    print(f"unnoticed: {module}:{name}", flush=True)
                    lost += [f"{module}:{name}"] if earlier.get(name) else []
            _report(given.report, module, result, earlier)
            print(f"{module}: {sum(result.values())} of {len(names)} now, {sum(earlier.values())} before", flush=True)
        count = len([module for module, _ in wanted if module in (given.module or MODULES)])
    print(f"{noticed['now']} of {count} changes are noticed" + f", {noticed['before']} before" * bool(given.before))
    print(*(f"no longer noticed: {change}" for change in lost), sep="\n")
    return int(len(lost) > count / 100)


def _report(file: Path | None, module: str, result: dict[str, bool], earlier: dict[str, bool]) -> None:
    if file:
        with file.open("a", encoding="utf-8") as report:
            for name, noticed in result.items():
                row = {"module": module, "change": name, "noticed": noticed, "before": earlier.get(name)}
                report.write(json.dumps(row) + "\n")


def _copy(checkout: Path, revision: str, folder: Path) -> Path:
    """Write the tree of a revision into ``folder``."""
    command = ["git", "archive", revision]
    packed = subprocess.run(command, cwd=checkout, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder.resolve()


if __name__ == "__main__":
    raise SystemExit(main())
