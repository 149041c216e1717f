"""YAML as people, editors and programs write it: every style, comments and blank lines wherever YAML lets them stand."""

from __future__ import annotations

import json
import random

WORDS = [
    "a",
    "order",
    "naïve",
    "état",
    "数量",
    "no",
    "On",
    "2027-01-01",
    "12:30:00",
    "1_000",
    "0x1F",
    "1e3",
    "~x",
    "-x",
    "x#y",
]
KEYS = [
    "type",
    "properties",
    "required",
    "description",
    "items",
    "enum",
    "urn",
    "kind",
    "data",
    "examples",
    "x-a",
    "y",
    "1",
    "null",
]
PLAIN = [
    "x",
    "two words",
    "it's",
    "a:b",
    "https://a.b/c",
    "true",
    "null",
    "1",
    "1.50",
    "-0.0",
    "No",
    "2027-01-01",
    "ünïcode",
    "a, b",
]
TEXTS = [
    "",
    "x",
    "no",
    "a: b",
    "# no comment",
    "it's",
    'say "x"',
    "tab\there",
    "line\nbreak",
    " lead",
    "trail ",
    "é\u00a0",
    "back\\slash",
    "12:30",
    "{",
    "[x]",
    "long " * 40,
]
BLOCKS = ["x", "# no comment", "  deeper", "", "a: b", "- c", "trail  ", "\ttab", "é"]


