"""A document's text in chunks, as it is retrieved. The one place to change for another chunker."""

from __future__ import annotations

import re

_HEADING = re.compile(r"^(?=#{1,3} )", re.MULTILINE)


def chunks(body: str) -> list[str]:
    """*body* cut before each heading of the levels 1 to 3."""
    return [text for part in _HEADING.split(body) if (text := part.strip())]
