"""Validate a cleaning by the guards: each part between its neighbours, below the headings above it; then the whole
page.  Input: a page, its parts, the texts of those that are done. Output: refusals. Judging a part within all of
a long page would take the square of its length; what its neighbours do not show, the judgement of the whole
does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.sections import outline
from rori_spiders.corpus.cleaning.operations import has_words
from rori_spiders.corpus.guards.judgement import Refusal, judge_cleaned_text
from rori_spiders.corpus.llm_cleaning.cleaning_record import RefusalRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.corpus.llm_cleaning.prompt import DraftPart, PageDraft


class CleaningValidator:
    """Judges the cleaning of *page*, whose *parts* are all of it."""

    def __init__(self, page: PageDraft, parts: Sequence[DraftPart]) -> None:
        self._page = page
        self._drafts = [page.text[part.start : part.end] for part in parts]
        self._starts = [part.start for part in parts]
        self._sections = outline(page.text)

    def of_part(self, texts: Sequence[str], text: str) -> list[RefusalRecord]:
        """Why *text* is refused for the part that follows *texts*; empty: it is accepted."""
        at = len(texts)
        first = max(0, at - 1)
        above, after = self._above(self._starts[first]), "".join(self._drafts[at + 1 : at + 2])
        old = "".join([above, *self._drafts[first : at + 1], after])
        return self._refusals(old, "".join([above, *texts[first:], text, after]))[0]

    def of_whole(self, text: str) -> tuple[list[RefusalRecord], list[str]]:
        """Why *text* is refused for the page, and the blocks that it omits."""
        return self._refusals(self._page.text, text)

    def _refusals(self, old: str, new: str) -> tuple[list[RefusalRecord], list[str]]:
        page = self._page
        is_elsewhere = page.text.count(page.url) > old.count(page.url)
        found = judge_cleaned_text(
            old,
            new,
            title=page.title,
            source_url=None if is_elsewhere else page.url,
            entity=page.entity,
            boilerplate=page.boilerplate,
        )
        removed = [old[place.start : place.end].strip() for place in found.removed]
        return [*map(_refusal_record, found.refusals), *self._kept_by_rule(removed)], removed

    def _kept_by_rule(self, removed: Sequence[str]) -> list[RefusalRecord]:
        """What a person has said that it stays, and is gone."""
        return [
            RefusalRecord(code="removed_substance", says=f"a site rule keeps blocks with {words!r}", draft=text)
            for text in removed
            for words in self._page.kept
            if has_words(text, words)
        ]

    def _above(self, start: int) -> str:
        """The headings above *start*, each as its line."""
        lines: list[tuple[int, str]] = []
        for section in self._sections:
            if section.start >= start:
                break
            lines = [(level, line) for level, line in lines if level < section.level]
            if section.level:
                lines.append((section.level, self._page.text[section.start :].partition("\n")[0]))
        return "".join(f"{line}\n\n" for _, line in lines)


def _refusal_record(one: Refusal) -> RefusalRecord:
    quotes = {"draft": one.draft, "cleaned": one.cleaned}
    return RefusalRecord(
        code=one.code, says=one.says, **{name: at.quote for name, at in quotes.items() if at is not None}
    )
