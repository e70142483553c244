"""How often verdicts of each confidence are right: `python -m benchmarks.verdict_confidence PAGES BLOCKED UNSEEN`.

PAGES are folders of real pages that are all content, BLOCKED a folder of captured refusals with an ``index.tsv`` (as
`benchmarks.verdicts` reads it), UNSEEN that of `benchmarks.unseen.packages`, of which both halves count; nothing but
totals is printed. Every page is judged with status 200 and without history, the hard case. A verdict is right where
what it claims, content or not, is so; a page that is held for a person claims nothing.
"""

from __future__ import annotations

import argparse
import gzip
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.templates import shells, walls
from benchmarks.unseen import verdicts as unseen
from benchmarks.verdict_labels import is_good
from benchmarks.verdict_templates import judged
from benchmarks.verdicts import pages
from rori_spiders.content.encoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.templates.walls import Row

_FLOORS = (0.95, 0.85, 0.75, 0.65, 0.0)


def labelled(real: list[Path], blocked: Path, packages: Path) -> Iterator[tuple[bool, str]]:
    """Whether a page is content, and its HTML."""
    for folder in real:
        for path in sorted(folder.rglob("*.htm*")):
            if ".expected." in path.name:
                continue
            body = path.read_bytes()
            yield True, decode(gzip.decompress(body) if path.suffix == ".gz" else body, None).text
    for one in pages(blocked):
        yield is_good(one.label), decode(one.body, one.headers.get("content-type")).text
    rows: list[Row] = [*walls.DEVELOPMENT_WALLS, *walls.DEVELOPMENT_INNOCENT]
    for row in rows:
        yield from ((not row.kind, shell(row.title, row.main).html) for shell in shells.DEVELOPMENT)
    for names in (unseen.DEVELOPMENT_WALLS, unseen.SEALED_WALLS):
        yield from ((False, page) for _, _, page in unseen.walls(packages, names))
    for manuals in (unseen.DEVELOPMENT_MANUALS, unseen.SEALED_MANUALS):
        yield from ((True, page) for _, page in unseen.manuals(packages, manuals))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path, nargs="+", help="folders of real pages, then BLOCKED, then UNSEEN")
    *real, blocked, packages = parser.parse_args().pages
    total: Counter[tuple[str, float]] = Counter()
    right: Counter[tuple[str, float]] = Counter()
    held: Counter[bool] = Counter()
    for is_content, html in labelled(real, blocked, packages):
        verdict = judged(html)
        if verdict.is_doubtful:
            held[is_content] += 1
            continue
        claim = "content" if verdict.is_content else "wall"
        floor = next(floor for floor in _FLOORS if verdict.confidence >= floor)
        total[claim, floor] += 1
        right[claim, floor] += verdict.is_content == is_content
    print("| claim | confidence | pages | right | share |\n|---|---|---|---|---|")
    for claim, floor in sorted(total, key=lambda key: (key[0], -key[1])):
        pages_of, right_of = total[claim, floor], right[claim, floor]
        print(f"| {claim} | from {floor} | {pages_of} | {right_of} | {right_of / pages_of:.3f} |")
    print(f"held for a person: {held[True]} of content, {held[False]} walls")


if __name__ == "__main__":
    main()
