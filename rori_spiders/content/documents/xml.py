"""XML to markdown: the law's own vocabularies to headings, paragraphs and tables, any other to readable text.

In: bytes. Out: a `Document`.
"""

from __future__ import annotations

from rori_spiders.content.documents import about, law, xml_parser
from rori_spiders.content.documents.document import Document
from rori_spiders.exceptions import UnreadableDocument


def read(body: bytes, *, url: str) -> Document:
    """Any XML document as markdown; every word of its text nodes stands in it.

    Raises UnreadableDocument as `xml_parser.parse` does, and for a document without text.
    """
    root = xml_parser.parse(body, url=url)
    markdown = law.to_markdown(root, base=url)
    if not markdown.strip():
        raise UnreadableDocument(f"{url}: the XML document holds no text")
    title = about.title(root)
    return Document(
        markdown,
        "markdown",
        title=title,
        language=about.language(root),
        metadata=about.metadata(root),
        links=about.links(root, url),
    )
