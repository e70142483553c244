"""References to what was cited before: "Id. § 1024.38", "Id. at (b)(2)", "supra note 12"."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from rori_spiders.content.citations import pinpoints
from rori_spiders.content.citations.codes import CFR_SECTION, USC_SECTION
from rori_spiders.content.citations.expressions import triggered
from rori_spiders.content.citations.model import Citation
from rori_spiders.content.citations.state_codes import SECTION

_ID = triggered(
    r"(?:^|[^0-9A-Za-z_])(?:[Ii]d|[Ii]bid)\.",
    r"\b(?:[Ii]d|[Ii]bid)\.[*_]{0,2}(?:,?\s{1,3}(?:at\s{1,3})?(?:(?P<section>(?:§{1,2}|[Ss]ec(?:tions?\b|s?\.))\s{0,3}(?=\d))|(?P<pins>(?=\([a-z\d]{1,4}\)))))?",
)
_SUPRA = re.compile(r"\b[Ss]upra[*_]{0,2},?\s{1,3}(?:note|n\.|footnote|fn\.)\s{0,3}(?P<note>\d{1,3})\b")
# A footnote's own line: its number as text, raised, or as a link back.
_NOTE = re.compile(r"^(?:>\s)?[\[(<sup>]{0,8}(?P<note>\d{1,3})(?:[\])>.]|</)(?P<text>.*)$", re.MULTILINE)
_LAW = re.compile(r"(?P<head>.*§ )(?P<number>[^\s(,]+)(?P<pins>(?:\([A-Za-z\d]{1,5}\))*)")
_PAGE = re.compile(r",?\s{1,3}at\s{1,3}(?P<page>\d{1,3},\d{3}|\d{2,6})\b")
#: Citations between "Id. at 12" and what has that page.
_MOST_BEFORE = 20
#: The pages of the longest rules of the Federal Register.
_LONGEST = 2_000
#: "Id." stands near what it means, in the same note or the next.
_FARTHEST = 2_000


_STRINGS = {";", "; and", "; see", "; see also", "; see, e.g.,"}


def resolve(text: str, found: list[Citation]) -> list[Citation]:
    """*found*, in order of place, and each back reference that has one meaning, as ``relative``.

    "Id." after two authorities in one string ("12 U.S.C. 2605; 15 U.S.C. 1639") has none, and is left out.
    """
    added = [*_same_as_before(text, found), *_of_notes(text, found)]
    return sorted([*found, *added], key=lambda citation: (citation.start, citation.end)) if added else found


def _same_as_before(text: str, found: list[Citation]) -> Iterator[Citation]:
    if not found or ("d. " not in text and "d., " not in text and "d.* " not in text and "d.\n" not in text):
        return
    starts = [citation.start for citation in found]
    lost = -1
    last: Citation | None = None  # what the "Id." before means: the next one may mean the same
    for match in _ID.finditer(text):
        page = _PAGE.match(text, match.end())
        before = _authority(text, found, bisect_left(starts, match.start()) - 1, last, has_pages=page is not None)
        if before and page and not _has_page(before, int(page["page"].replace(",", ""))):
            lost = match.start()  # it means what was not found, and so do those behind it
        last = None
        if before and before.start >= lost and match.start() - before.end <= _FARTHEST:
            for citation in _resolved(text, match, before):
                last = citation
                yield citation


def _authority(text: str, found: list[Citation], at: int, last: Citation | None, *, has_pages: bool) -> Citation | None:
    """What "Id." behind found[*at*] means, *last* what the one before it meant: "Id. at 80081" is of what has pages."""
    nearest = at
    while has_pages and at >= 0 and "§" in found[at].canonical and nearest - at < _MOST_BEFORE:
        at -= 1
    if at > 0 and text[found[at - 1].end : found[at].start].strip() in _STRINGS:
        return None
    before = found[at] if at >= 0 else None
    return last if last and (before is None or last.start > before.start) else before


def _has_page(cited: Citation, page: int) -> bool:
    """Whether what begins at the page of *cited* can have *page*; what has no page is not judged."""
    book, _, first = cited.canonical.rpartition(" ")
    return "§" in book or not (book[:1].isdecimal() and first.isdecimal()) or 0 <= page - int(first) < _LONGEST


def _resolved(text: str, match: re.Match[str], before: Citation) -> Iterator[Citation]:
    law = _LAW.fullmatch(before.canonical)
    if match["section"]:
        head = law["head"] if law else ""
        number = CFR_SECTION if "C.F.R." in head else USC_SECTION if "U.S.C." in head else SECTION
        items = pinpoints.read_list(text, match.end(), number) if law else []
        for index, item in enumerate(items):
            start = match.start() if index == 0 else item.start
            yield Citation(start, item.end, "relative", head + item.pinned)
    elif match["pins"] is not None and law:
        path, end = pinpoints.read_pins(text, match.end())
        full = pinpoints.resolved(pinpoints.read_pins(law["pins"], 0)[0], path) or path
        yield Citation(match.start(), end, "relative", law["head"] + law["number"] + pinpoints.written(full))
    else:
        yield Citation(match.start(), match.end(), "relative", before.canonical, before.target)


def _of_notes(text: str, found: list[Citation]) -> Iterator[Citation]:
    if "upra" not in text:
        return
    notes: dict[str, set[tuple[str, str | None]]] = {}
    for note in _NOTE.finditer(text):
        inside = {(one.canonical, one.target) for one in found if note.start() <= one.start < note.end()}
        notes.setdefault(note["note"], set()).update(inside)
    for match in _SUPRA.finditer(text):
        cited = notes.get(match["note"], set())
        if len(cited) == 1:
            ((canonical, target),) = cited
            yield Citation(match.start(), match.end(), "relative", canonical, target)
