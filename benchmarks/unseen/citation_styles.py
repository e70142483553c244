"""Citations as drafting offices, registers, courts and agencies write: `python -m benchmarks.unseen.citation_styles`.

The styles were read off public pages (statutes, registers, rules, orders and opinions of every state, federal notices
and handbooks) before the rules of this round; the sentences are our own. Split by state and publisher. A line has a
style, what is known of the page, and a text in which each citation stands as ``{surface|code|number}``: the words of
the code and the number at the end that its canonical form must have (``{surface}`` alone: the code before). After
``=`` stands the whole canonical form, after ``~`` numbers that it must contain; ``opt`` may be found or left out.
``⏎`` is a line break.

``--documents``: passages of 29 kinds of documents (rules, opinions, orders, manuals, letters, forms, ...), split
by kind and labelled before the finder saw them.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.unseen.citations import folded
from rori_spiders.content.citations import Citation, find

_FOLDER = Path(__file__).parents[1] / "citation_passages"
_MARK = re.compile(r"\{([^{}]+)\}")


class Label(NamedTuple):
    """A place in a text; ``code`` and ``number`` as in the module's docstring."""

    start: int
    end: int
    code: str
    number: str
    is_optional: bool

    def is_named_by(self, citation: Citation) -> bool:
        if citation.start >= self.end or citation.end <= self.start:
            return False
        if self.code == "=":
            return citation.canonical == self.number
        plain = f"-{folded(citation.canonical.partition('(')[0])}-"
        if self.is_optional and not self.number:
            return True
        if not all(folded(word) in plain for word in self.code.split()):
            return False
        if self.number.startswith("~"):
            return all(f"-{folded(word)}-" in plain for word in self.number[1:].split())
        return plain.endswith(f"-{folded(self.number)}-")


def read(line: str) -> tuple[str, dict[str, str], list[Label]]:
    """The text of a line without its marks, what is known of its page, and its labels."""
    _, context, marked = line.replace("⏎", "\n").split("\t")
    text, labels, at, code = "", [], 0, ""
    for mark in _MARK.finditer(marked):
        text += marked[at : mark.start()]
        surface, *rest = mark[1].split("|")
        is_optional = rest[-1:] == ["opt"]
        rest = rest[:-1] if is_optional else rest
        number = rest[-1] if rest else "" if is_optional else surface
        if number.startswith("="):
            label = Label(len(text), len(text) + len(surface), "=", number[1:], is_optional)
        else:
            code = rest[0] if len(rest) > 1 and rest[0] else "" if number.startswith("~") else code
            label = Label(len(text), len(text) + len(surface), code, re.sub(r"(?<!^)[(\[].*", "", number), is_optional)
        labels.append(label)
        text, at = text + surface, mark.end()
    known = dict(pair.split("=") for pair in context.split(";") if "=" in pair)
    return text + marked[at:], known, labels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("--documents", action="store_true", help="passages of kinds of documents, with totals by kind")
    parser.add_argument("--blind", action="store_true", help="tell nothing of the page")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    material = "documents" if options.documents else "styles"
    name = f"{material}_{'sealed' if options.sealed else 'development'}.tsv"
    counts: dict[str, Counter[str]] = {}
    for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        text, known, labels = read(line)
        style = line.split("\t")[0]
        citations = find(text, None if options.blind else known)
        missed = [label for label in labels if not any(label.is_named_by(one) for one in citations)]
        wrong = [one for one in citations if not any(label.is_named_by(one) for label in labels)]
        required = sum(not label.is_optional for label in labels)
        missed = [label for label in missed if not label.is_optional]
        found = Counter(labelled=required, right=required - len(missed), found=len(citations), false=len(wrong))
        counts.setdefault(style, Counter()).update(found)
        if options.verbose and not options.sealed and (missed or wrong):
            print(style, [text[one.start : one.end] for one in missed], [one.canonical for one in wrong])
    if options.documents:
        for style, of_style in counts.items():
            print(f"{style:24} {_totals(of_style)}")
    print(_totals(sum(counts.values(), Counter())))


def _totals(counts: Counter[str]) -> str:
    labelled, right, found, false = (counts[name] for name in ("labelled", "right", "found", "false"))
    return (
        f"{labelled} labelled, {right} found, recall {right / max(1, labelled):.3f}; "
        f"{found} found in all, {found - false} right, precision {(found - false) / max(1, found):.3f}"
    )


if __name__ == "__main__":
    main()
