"""The characters of a text file: by byte order mark, declared charset, UTF-8, or Windows-1252."""

from __future__ import annotations

from rori_spiders.content.decode import decode


def plain_text(body: bytes, content_type: str | None = None) -> str:
    """The text of a body that is no markup: nothing in it declares a charset. Never raises."""
    return decode(body, content_type, is_markup=False).text
