"""Documents with known text: `python -m benchmarks.unseen.documents FOLDER [--sealed] [--texts FOLDER2]`.

FOLDER was made by `document_templates.py`. Of each file: the words that its text holds (kept), and holds once (once;
short heads of merged cells may repeat), the most that stand in the document's order (order), headings whose level
follows the document's (headings), rows of tables whose cells stand in one line in their order (rows), footnotes that
begin a line with their mark (notes), and lines at the edges of pages that stand once at most (running off). Other
readers: FOLDER2 has their text as NAME.md. Sealed files are printed as totals only.
"""

from __future__ import annotations

import argparse
import json
import re
from bisect import bisect_left
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.unseen.document_templates import BOLD, DEVELOPMENT, SEALED, SHORT, SPANS
from rori_spiders.content.documents import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WORD = re.compile(r"\b[a-z]{8}\b")
_BROKEN = re.compile(r"(?<=[a-z])-\s*(?=[a-z])")  # a printer's hyphen that a reader left
_HEADING = re.compile(r"^(#{1,6}) (?:[0-9a-z.]{1,5}\\?\.? )?\W*([a-z]{8})\b", re.MULTILINE)
_NOTE = r"^(?:<sup>)?\W*\d\W*(?:</sup>)?\W*{}"
_NOTE_WORDS = 10  # of each footnote
MEASURES = ("kept", "once", "order", "headings", "rows", "notes", "running off")


def score(markdown: str, truth: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Right and all, of each measure."""
    markdown = _BROKEN.sub("", markdown.lower())
    found = _WORD.findall(markdown)
    kinds = dict(reversed(pair) for pair in truth["marks"])
    notes = [mark for mark, kind in kinds.items() if kind == "note"][::_NOTE_WORDS]
    once = [mark for mark, kind in kinds.items() if kind != "head"]
    flowing = [mark for mark, kind in kinds.items() if kind not in {"head", "note"}]
    place = {mark: at for at, mark in reversed(list(enumerate(found)))}
    shown = {mark: len(depth) for depth, mark in _HEADING.findall(markdown)}
    levels = [(level, shown.get(mark)) for level, mark in truth["headings"]]
    right = 0
    for at, (level, depth) in enumerate(levels):
        before = [(one, other) for one, other in levels[:at] if other is not None]
        right += depth is not None and all((one < level) == (other < depth) for one, other in before)
    lines = [_WORD.findall(line) for line in markdown.splitlines() if line.lstrip().startswith("|")]
    rows = [row for row in truth["rows"] if row]
    in_rows = sum(any([mark for mark in line if mark in row] == row for line in lines) for row in rows)
    measured = {
        "kept": (sum(mark in place for mark in kinds), len(kinds)),
        "once": (sum(found.count(mark) == 1 for mark in once), len(once)),
        "order": (_longest_rise([place[mark] for mark in flowing if mark in place]), len(flowing)),
        "headings": (right, len(levels)),
        "rows": (in_rows, len(rows)),
        "notes": (sum(bool(re.search(_NOTE.format(mark), markdown, re.MULTILINE)) for mark in notes), len(notes)),
    }
    if truth.get("running"):
        measured["running off"] = (found.count(truth["running"]) <= 1, 1)
    return {name: value for name, value in measured.items() if value[1]}


def _longest_rise(places: list[int]) -> int:
    """How many words stand in order when the fewest others are taken out."""
    ends: list[int] = []
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sealed", action="store_true", help="the other producers, totals only")
    parser.add_argument("--spans", action="store_true", help="the tables with spans at random places instead")
    parser.add_argument("--short", action="store_true", help="the PDFs of two pages instead")
    parser.add_argument("--bold", action="store_true", help="the PDFs whose headings are bold alone instead")
    parser.add_argument("--texts", type=Path, help="texts of another reader, NAME.md")
    args = parser.parse_args()
    scores = []
    for path in sorted(args.folder.glob("*.json")):
        source = path.with_suffix("")
        producer = source.name.rsplit("-", 2)[0]
        template = source.name.rsplit("-", 2)[1]
        asked = {SPANS: args.spans, SHORT: args.short, BOLD: args.bold}
        is_asked = all((template in templates) == is_wanted for templates, is_wanted in asked.items())
        if not is_asked or producer not in (SEALED if args.sealed else DEVELOPMENT):
            continue
        if args.texts:
            text = args.texts / f"{source.name}.md"
            markdown = text.read_text(encoding="utf-8") if text.exists() else ""
        else:
            markdown = read(source.suffix[1:], source.read_bytes(), url=source.as_uri()).markdown
        kind = "PDF" if source.suffix == ".pdf" else "Office"
        measured = score(markdown, json.loads(path.read_text(encoding="utf-8")))
        scores += [(group, measured) for group in ((kind,) if args.sealed else (kind, source.name.rsplit("-", 1)[0]))]
    print_totals(scores, MEASURES)


def print_totals(scores: Iterable[tuple[str, Mapping[str, tuple[int, int]]]], measures: Iterable[str]) -> None:
    """A line for each group: of each measure the share that is right, and of how many."""
    totals: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for group, measured in scores:
        for name, (right, every) in measured.items():
            totals[group][name][0] += right
            totals[group][name][1] += every
    for group, found in sorted(totals.items()):
        print(f"{group:26}", "  ".join(f"{m} {r / e:.3f} ({e})" for m in measures for r, e in [found[m]] if e))


if __name__ == "__main__":
    main()
