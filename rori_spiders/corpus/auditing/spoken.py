"""In which language a document is written, as a whole: one that quotes another is still in its own.

The detector (``content.language``) judges some thousand letters; a long text is judged at several places.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rori_spiders.content.language import written_in
from rori_spiders.corpus.auditing.finding import Finding, found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.corpus.auditing.reading import Reading

_PLACES = 5
_STRETCH = 6000


def language_in(text: str) -> str | None:
    """The language of most of the places that were judged and told one; None where none did, or as many another."""
    starts = range(0, len(text), max(_STRETCH, -(-len(text) // _PLACES)))
    told = (written_in(text[at : at + _STRETCH]) for at in starts)
    counts = Counter(language.code for language in told if language).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def language_of(reading: Reading, declared: str | None) -> Iterator[Finding]:
    """Whether it is in English, and in the language that it says."""
    written = language_in(reading.said)
    if written is None:
        return
    if written != "en":
        yield found("non_english", "", f"it is written in another language than English ({written})")
    if declared is not None and declared != written:
        yield found("other_language", "language", f"it says {declared}, the text is written in {written}")
