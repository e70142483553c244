"""What site rules may allow to be published without a person."""

from __future__ import annotations

from pydantic import Field

from rori_spiders.manifest.base import StrictModel


class UnattendedRules(StrictModel):
    """How much a draft that nobody asked for may change, and be published without a person."""

    most_pages: int = Field(5, ge=1, le=1000, description="A draft of more pages waits for a person", examples=[5])
    most_words: int = Field(
        0, ge=0, le=100, description="Words that may be put into a page's text or taken out of it", examples=[3]
    )
