"""CPU time of ``babelreg breaking`` on plain schemas: ``python benchmarks/schema_gate.py [N] [RUNS]``.

N draft-07 schemas with references to three shared files, one in ten changed since the commit. Beside it stand, by turns
and as whole processes, the import of both revisions into a registry and ``babelreg breaking`` there: what the same
verdicts cost without it. The bar is 1.2 times the import of the present revision and ``breaking``.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import import_
import machine


def cpu_seconds(command: list[str], *codes: int) -> float:
    """The CPU time of one whole process with its children, which ends with one of ``codes``."""
    before = os.times()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"{command[:3]}: exit {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def git(folder: Path, *arguments: str) -> None:
    """Run git as somebody."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def change(sources: Path) -> None:
    """Let one schema in ten take fewer values."""
    for path in sorted(sources.rglob("*-*.json"))[::10]:
        path.write_text(path.read_text().replace('"maxLength": 40', '"maxLength": 30'))


def main(schemas: int, runs: int) -> None:
    """Print the medians and their ratio."""
    print(machine.described())
    with tempfile.TemporaryDirectory(prefix="babelreg-gate-") as temporary:
        top = Path(temporary)
        sources, registry, published = top / "sources", top / "registry", top / "published"
        import_.write(sources, schemas)
        registry.mkdir()
        (registry / "babelreg.yaml").write_text("version: 1\n")
        babelreg = str(import_.BABELREG)
        importing = [babelreg, "import", "jsonschema", str(sources), "--registry", str(registry), "--owner", "team"]
        cpu_seconds(importing, 0)
        git(top, "init", "-q", "-b", "main")
        git(top, "add", "-A")
        git(top, "commit", "-q", "-m", "one")
        shutil.copytree(registry, published)
        change(sources)
        gate = [babelreg, "breaking", str(sources), "--against", "HEAD"]
        breaking = [babelreg, "breaking", "--registry", str(registry), "--against", "HEAD", "--no-cache"]
        taken: dict[str, list[float]] = {"gate": [], "import": [], "breaking": []}
        for _ in range(runs):
            shutil.rmtree(registry)
            shutil.copytree(published, registry)
            taken["gate"].append(cpu_seconds(gate, 1))
            taken["import"].append(cpu_seconds(importing, 0))
            taken["breaking"].append(cpu_seconds(breaking, 1))
        ratios = [gate / (a + b) for gate, a, b in zip(*taken.values(), strict=True)]
        for name, times in taken.items():
            print(f"{name:10} {statistics.median(times):6.2f} CPU s {machine.beside(statistics.median(times))}")
        print(f"gate / (import + breaking): {statistics.median(ratios):.2f} (bar 1.20)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
