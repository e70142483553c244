"""Real edits of real pages, and what they are called: `python -m benchmarks.change_kinds FOLDER [--sealed]`.

Each page of FOLDER is converted, and each kind of edit is made in its text once, where the page has a place for it. An
edit is found where the comparison is not empty, and named where its kind is that of the edit. Pages are split by site
(what stands before the first ``__`` or ``-`` of their names); ``-v`` lists what was named otherwise.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from benchmarks.reading import body_of
from rori_spiders.comparison.change_description import kind_of_changes
from rori_spiders.content.changes.compare import compare
from rori_spiders.content.convert import convert
from rori_spiders.exceptions import ConversionError

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN = re.compile(r"[A-Z][A-Za-z0-9 ,.;:'()-]{60,}")


def _line(lines: list[str], dice: random.Random, pattern: str) -> int | None:
    at = [i for i, line in enumerate(lines) if _PLAIN.fullmatch(line) and re.search(pattern, line)]
    return dice.choice(at) if at else None


def digit(lines: list[str], dice: random.Random) -> list[str] | None:
    at = _line(lines, dice, r"(?<![\d.,/:-])\b\d{2,3}\b(?![\d.,/:-])")
    if at is None:
        return None
    changed = re.sub(
        r"(?<![\d.,/:-])\b(\d)(\d{1,2})\b(?![\d.,/:-])", lambda m: str(int(m[1]) % 9 + 1) + m[2], lines[at], count=1
    )
    return [*lines[:at], changed, *lines[at + 1 :]]


def negation(lines: list[str], dice: random.Random) -> list[str] | None:
    at = _line(lines, dice, r" (?:may|must|is|are|will) ")
    if at is None:
        return None
    return [*lines[:at], re.sub(r" (may|must|is|are|will) ", r" \1 not ", lines[at], count=1), *lines[at + 1 :]]


def cell(lines: list[str], dice: random.Random) -> list[str] | None:
    at = [i for i, line in enumerate(lines) if re.fullmatch(r"\|(?: [\w ,.$%-]+ \|){2,}", line) and "---" not in line]
    at = [i for i in at if i > 1 and lines[i - 1].startswith("|")]
    if not at:
        return None
    i = dice.choice(at)
    cells = lines[i].split(" | ")
    cells[-1] = "Withdrawn |"
    return [*lines[:i], " | ".join(cells), *lines[i + 1 :]]


def moved(lines: list[str], dice: random.Random) -> list[str] | None:
    at = [i for i, line in enumerate(lines) if _PLAIN.fullmatch(line) and lines.count(line) == 1]
    if len(at) < 6:
        return None
    i, j = at[1], at[-1]
    rest = [*lines[: j + 1], "", lines[i], *lines[j + 1 :]]
    return [*rest[:i], *rest[i + 2 :]]


def renumbered(lines: list[str], dice: random.Random) -> list[str] | None:
    at = [i for i, line in enumerate(lines) if _PLAIN.fullmatch(line)]
    if len(at) < 6:
        return None
    first = dice.randrange(len(at) - 3)
    out = list(lines)
    for letter, i in zip("abc", at[first : first + 3], strict=True):
        out[i] = f"({letter}) {lines[i]}"
    return out


def relabelled(lines: list[str]) -> list[str]:
    return [re.sub(r"^\(([abc])\) (?=[A-Z])", lambda m: f"({chr(ord(m[1]) + 1)}) ", line) for line in lines]


def replaced(lines: list[str], dice: random.Random) -> list[str] | None:
    words = (
        "alpha",
        "bravo",
        "delta",
        "echo",
        "golf",
        "hotel",
        "india",
        "juliet",
        "kilo",
        "lima",
        "oscar",
        "papa",
        "romeo",
    )
    return ["# Notice", "", *(" ".join(dice.choices(words, k=40)).capitalize() + "." for _ in range(12))]


EDITS: dict[str, tuple[Callable[[list[str], random.Random], list[str] | None], str]] = {
    "digit": (digit, "number"), "not": (negation, "text"), "cell": (cell, "table"), "moved": (moved, "moved"),
    "renumbered": (renumbered, "renumbered"), "replaced": (replaced, "replaced"),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    dice = random.Random(3)  # noqa: S311  # the same edits each time
    tried, found, named = Counter[str](), Counter[str](), Counter[str]()
    for path in sorted(options.folder.glob("*.htm*")):
        site = re.split(r"__|-", path.name)[0] + path.name.partition("__")[0]
        if (crc32(site.encode()) % 2 == 1) is not options.sealed:
            continue
        try:
            lines = convert(body_of(path), url="https://www.example.gov/page").markdown.split("\n")
        except ConversionError:
            continue
        for name, (edit, kind) in EDITS.items():
            after = edit(lines, dice)
            if after is None:
                continue
            before, after = (after, relabelled(after)) if name == "renumbered" else (lines, after)
            old, new = "\n".join(before), "\n".join(after)
            difference = compare(old, new)
            changes = [change for section in difference.sections for change in section.changes]
            words = len(old.split())
            removed = sum(len(text.split()) for change in changes for op, text in change.words if op == "-")
            got = kind_of_changes(changes, words_left=words - removed, words_before=words) if changes else "none"
            tried[name] += 1
            found[name] += not difference.is_empty
            named[name] += got == kind
            if options.verbose and not options.sealed and got != kind:
                print(f"{path.name}: {name} called {got}")
    for name in tried:
        share = named[name] / tried[name]
        print(f"{name:11} {tried[name]:4} edits, {found[name]:4} found, {named[name]:4} named ({share:.3f})")


if __name__ == "__main__":
    main()
