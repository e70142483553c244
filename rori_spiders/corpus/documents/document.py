"""A document as it is published: made, written, read back.

The hash is of what an index holds of it: title, description and text. So it is the same in the next run, and anybody
can recompute it from the file: docs/corpus.md says how.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.writable import clean
from rori_spiders.corpus.documents import front_matter
from rori_spiders.corpus.documents.front_matter import FrontMatter, NotADocument, one_line
from rori_spiders.ledger.corpus.page_ids import page_id_for_url

if TYPE_CHECKING:
    from rori_spiders.corpus.documents.subtypes import Subtype

__all__ = ["Document", "NotADocument", "content_hash", "made", "read", "written"]


class Document(NamedTuple):
    """What is said of a page, and its text: markdown without empty lines at its ends."""

    front: FrontMatter
    body: str


def content_hash(title: str | None, description: str | None, body: str) -> str:
    """Hex SHA-256 of title, line feed, description, two line feeds, and *body* without white space at its ends.

    What is not known is empty there.
    """
    return sha256(f"{title or ''}\n{description or ''}\n\n{body.strip()}".encode()).hexdigest()


def made(
    body: str,
    *,
    title: str | None,
    description: str | None,
    language: str | None,
    source_url: str,
    source_subtype: Subtype,
    doc_id: str,
    run_id: str,
    published_at: str | None = None,
) -> Document:
    """The document of a page: *source_url* is its address in the one spelling of ``urls.normalise``.

    Title and description are folded into a line each; the text is what it was, but for empty lines at its ends. Raises
    pydantic's ValidationError for what cannot be (``published_at`` is a day, ``YYYY-MM-DD``).
    """
    named, said = one_line(title or "") or None, one_line(description or "") or None
    text = clean(body).strip("\n")
    front = FrontMatter(
        title=named,
        description=said,
        language=language,
        source_url=source_url,
        source_subtype=source_subtype,
        doc_id=doc_id,
        published_at=published_at,
        run_id=run_id,
        page_id=page_id_for_url(source_url),
        content_hash=content_hash(named, said, text),
    )
    return Document(front, text)


def written(document: Document) -> str:
    """The file: UTF-8, line feeds, the front matter, an empty line, the text, a line feed."""
    return f"{front_matter.written(document.front)}\n{document.body}\n"


def read(text: str) -> Document:
    """The document that *text* is. Raises NotADocument with every problem of its front matter."""
    front, at = front_matter.read(text)
    return Document(front, text[at:].strip("\n"))
