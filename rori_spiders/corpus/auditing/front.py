"""Whether what a document says of itself is right: recomputed, and compared with what the run knows of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.corpus.auditing.finding import Finding, found
from rori_spiders.corpus.documents.document import content_hash
from rori_spiders.ledger.corpus.page_ids import page_id_for_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.corpus.documents.document import Document


class Expected(NamedTuple):
    """What the run knows of the page: its normalised address, and what its document must say."""

    url: str
    doc_id: str
    run_id: str

    @property
    def page_id(self) -> str:
        return page_id_for_url(self.url)


def front_of(document: Document, expected: Expected) -> Iterator[Finding]:
    """What is wrong or missing in its front matter."""
    front = document.front
    if front.source_url != expected.url:
        yield found("other_url", "source_url", f"it says {front.source_url}, the page is {expected.url}")
    if front.page_id != expected.page_id:
        yield found("other_url", "page_id", f"it says {front.page_id}, the page is {expected.page_id}")
    if front.doc_id != expected.doc_id:
        yield found("other_doc_id", "doc_id", f"it says {front.doc_id}, the page has {expected.doc_id}")
    if front.run_id != expected.run_id:
        yield found("other_run", "run_id", f"it says {front.run_id}, this is {expected.run_id}")
    if front.content_hash != content_hash(front.title, front.description, document.body):
        yield found("other_hash", "content_hash", "title, description and text have another hash: the file was changed")
    if front.title is None:
        yield found("no_title", "title", "there is no title, which is indexed with the text")
    if front.description is None:
        yield found("no_description", "description", "there is no description, which is indexed with the text")
    if front.language is None:
        yield found("no_language", "language", "the page declares no language, and its text does not tell")
