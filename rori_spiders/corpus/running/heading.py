"""A document's first heading: the page's own title, where its text has none of level 1. Retrieval wants one."""

from __future__ import annotations

from rori_spiders.content.sections import outline
from rori_spiders.corpus.documents.front_matter import one_line


def headed(body: str, title: str | None) -> str:
    """*body*, below its title where it has no heading of level 1."""
    named = one_line(title or "")
    if not named or any(section.level == 1 for section in outline(body)):
        return body
    return f"# {named}\n\n{body.lstrip(chr(10))}"
