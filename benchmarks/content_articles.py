"""How well main content is told from what stands beside it: `python -m benchmarks.content_articles FOLDER [--worst N]`.

FOLDER holds ``NAME.source.html.gz`` and ``NAME.expected.html.gz``, the main content. Measured as the public article
extraction benchmark does (github.com/scrapinghub/article-extraction-benchmark): multisets of four words in a row,
precision and recall of each page, their means, and F1 of the means. The title that we write counts against us.
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.reading import body_of, fragment, text_of, tree_of
from rori_spiders.content.convert import convert

if TYPE_CHECKING:
    from collections.abc import Sequence


class Scored(NamedTuple):
    name: str
    way: str
    precision: float
    recall: float


def shingles(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3)))


def scored(source: Path) -> Scored:
    name = source.name.removesuffix(".source.html.gz")
    expected = source.with_name(f"{name}.expected.html.gz")
    page = convert(body_of(source), url="http://fakehost/test/page.html")
    wanted = shingles(text_of(fragment(body_of(expected).decode())))
    given = shingles(text_of(tree_of(page.markdown)))
    right = (wanted & given).total()
    return Scored(name, page.extraction.way, right / max(1, given.total()), right / max(1, wanted.total()))


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(1e-9, precision + recall)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.content_articles", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worst", type=int, default=0, help="list so many of the worst pages")
    given = parser.parse_args(arguments)
    pages = [scored(path) for path in sorted(given.folder.glob("*.source.html.gz"))]
    if not pages:
        parser.error(f"no NAME.source.html.gz in {given.folder}")
    precision = statistics.fmean(page.precision for page in pages)
    recall = statistics.fmean(page.recall for page in pages)
    ways = ", ".join(f"{way} {count}" for way, count in Counter(page.way for page in pages).most_common())
    print(f"{len(pages)} articles: F1 {f1(precision, recall):.4f}, precision {precision:.4f}, recall {recall:.4f}")
    print(f"taken: {ways}")
    for page in sorted(pages, key=lambda page: f1(page.precision, page.recall))[: given.worst]:
        print(f"  {page.name:40} {page.way:12} precision {page.precision:.2f} recall {page.recall:.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
