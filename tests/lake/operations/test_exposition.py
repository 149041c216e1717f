"""Prometheus' text format: what is written is read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from babelreg.lake.operations.exposition import MetricFamily, Sample, exposition, samples

NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
LABELS = st.dictionaries(NAMES, st.text(max_size=12), max_size=3)
FAMILIES = st.builds(
    MetricFamily,
    NAMES,
    st.sampled_from(["counter", "gauge"]),
    st.text(max_size=20).map(lambda text: text.replace("\r", " ")),
    st.lists(st.builds(Sample, LABELS, st.integers(0, 10**15)), min_size=1, max_size=4).map(tuple),
)


@given(st.lists(FAMILIES, max_size=4, unique_by=lambda family: family.name))
def test_samples_are_read_back_whatever_their_labels_hold(families: list[MetricFamily]) -> None:
    text = exposition(families)
    assert samples(text) == {family.name: list(family.samples) for family in families}
    assert all(line.startswith(("# HELP ", "# TYPE ")) or " " in line for line in text.split("\n")[:-1])


def test_a_family_has_its_help_and_type_before_its_samples() -> None:
    family = MetricFamily(
        "babelreg_x_total", "counter", "Back\\slash.", (Sample({"lake": 'a"b\\c\nd'}, 2), Sample({}, 0.5))
    )
    assert exposition([family, MetricFamily("babelreg_none", "gauge", "No sample.", ())]).splitlines() == [
        "# HELP babelreg_x_total Back\\\\slash.",
        "# TYPE babelreg_x_total counter",
        'babelreg_x_total{lake="a\\"b\\\\c\\nd"} 2',
        "babelreg_x_total 0.500",
    ]


def test_lines_of_others_are_left_out() -> None:
    assert samples('up 1\nbroken{a=} 2\nnot_a_number NaN\nx{a="b"} 3 1700000000\n\x00') == {"up": [Sample({}, 1.0)]}
