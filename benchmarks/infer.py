"""Inference on GitHub's webhooks: ``python benchmarks/infer.py FOLDER [SEEDS]``, FOLDER as ``fetch_octokit.py`` fills it.

Events with at least 8 recorded payloads are cut into 4 folds. The schema of three folds, inferred together with all
other events, judges the fourth: its payloads, and mutants of them that the published schemas refuse, with a property
dropped or of another type. A fragment's purity is the share of its places that are of its commonest definition in the
published schemas. Then the whole commands are timed, `babelreg infer` beside `babelreg validate`, on these messages and on
messages of 360 bytes; and the memory of `infer` is compared for a stream of 20 MB and the same one repeated 10 times.
``python benchmarks/infer.py FOLDER 0`` does these alone.

Bars: accepts what it saw 100 %, held-out >= 95 %, notices a dropped required property >= 85 % and a changed type >= 96 %,
purity >= 0.97, CPU <= 1.5x of `validate` on GitHub's messages and <= 2x on those of 360 bytes, 10 GB within 1 GB of memory:
the peak does not grow with the stream.
"""

from __future__ import annotations

import copy
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent), str(ROOT / "tests/shared")]

import octokit  # noqa: E402
from machine import beside  # noqa: E402

from babelreg.analysis.infer.fragments import Fragments, find_fragments  # noqa: E402
from babelreg.analysis.infer.schema import Decisions, SchemaInference  # noqa: E402
from babelreg.analysis.sketch.value_sketch import ObjectSketch, ValueSketch, inferable  # noqa: E402
from babelreg.cli.shared.inference import inference_options  # noqa: E402
from babelreg.contract.views import reader_view  # noqa: E402
from babelreg.schema.dialects import DEFAULT, identify  # noqa: E402

FOLDS, LEAST, MUTANTS = 4, 8, 20
OPTIONS = inference_options()
OTHER = {
    str: [7, True], int: ["x", []], float: ["x"], bool: ["no", 3], dict: ["x", []], list: ["x", {}], type(None): [],
}  # fmt: skip


def main(folder: Path, seeds: int) -> int:
    published = octokit.mended(folder)
    if seeds:
        quality(folder, published, seeds)
    commands(folder, published)
    small_messages()
    return 0


def quality(folder: Path, published: Mapping[str, Any], seeds: int) -> None:
    """Print what the inferred schemas accept and notice."""
    examples = [example for example in octokit.examples(folder) if example.folder == "api.github.com"]
    truth = {urn: validator(schema) for urn, schema in published.items()}
    everything, fragments = inferred(examples)
    seen = sum(everything[example.event].is_valid(example.payload) for example in examples)
    print(f"{len(examples)} payloads of {len(everything)} events, {len(fragments.by_name)} fragments")
    print(f"accepts what it saw      {seen} of {len(examples)}")
    print(f"purity of the fragments  {purity(fragments, examples, published):.3f}")
    counts: Counter[str] = Counter()
    for seed in range(seeds):
        for fold in range(FOLDS):
            judge(examples, truth, seed, fold, counts)
    for name in ("held-out", "dropped", "changed"):
        print(f"{name:24} {100 * counts[name] / counts[f'{name} of']:.1f} % of {counts[f'{name} of']:,}")


def validator(schema: Any) -> Any:
    dialect = identify(schema)
    return dialect.validator_for(reader_view(schema, dialect))


def inferred(examples: Sequence[Any]) -> tuple[dict[str, Any], Fragments]:
    """The validators of the events' schemas, and the fragments."""
    sketches: dict[str, ValueSketch] = {}
    for example in examples:
        sketches.setdefault(example.event, inferable(OPTIONS.detectors)).add(example.payload)
    fragments = find_fragments(sketches)

    def reference_of(members: ObjectSketch) -> str | None:
        fragment = fragments.of(members)
        return f"#/$defs/{fragment.name}" if fragment else None

    inference = SchemaInference(OPTIONS.detectors, OPTIONS.category_of, Decisions(), reference_of)
    definitions = {name: inference.of(fragment.sketch).schema for name, fragment in fragments.by_name.items()}
    schemas = {event: {**inference.of(sketch).schema, "$defs": definitions} for event, sketch in sketches.items()}
    return {event: DEFAULT.validator_for(reader_view(schema, DEFAULT)) for event, schema in schemas.items()}, fragments