class Text:
    """One document, written down by chance."""

    def __init__(self, chance: random.Random, role: str = "any") -> None:
        self.chance = chance
        self.lines: list[str] = []
        self.left = 40  # nodes that may still be written

    def document(self) -> str:
        self.between(0)
        if self.chance.random() < 0.1:
            self.lines.append("---" + self.trail())
            self.between(0)
        kind = self.chance.random()
        if kind < 0.8:
            self.mapping(0, first=None)
        elif kind < 0.9:
            self.sequence(0, first=None)
        else:
            self.lines.append(self.flow(2) + self.trail())
        self.between(0)
        text = "\n".join(self.lines)
        end = self.chance.random()
        text = text if end < 0.2 else text + "\n" * self.chance.randint(1, 3)
        return text.replace("\n", "\r\n") if self.chance.random() < 0.2 else text

    def maybe(self, share: float) -> bool:
        return self.chance.random() < share

    def pick(self, choices):
        return self.chance.choice(choices)

    def trail(self) -> str:
        return (
            f"{' ' * self.chance.randint(1, 3)}#{self.pick([' why', 'x', ' a: b', ' é', '', ' # '])} {len(self.lines)}"
            if self.maybe(0.15)
            else "  " * self.maybe(0.05)
        )

    def between(self, indent: int) -> None:
        """Comments and blank lines before something."""
        while self.maybe(0.2):
            at = indent if self.maybe(0.8) else self.chance.randint(0, indent + 3)
            self.lines.append(
                self.pick(["", "", "   ", f"{' ' * at}# note {len(self.lines)}", f"{' ' * at}#- x: {len(self.lines)}"])
            )

    def value(self, prefix: str, indent: int, step: int) -> None:
        """``prefix`` ends in a colon or dash; what follows may be indented from ``indent`` + 1 on."""
        self.left -= 1
        kind = self.chance.random() if self.left > 0 else 0.0
        if kind < 0.45:
            self.lines.append(f"{prefix} {self.scalar()}".rstrip() + self.trail())
        elif kind < 0.5:
            self.lines.append(prefix + self.trail())
            self.between(indent + step)
            self.lines.append(" " * (indent + step) + (self.scalar() or "x") + self.trail())
        elif kind < 0.55:
            self.lines.append(prefix + self.trail())
        elif kind < 0.63:
            self.several(prefix, indent + step)
        elif kind < 0.7:
            self.block_scalar(prefix, indent)
        elif kind < 0.78:
            self.lines.append(f"{prefix} {self.flow(2)}" + self.trail())
        elif kind < 0.84:
            self.open_flow(prefix, indent + step)
        elif kind < 0.93:
            self.lines.append(prefix + self.trail())
            self.mapping(indent + step, first=None)
        else:
            self.lines.append(prefix + self.trail())
            self.sequence(indent + (0 if prefix.endswith(":") and self.maybe(0.3) else step), first=None)

    def mapping(self, indent: int, first: str | None) -> None:
        keys = self.chance.sample(KEYS, self.chance.randint(1, 4 if indent else 8))
        for number, key in enumerate(keys):
            if first is None or number:
                self.between(indent)
            lead = first if first is not None and not number else " " * indent
            self.value(f"{lead}{self.key(key)}:", indent, self.pick([2, 2, 4, 3]))

    def key(self, key: str) -> str:
        return self.pick([key, key, json.dumps(key), f"'{key}'"])

    def sequence(self, indent: int, first: str | None) -> None:
        for number in range(self.chance.randint(1, 3)):
            if first is None or number:
                self.between(indent)
            lead = first if first is not None and not number else " " * indent
            inner = self.pick([1, 1, 1, 3])
            kind = self.chance.random()
            self.left -= 1
            if kind < 0.3 and self.left > 0:
                self.mapping(indent + 1 + inner, first=f"{lead}-{' ' * inner}")
            elif kind < 0.35 and self.left > 0:
                self.sequence(indent + 1 + inner, first=f"{lead}-{' ' * inner}")
            else:
                self.value(f"{lead}-", indent, 2)

    def scalar(self) -> str:
        kind = self.chance.random()
        if kind < 0.6:
            return self.pick(PLAIN + WORDS)
        text = self.pick(TEXTS)
        if kind < 0.8 and not set(text) & set("\n\t"):
            return "'" + text.replace("'", "''") + "'"
        return json.dumps(text, ensure_ascii=self.maybe(0.5))

    def several(self, prefix: str, indent: int) -> None:
        """A scalar over several lines."""
        quote = self.pick(["", '"', "'"])
        lines = [self.pick(["one", "two words", "é"]) for _ in range(self.chance.randint(2, 3))]
        if quote == '"' and self.maybe(0.4):
            lines[0] += self.pick(["\\", " \\", "\\ ", "\\t", "  "])
        lead = prefix if self.maybe(0.7) else self.lines.append(prefix + self.trail()) or " " * (indent - 1)
        self.lines.append(f"{lead} {quote}{lines[0]}")
        for number, line in enumerate(lines[1:]):
            if self.maybe(0.2):
                self.lines.append(self.pick(["", "  "]))
            end = quote if number == len(lines) - 2 else ""
            self.lines.append(" " * (indent + self.chance.randint(0, 3)) + line + end)
        self.lines[-1] += self.trail()

    def block_scalar(self, prefix: str, indent: int) -> None:
        digit = self.pick(["", "", "", "2"])
        more = 2 if digit else self.pick([1, 2, 4])
        self.lines.append(f"{prefix} {self.pick('|>')}{self.pick(['', '-', '+'])}{digit}{self.trail()}")
        body = [self.pick(BLOCKS) for _ in range(self.chance.randint(0, 4))]
        if body and not digit:
            body[0] = "first"
        for line in body:
            self.lines.append(" " * (indent + more) + line if line or self.maybe(0.3) else "")

    def flow(self, depth: int) -> str:
        self.left -= 1
        kind = self.chance.random()
        if depth == 0 or kind < 0.3 or self.left < 0:
            return self.pick(
                [
                    "x",
                    "no",
                    "1",
                    "null",
                    "two words",
                    '"a, b"',
                    "'it''s'",
                    "https://a.b",
                    "é",
                    "-1.5",
                    '"' + "long " * 25 + '"',
                ]
            )
        items = [self.flow(depth - 1) for _ in range(self.chance.randint(0, 4))]
        gap = self.pick(["", " ", "  "])
        if kind < 0.6:
            return "[" + gap + f",{gap or ' '}".join(items) + gap + "]"
        keys = self.chance.sample(KEYS, len(items))
        return (
            "{"
            + gap
            + f",{gap or ' '}".join(f"{self.key(k)}: {v}" for k, v in zip(keys, items, strict=True))
            + gap
            + "}"
        )

    def open_flow(self, prefix: str, indent: int) -> None:
        """Brackets over several lines, with comments between."""
        is_map = self.maybe(0.5)
        self.lines.append(f"{prefix} {'{' if is_map else '['}{self.trail()}")
        keys = self.chance.sample(KEYS, self.chance.randint(0, 3))
        for number, key in enumerate(keys):
            self.between(indent)
            comma = "," if number < len(keys) - 1 or self.maybe(0.3) else ""
            name = f"{self.key(key)}: " if is_map else ""
            self.lines.append(f"{' ' * indent}{name}{self.flow(1)}{comma}{self.trail()}")
        self.between(indent)
        self.lines.append(" " * indent + ("}" if is_map else "]") + self.trail())
