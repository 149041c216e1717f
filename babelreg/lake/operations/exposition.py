"""Prometheus' text format: metric families to lines, and the samples of such a file back.

Source: prometheus.io, "Exposition formats", text-based format 0.0.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

LabelledValues = Iterable[tuple[Mapping[str, str], float]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of a family, with its labels."""

    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """One metric: counters end in ``_total``, gauges do not."""

    name: str
    type: Literal["counter", "gauge"]
    help: str
    samples: tuple[Sample, ...]

    def labelled(self, prefix: str, labels: Mapping[str, str]) -> MetricFamily:
        """Return the family with a longer name, and with ``labels`` before those of each sample."""
        samples = tuple(Sample({**labels, **sample.labels}, sample.value) for sample in self.samples)
        return MetricFamily(f"{prefix}{self.name}", self.type, self.help, samples)


def family(
    name: str, help_: str, values: LabelledValues | float, type_: Literal["counter", "gauge"] = "gauge"
) -> MetricFamily:
    """Return a family with a sample for each of ``values``, or with one sample without labels."""
    listed = [({}, values)] if isinstance(values, (int, float)) else values
    return MetricFamily(name, type_, help_, tuple(Sample(labels, value) for labels, value in listed))


def exposition(families: Iterable[MetricFamily]) -> str:
    """Return the text of the families that have a sample."""
    lines: list[str] = []
    for metric in families:
        if metric.samples:
            lines += [f"# HELP {metric.name} {_escaped_help(metric.help)}", f"# TYPE {metric.name} {metric.type}"]
            lines += [f"{metric.name}{_labels(sample.labels)} {_number(sample.value)}" for sample in metric.samples]
    return "".join(f"{line}\n" for line in lines)


def _labels(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _escaped_help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.3f}"


_LINE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)*)\})? ([0-9.]+)\Z')
_LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")


def samples(text: str) -> dict[str, list[Sample]]:
    """Return the samples in ``text`` by metric; lines that :func:`exposition` does not write are left out."""
    by_name: dict[str, list[Sample]] = {}
    for line in text.split("\n"):
        if (matched := _LINE.match(line)) and matched[3].replace(".", "", 1).isdigit():
            labels = {name: _ESCAPE.sub(_character, value) for name, value in _LABEL.findall(matched[2] or "")}
            by_name.setdefault(matched[1], []).append(Sample(labels, float(matched[3])))
    return by_name


def _character(escape: re.Match[str]) -> str:
    return "\n" if escape[1] == "n" else escape[1]