def judge(examples: Sequence[Any], truth: Mapping[str, Any], seed: int, fold: int, counts: Counter[str]) -> None:
    """Judge one fold of the events that have enough payloads, and mutants of it."""
    chance = random.Random(f"{seed} {fold}")
    by_event = defaultdict(list)
    for example in examples:
        by_event[example.event].append(example)
    train, held = [], []
    for event, group in by_event.items():
        shuffled = random.Random(f"{seed} {event}").sample(group, len(group))
        for number, example in enumerate(shuffled):
            (held if len(group) >= LEAST and number % FOLDS == fold else train).append(example)
    schemas, _ = inferred(train)
    for example in held:
        own, real = schemas[example.event], truth.get(example.urn)
        counts["held-out of"] += 1
        counts["held-out"] += own.is_valid(example.payload)
        if real is None:
            continue
        for name, mutants in (
            ("dropped", dropped(example.payload, chance)),
            ("changed", changed(example.payload, chance)),
        ):
            told = 0
            for mutant in mutants:
                if told == MUTANTS:
                    break
                if not real.is_valid(mutant):
                    told += 1
                    counts[f"{name} of"] += 1
                    counts[name] += not own.is_valid(mutant)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in items:
        if isinstance(value, dict):
            yield (*path, step)
        yield from places(below, (*path, step))


def dropped(payload: Any, chance: random.Random) -> Iterator[Any]:
    for path in shuffled_places(payload, chance):
        mutant = copy.deepcopy(payload)
        del holder(mutant, path)[path[-1]]
        yield mutant


def changed(payload: Any, chance: random.Random) -> Iterator[Any]:
    for path in shuffled_places(payload, chance):
        mutant = copy.deepcopy(payload)
        others = OTHER[type(holder(mutant, path)[path[-1]])]
        if others:
            holder(mutant, path)[path[-1]] = chance.choice(others)
            yield mutant


def shuffled_places(payload: Any, chance: random.Random) -> list[tuple[Any, ...]]:
    found = list(places(payload))
    chance.shuffle(found)
    return found


def holder(value: Any, path: Sequence[Any]) -> Any:
    for step in path[:-1]:
        value = value[step]
    return value


def purity(fragments: Fragments, examples: Sequence[Any], published: Mapping[str, Any]) -> float:
    """The share of places that are of the commonest definition of their fragment, of all whose definition is known."""
    urns = defaultdict(set)
    for example in examples:
        urns[example.event].add(example.urn)
    right = known = 0
    for fragment in fragments.by_name.values():
        names: Counter[str] = Counter()
        for place in fragment.places:
            found = {definition(published[urn], place.names) for urn in urns[place.message]} - {None}
            if found:
                names[min(map(str, found))] += 1
        right += max(names.values(), default=0)
        known += sum(names.values())
    return right / known


def definition(schema: Any, names: Sequence[str]) -> str | None:
    """The definition that describes the objects at ``names``, None where it is not found."""
    nodes, reference = [schema], None
    for name in names:
        below = []
        for node in expanded(nodes, schema):
            if name == "[]":
                below.append(node.get("items"))
            else:
                below.append(node.get("properties", {}).get(name, node.get("additionalProperties")))
        nodes = [node for node in below if isinstance(node, dict)]
    for node in expanded(nodes, schema, follow=False):
        reference = node.get("$ref") or reference
    return reference


def expanded(nodes: Sequence[Any], root: Any, *, follow: bool = True) -> Iterator[Any]:
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield node
        if follow and "$ref" in node:
            waiting.append(root["definitions"][node["$ref"].removeprefix("#/definitions/")])
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += node.get(keyword, [])


