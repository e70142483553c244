"""Conversion of pages made by template: `python -m benchmarks.structure_templates [--sealed] [--pages N]`.

Each page has the surroundings of one system and six parts, all labelled by construction. Scored as
`benchmarks.content_labels` scores labelled pages, and the alternative texts of figures, states of boxes, and notes to
which their marks lead and back. ``--layouts``: 30 pages in `templates.layouts` instead, ``--agencies``: 60 in
`templates.agencies`. ``-v`` names what the pages of the development half miss; of the sealed half only totals are
printed.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
from collections import Counter
from dataclasses import asdict
from typing import Any

from benchmarks.content_labels import found, read, scores
from benchmarks.templates import agencies, layouts, shells, structure
from benchmarks.templates.structure import Part, Words
from rori_spiders.content.convert import convert

_KINDS = ("keep", "drop", "headings", "cells", "enumerators", "links", "alts", "states", "notes")
_PARTS_OF_PAGE = 6


def labelled_page(
    number: int, *, is_sealed: bool, is_laid_out: bool = False, is_agency: bool = False
) -> tuple[str, dict[str, Any], list[str]]:
    """The HTML of a page, its labels, and the names of its parts; the first is that of its shell."""
    chosen = random.Random(f"{number}{is_sealed}")  # noqa: S311  # the same pages each time
    makers: Any = structure.SEALED if is_sealed else structure.DEVELOPMENT
    around = (shells.SEALED if is_sealed else shells.DEVELOPMENT)[number % 5]
    if is_laid_out:
        around = (layouts.SEALED_LAYOUTS if is_sealed else layouts.DEVELOPMENT_LAYOUTS)[number % 6]
        makers = (*makers, *(layouts.SEALED_PARTS if is_sealed else layouts.DEVELOPMENT_PARTS) * 3)
    if is_agency:
        of_half = agencies.SEALED_SHELLS if is_sealed else agencies.DEVELOPMENT_SHELLS
        around = of_half[number % len(of_half)]
        makers = agencies.SEALED if is_sealed else agencies.DEVELOPMENT
    words = Words(f"{number}-{is_sealed}")
    picked = list(dict.fromkeys(chosen.sample(makers, _PARTS_OF_PAGE)))
    parts: list[Part] = [maker(words) for maker in picked]
    title = f"Rule {number} of lending"
    shell = around(title, "\n".join(part.html for part in parts))
    labels: dict[str, Any] = {kind: [] for kind in _KINDS}
    for part in parts:
        for kind, values in asdict(part).items():
            if kind != "html":
                labels[kind] += values
    labels["headings"].append((1, title))
    labels["drop"] += shell.boilerplate
    return shell.html, labels | {"url": structure.URL}, [around.__name__, *(maker.__name__ for maker in picked)]


def _is_both_ways(markdown: str, text: str, label: str, note: str) -> bool:
    """Whether the mark behind *text* leads to a note, that is *note*."""
    mark = r"(?:\[\^([^\]\s]{1,20})\]|(?:<sup>)?\[(?:<sup>)?\\?" + re.escape(label[0]) + r"[^\]\n]*\]\([^)\s]*#\S+\))"
    found = re.search(re.escape(text) + r"\s?" + mark, markdown)
    if found is None:
        return False
    if found[1]:
        return (
            re.search(r"^\[\^" + re.escape(found[1]) + r"\]: [^\n]*" + re.escape(note), markdown, re.MULTILINE)
            is not None
        )
    return re.search(r"^[^\n]*" + re.escape(label[0]) + r"[^\n]*" + re.escape(note), markdown, re.MULTILINE) is not None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("--layouts", action="store_true", help="30 pages in the layouts of six more systems")
    parser.add_argument("--agencies", action="store_true", help="60 pages in cards, sidebars, callouts, steps, frames")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    pages, missed = [], Counter[str]()
    for number in range(30 if options.layouts else 60 if options.agencies else options.pages):
        html, labels, names = labelled_page(
            number, is_sealed=options.sealed, is_laid_out=options.layouts, is_agency=options.agencies
        )
        markdown = convert(html.encode(), url=structure.URL).markdown
        page = found(labels, read(markdown, structure.URL))
        page["alts"] = [(alt, alt in markdown) for alt in labels["alts"]]
        page["states"] = [(state, state in markdown) for state in labels["states"]]
        page["notes"] = [(note, _is_both_ways(markdown, *note)) for note in labels["notes"]]
        pages.append(page)
        for kind, values in page.items():
            for value, is_there in values:
                if is_there == (kind == "drop"):
                    missed[f"{kind} in {names[0]}: {''.join(c for c in str(value) if not c.isdigit())[:90]}"] += 1
    of_kind = scores(pages)
    print(f"{len(pages)} pages; under 0.97 of their phrases: {sum(share < 0.97 for share in of_kind['keep'])}")
    for kind in _KINDS:
        if of_kind[kind]:
            print(f"  {kind:12} {statistics.fmean(of_kind[kind]):.3f} on {len(of_kind[kind])} pages")
    if options.verbose and not options.sealed:
        print(*(f"{count:4} {what}" for what, count in missed.most_common(60)), sep="\n")


if __name__ == "__main__":
    main()
