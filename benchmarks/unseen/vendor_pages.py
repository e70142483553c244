"""Verdicts on pages in the shape of vendors' own: `python -m benchmarks.unseen.vendor_pages [--sealed] [--real PAGES]`.

`benchmarks.templates.vendors` has the pages, split by vendor and by wording. ``--real`` adds the pages below a folder
of real pages that are all content, split by site: each that is called a wall, or is held, is a false alarm. ``-v``
names the pages of the development half; of the sealed half only totals are printed.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.templates import vendors
from benchmarks.verdict_templates import judged

if TYPE_CHECKING:
    from collections.abc import Iterator

_SITE = re.compile(r"[^-_.]+(?:[-_]+[^-_.]+)?")


def real_pages(root: Path, *, sealed: bool) -> Iterator[tuple[str, str]]:
    """Names and texts of one half of the real pages, by site."""
    for path in sorted(root.rglob("*.html*")):
        if "block-pages" in path.parts or ".expected." in path.name:
            continue
        found = _SITE.match(path.name)
        if found is None or bool(sha256(found[0].encode()).digest()[0] % 2) is not sealed:
            continue
        body = path.read_bytes()
        yield path.name, (gzip.decompress(body) if path.suffix == ".gz" else body).decode("utf-8", "replace")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("--real", type=Path, help="a folder of real pages")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    walls, innocent = (
        (vendors.SEALED_WALLS, vendors.SEALED_INNOCENT)
        if options.sealed
        else ((*vendors.DEVELOPMENT_WALLS, *vendors.WIDER_WALLS), vendors.DEVELOPMENT_INNOCENT)
    )
    total: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    held: Counter[str] = Counter()
    pages = [(page.kind or "innocent", page.name, page.html) for page in vendors.pages((*walls, *innocent))]
    pages += [("real", *page) for page in real_pages(options.real, sealed=options.sealed)] if options.real else []
    for kind, name, html in pages:
        verdict = judged(html)
        is_wall, is_held = not verdict.is_content and not verdict.is_doubtful, verdict.is_doubtful
        total[kind] += 1
        refused[kind] += is_wall
        held[kind] += is_held
        if options.verbose and not options.sealed and (is_held or is_wall == (kind in {"innocent", "real"})):
            print(f"{kind}: {name}: {verdict.kind} {verdict.rules}")
    for kind in sorted(total):
        share = refused[kind] / total[kind]
        print(f"{kind:12} {total[kind]:4} pages, {refused[kind]:4} not content ({share:.3f}), {held[kind]} held")


if __name__ == "__main__":
    main()