def commands(folder: Path, published: Mapping[str, Any]) -> None:
    """Time `infer` and `validate` as whole commands on the same messages."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        lines = [octokit.envelope(number, example) for number, example in enumerate([*octokit.examples(folder)] * 4)]
        (home / "messages.jsonl").write_bytes(b"\n".join(lines))
        github = home / "declared/github"
        github.mkdir(parents=True)
        (home / "declared/babelreg.yaml").write_text("version: 1\n")
        (github / "_context.yaml").write_text("owner: team-github\n")
        for urn, schema in published.items():
            data = {keyword: value for keyword, value in schema.items() if keyword != "$id"}
            (github / f"{urn.rpartition(':')[2]}.yaml").write_text(
                json.dumps({"urn": urn, "kind": "event", "data": data})
            )
        compare(home, f"{len(lines)} messages")


def compare(home: Path, what: str) -> None:
    """Time `infer` into an empty registry and `validate` by the registry ``declared``, in turns."""
    seconds = defaultdict(list)
    (home / "empty").mkdir()
    (home / "empty/babelreg.yaml").write_text("version: 1\n")
    for _ in range(3):
        arguments = ("messages.jsonl", "--owner", "t", "--registry", "empty", "--dry-run")
        seconds["infer"].append(cpu("infer", *arguments, home=home))
        seconds["validate"].append(cpu("validate", "messages.jsonl", "--registry", "declared", home=home))
    infer, validate = min(seconds["infer"]), min(seconds["validate"])
    print(f"infer / validate         {infer / validate:.2f}x CPU, {what}; {beside(infer, processor=True)}")


def small_messages() -> None:
    """Time both commands on messages of 360 bytes, and measure the memory of `infer` on a stream of them."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        chance = random.Random(1)
        block = b"".join(small_message(number, chance) for number in range(60_000))
        (home / "messages.jsonl").write_bytes(block)
        (home / "declared").mkdir()
        (home / "declared/babelreg.yaml").write_text("version: 1\n")
        cpu("infer", "messages.jsonl", "--owner", "t", "--registry", "declared", home=home)
        compare(home, f"messages of {len(block) // 60_000} bytes")
        once, often = (peak_megabytes(block, times, home) for times in (1, 10))
        megabytes = len(block) / 1e6
        print(f"memory of a stream       {once} MB for {megabytes:.0f} MB, {often} MB for {10 * megabytes:.0f} MB")


def small_message(number: int, chance: random.Random) -> bytes:
    data = {
        "order_id": number,
        "status": chance.choice(["new", "paid", "shipped"]),
        "total": {"minor": chance.randrange(10**6), "currency": chance.choice(["EUR", "USD"])},
        "customer": f"c-{chance.randrange(10**7)}",
        "placed_at": f"2026-11-20T09:30:{number % 60:02}Z",
        "lines": [{"sku": f"S{chance.randrange(999)}", "qty": 1}],
    }
    meta = {"id": f"m-{number:08}", "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1795000000000}
    message = {"job": "urn:babel:orders:created", "trace_id": "0b54f1a6-6a0e-4d0f", "attempts": 0}
    return json.dumps({**message, "data": data, "meta": meta}, separators=(",", ":")).encode() + b"\n"


def peak_megabytes(block: bytes, times: int, home: Path) -> int:
    """The peak memory of `infer` on standard input with ``times`` blocks."""
    script = (
        "import resource, sys\nfrom babelreg.cli import main\n"
        "try:\n    main(['infer', '-', '--registry', 'declared', '--dry-run', '-q'])\n"
        "finally:\n    print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
    )
    env = {"PYTHONPATH": str(ROOT), "PATH": ""}
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=home, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(times):
            process.stdin.write(block)
        process.stdin.close()
        return int(process.stdout.read().split(b"peak ")[1])


def cpu(*arguments: str, home: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "babelreg", *arguments]
    subprocess.run(command, cwd=home, check=True, capture_output=True, env={"PYTHONPATH": str(ROOT), "PATH": ""})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10))
