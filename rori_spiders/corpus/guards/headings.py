"""What a heading may become: itself with the page title, the site name or a heading above it before or after it.

"Exceptions" below "FHA loan limits" may become "FHA loan limits - Exceptions". It takes these whole, or a part
between separators; half a title may say something else.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from rori_spiders.corpus.documents.titles import names_with_figures
from rori_spiders.corpus.guards.leaf_blocks import NEGATION, InlineText, Leaf, LeafText, Span, normalize_characters

_SEGMENTS = re.compile(r"(?<!\s)\s+[|–—>»·-]\s+|:\s+")
_BARS = re.compile(r"(?<!\s)\s+\|\s+")
#: What may be between a heading and the words added to it.
_JOINT = r"\s*(?::|\||–|—|>|·|,|\s-)\s+"
_BEFORE = re.compile(_JOINT)
_BORDERS = rf"(?:^|{_JOINT}|\()", rf"(?:$|{_JOINT}|\))"


class HeadingRules:
    """The changes allowed to headings of a page, given its title and the site's name (*entity*)."""

    def __init__(self, title: str | None, entity: str | None) -> None:
        self.title = _fold_case(title or "")
        self.entity = _fold_case(entity or "")
        self.names = names_with_figures(title, entity)

    def is_title(self, text: str) -> bool:
        """Return whether *text* is the page's title, or its part before a separator without a denial.

        A title that denies something ends at a bar alone, behind which nothing is denied: no sentence has one.
        """
        folded = _fold_case(text)
        separators = _SEGMENTS.finditer(self.title)
        if NEGATION.search(self.title):
            separators = (one for one in _BARS.finditer(self.title) if not NEGATION.search(self.title, one.end()))
        return bool(folded) and folded in {self.title, *(self.title[: one.start()].strip() for one in separators)}

    def may_become(self, heading: Leaf, cleaned: Leaf, draft: LeafText) -> bool:
        """Return whether *cleaned* is *heading* of *draft*, unchanged or extended by allowed names."""
        if cleaned.kind != "heading" or cleaned.holders != () or heading.holders != ():
            return False
        old, new = heading.shown, cleaned.shown
        above = [draft.leaves[number].shown for number in heading.above]
        at = new.text.casefold().find(old.text.casefold())
        while at >= 0:
            end = at + len(old.text)
            spans = tuple(span.moved(at) for span in old.spans)
            rest = [span for span in new.spans if span not in spans]
            is_whole = len(rest) + len(spans) == len(new.spans) and _are_links_of_headings_above(rest, new, above)
            if is_whole and differs_only_in_case(old.text, new.text[at:end]):
                ancestors = draft.headings(heading)
                others = {_fold_case(one.shown.text) for one in draft.leaves if one.kind == "heading"}
                # What heads another section leads to that, though it be a part of the title.
                others -= {_fold_case(one) for one in ancestors}
                phrases = [one for one in self._phrases(ancestors) if one not in others]
                if self._led(new.text[:at], phrases) and self._followed(new.text[end:], phrases):
                    return True
            at = new.text.casefold().find(old.text.casefold(), at + 1)
        return False

    def _phrases(self, above: Sequence[str]) -> list[str]:
        sources = [self.title, self.entity, *map(_fold_case, above)]
        parts = (part for source in sources for part in (source, *_title_parts(source)))
        return sorted({part for part in parts if part}, key=len, reverse=True)

    def _led(self, text: str, phrases: Sequence[str]) -> bool:
        if not text:
            return True
        for phrase in phrases:
            if text.casefold().startswith(phrase):
                rest = text[len(phrase) :]
                joint = _BEFORE.match(rest)
                if joint is not None and self._led(rest[joint.end() :], phrases):
                    return True
                if phrase == self.entity and rest == " ":
                    return True
        return False

    def _followed(self, text: str, phrases: Sequence[str]) -> bool:
        if not text:
            return True
        joint = re.match(rf"{_JOINT}|\s+(?=\()", text)
        if joint is None:
            return False
        rest = text[joint.end() :]
        if rest.startswith("(") and rest.endswith(")"):
            return rest[1:-1].casefold() in phrases
        return rest.casefold() in phrases


def repeats_words(heading: str, words: str) -> bool:
    """Return whether *heading* has *words* as a whole, set off from its own."""
    return re.search(_BORDERS[0] + re.escape(words) + _BORDERS[1], heading, re.IGNORECASE) is not None


def _are_links_of_headings_above(spans: Iterable[Span], new: InlineText, above: Sequence[InlineText]) -> bool:
    """Return whether all of *spans* are links of a heading above, with the same words and target."""
    links = {_link_of_span(one, span) for one in above for span in one.spans if span.kind == "link"}
    return all(span.kind == "link" and _link_of_span(new, span) in links for span in spans)


def _link_of_span(shown: InlineText, span: Span) -> tuple[str, str]:
    return shown.text[span.start : span.end].casefold(), span.value


def differs_only_in_case(old: str, new: str) -> bool:
    """Return whether both differ only in the case of first letters, or of words all in capitals."""
    if old == new or (old.isupper() and old.casefold() == new.casefold() and len(old.split()) > 1):
        return True
    pairs = zip(old.split(" "), new.split(" "), strict=False)
    return len(old) == len(new) and all(
        a == b or (a[1:] == b[1:] and a[:1].casefold() == b[:1].casefold() and len(a) > 1) for a, b in pairs
    )


def _title_parts(source: str) -> Iterator[str]:
    if not NEGATION.search(source):
        yield from (part.strip() for part in _SEGMENTS.split(source) if part.strip())


def _fold_case(text: str) -> str:
    return " ".join(normalize_characters(text).split()).casefold()
