"""Lies and honest cleanings told over real pages, and what the guards say: `python -m benchmarks.guards [FOLDER]`.

    .venv/bin/python -m benchmarks.guards                       # the pages of the tests
    .venv/bin/python -m benchmarks.guards FOLDER --seed 7       # HTML files (.html, .html.gz) in FOLDER

Tells how many of the lies were refused, by their operators, and how many of the honest cleanings passed; names each
that went wrong. Ends with 1 when a lie passed, or fewer than 95 in 100 honest ones did.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.content.convert import convert
from rori_spiders.corpus.guards.judgement import judge_cleaned_text
from rori_spiders.exceptions import ConversionError
from tests.corpus.guards.adversaries import lies
from tests.corpus.guards.honest import cleanings
from tests.corpus.guards.pages import Page, pages

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 60_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge them all; print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--lies", type=int, default=1000, metavar="N")
    parser.add_argument("--honest", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--half", type=int, choices=(1, 2), help="only every second page, from the first or the second on"
    )
    given = parser.parse_args(arguments)
    over = _read(given.folder) if given.folder else pages()
    over = over[given.half - 1 :: 2] if given.half else over
    print(f"{len(over)} pages, {sum(len(page.body) for page in over)} characters")
    passed = _lied(over, given.lies, given.seed)
    refused = _told(over, given.honest, given.seed)
    return int(passed > 0 or refused > given.honest * 0.05)


def _read(folder: Path) -> Sequence[Page]:
    found = []
    for path in sorted(folder.glob("*.html*")):
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        url = f"https://www.example.gov/{path.name}"
        try:
            page = convert(body, url=url, content_type="text/html; charset=utf-8")
        except ConversionError:
            continue
        if 200 < len(page.markdown) < _LONGEST:
            found.append(Page(path.name, page.markdown, page.metadata.title, url))
    return found


def _lied(over: Sequence[Page], count: int, seed: int) -> int:
    passed: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    began = time.perf_counter()
    for name, page, text in lies(over, count, seed):
        judgement = judge_cleaned_text(page.body, text, title=page.title, source_url=page.url)
        if judgement.passed:
            passed[name] += 1
            print(f"a lie passed: {name} over {page.name}; removed: {[one.quote[:80] for one in judgement.removed]}")
        else:
            codes[judgement.refusals[0].code] += 1
    took = time.perf_counter() - began
    print(f"{count - passed.total()} of {count} lies refused, {1000 * took / max(count, 1):.0f} ms each: {dict(codes)}")
    return passed.total()


def _told(over: Sequence[Page], count: int, seed: int) -> int:
    refused: Counter[str] = Counter()
    for name, page, pair in cleanings(over, count, seed):
        judgement = judge_cleaned_text(pair.draft, pair.cleaned, title=page.title, source_url=page.url)
        if not judgement.passed:
            refused[name] += 1
            why = [(one.code, one.says, one.draft and one.draft.quote[:80]) for one in judgement.refusals[:2]]
            print(f"refused: {name} over {page.name}: {why}")
    print(f"{count - refused.total()} of {count} honest cleanings passed: {dict(refused)} refused")
    return refused.total()


if __name__ == "__main__":
    raise SystemExit(main())
