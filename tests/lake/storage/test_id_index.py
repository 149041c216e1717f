"""The index of ids from batch to batch, without Spark."""

from __future__ import annotations

import sys
from hashlib import blake2b
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.storage import id_index, id_run
from babelreg.lake.storage.id_index import IdRunFile
from babelreg.lake.storage.log.manifest import SortedFileRecord

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import id_runs

URN = "urn:babel:orders:created"


def _content(data: str) -> bytes:
    return blake2b(f"{URN}\0{data}".encode(), digest_size=16).digest()


def _batch(folder: Path, number: int, rows: dict[str, str]) -> tuple[Path, Path]:
    """The files of one batch: its table, and its new ids as ``duplicates`` writes them."""
    table, new = folder / f"table-{number}.parquet", folder / f"new-{number}.ids"
    names = [*rows, None]  # a message without an id is in the table, not in the index
    data = [*rows.values(), "{}"]
    pq.write_table(pa.table({"urn": [URN] * len(data), "message_id": names, "data_json": data}), table)
    keys, contents = map(id_run.key, rows), map(_content, rows.values())
    id_run.write(new, id_run.IdRecords.of(b"".join(keys), b"".join(contents)))
    return table, new


def _publish(held: tuple[IdRunFile, ...], output: Path, number: int) -> tuple[SortedFileRecord, ...]:
    """What ``batch`` does with the runs, without the renames that make it safe."""
    runs = []
    for n, one in enumerate(held):
        name = one.name or f"{number}-{n}.ids"
        if one.name is None:
            one.path.rename(output / name)
        runs.append(SortedFileRecord(name, one.rows))
    return tuple(runs)


def _known(output: Path, runs: tuple[SortedFileRecord, ...], names: list[str]) -> list[bytes | None]:
    return id_runs.lookup([output / run.file for run in runs], b"".join(map(id_run.key, names)))


@settings(max_examples=12, deadline=None)
@given(
    batches=st.lists(
        st.tuples(st.integers(0, 6), st.sampled_from(["whole", "whole", "whole", "lost", "cut"])), max_size=12
    ),
    tier=st.integers(1, 3),
    held_rows=st.integers(1, 4),
)
def test_after_any_batches_and_any_damage_every_id_is_known(
    batches: list[tuple[int, str]], tier: int, held_rows: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    output = tmp_path_factory.mktemp("index")
    runs, tables, model = (), [], {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_index, "_SMALLEST_TIER_ROWS", tier)
        patch.setattr(id_index, "_RUN_ROWS", held_rows)
        for number, (size, state) in enumerate(batches):
            if runs and state == "lost":
                (output / runs[0].file).unlink()
            if runs and state == "cut":
                (output / runs[-1].file).write_bytes((output / runs[-1].file).read_bytes()[:-1])
            rows = {f"é-{number}-{n}": f'{{"n":{n}}}' for n in range(size)}
            table, new = _batch(output, number, rows)
            held = id_index.prepared(output, runs, tables, output / f"work-{number}")
            runs = _publish(id_index.extended(held, [new], output / f"work-{number}"), output, number)
            tables.append(table)
            model.update(rows)
            assert sum(run.rows for run in runs) == len(model)
            asked = [*model, "another"]
            assert _known(output, runs, asked) == [*(_content(text) for text in model.values()), None]


def test_many_batches_leave_few_runs(tmp_path: Path) -> None:
    runs: tuple[SortedFileRecord, ...] = ()
    written = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_index, "_SMALLEST_TIER_ROWS", 1)
        for number in range(200):
            _, new = _batch(tmp_path, number, {f"{number}": "{}"})
            held = id_index.prepared(tmp_path, runs, [], tmp_path / f"work-{number}")
            before = {run.file for run in runs}
            runs = _publish(id_index.extended(held, [new], tmp_path / f"work-{number}"), tmp_path, number)
            written += sum(run.rows for run in runs if run.file not in before)
            assert len(runs) <= 3 * 4 + 1
    assert written <= 200 * 6  # each id once, and once more for each tier


def test_a_run_that_changed_on_the_disk_is_made_again_when_it_is_merged(tmp_path: Path) -> None:
    runs: tuple[SortedFileRecord, ...] = ()
    tables = []
    for number in range(4):
        table, new = _batch(tmp_path, number, {f"{number}": "{}"})
        tables.append(table)
        runs = (*runs, *_publish(id_index.extended((), [new], tmp_path / f"work-{number}"), tmp_path, number))
    content = bytearray((tmp_path / runs[1].file).read_bytes())
    content[-1] ^= 1
    (tmp_path / runs[1].file).write_bytes(content)
    held = id_index.prepared(tmp_path, runs, tables, tmp_path / "again")
    keys = b"".join(id_run.key(f"{n}") for n in range(4))
    assert id_runs.lookup([one.path for one in held], keys) == [_content("{}")] * 4


def test_when_a_table_is_gone_as_well_the_error_names_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"table-1\.parquet") as raised:
        id_index.prepared(
            tmp_path, [SortedFileRecord("gone.ids", 1)], [tmp_path / "table-1.parquet"], tmp_path / "work"
        )
    assert raised.value.fix
