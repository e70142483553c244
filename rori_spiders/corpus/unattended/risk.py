"""Whether the new text of a published document is of so little risk that nobody has to look at it.

In: two documents. Out: why a person has to, in sentences; none: nobody has to. What is not sure has a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.differences import compare
from rori_spiders.runtime.plurals import format_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.content.differences import Change, SectionChange
    from rori_spiders.content.differences.difference import Words
    from rori_spiders.corpus.documents.document import Document

#: Keys of the front matter that say what a document is: another value is for a person.
_SAID = ("title", "language", "source_url", "source_subtype", "doc_id", "page_id", "published_at")


def objections(old: Document, new: Document, most_words: int) -> list[str]:
    """Why *new* may not take the place of *old* unseen, where *most_words* may be put in or taken out."""
    found = [f"its `{name}` is another" for name in _SAID if getattr(old.front, name) != getattr(new.front, name)]
    words = 0
    for section in compare(_text(old), _text(new)).sections:
        found += _of_section(section)
        for change in section.changes:
            found += _of_change(change)
            words += sum(map(_count, _words(change)))
    if words > most_words:
        found.append(f"{format_count(words, 'word')} changed")
    return list(dict.fromkeys(found))


def _text(document: Document) -> str:
    """An index holds the description, too."""
    return f"{document.front.description or ''}\n\n{document.body}"


def _of_section(section: SectionChange) -> Iterator[str]:
    if section.kind != "changed" or section.path_before is not None or section.stands_after is not None:
        yield f"a section was {section.kind}: {section.path or 'the beginning'}"


def _of_change(change: Change) -> Iterator[str]:
    if change.kind == "layout":
        return
    if change.kind != "changed":
        yield f"a {change.what} was {change.kind.replace('_', ' ')}"
    if change.coarse:
        yield f"a {change.what} was not compared word by word: {change.coarse}"
    if change.what == "heading":
        yield "a heading changed"
    marks = [*change.marks, *(mark for cell in change.cells for mark in cell.marks)]
    yield from (f"{mark.kind} changed: {mark.old or 'none'} to {mark.new or 'none'}" for mark in marks)
    yield from (f"a name changed: {word}" for words in _words(change) for word in _names(words))


def _words(change: Change) -> list[Words]:
    return [change.words, *(cell.words for cell in change.cells)]


def _changed(words: Words) -> Iterator[str]:
    """Words and signs that were put in or taken out; a comma may matter, emphasis and its escapes do not."""
    for op, text in words:
        if op != "=":
            yield from (word for word in text.split() if word.strip("*_\\"))


def _count(words: Words) -> int:
    return sum(1 for _ in _changed(words))


def _names(words: Words) -> Iterator[str]:
    """Words with a capital: of programmes, agencies, people, defined terms. Some only begin a sentence."""
    return (word for word in _changed(words) if any(map(str.isupper, word)))
