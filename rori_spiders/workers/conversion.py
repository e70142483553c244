"""Inputs of a page's conversion: how to extract it, and limits for the pool. Steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.convert import Options
from rori_spiders.content.documents.office_package import unpacked_bytes

if TYPE_CHECKING:
    from rori_spiders.manifest.models import Source


def conversion_weight(body: bytes) -> int:
    """What the pool is to reckon with for *body*, bytes."""
    return max(len(body), unpacked_bytes(body))  # an Office file costs what it unpacks to


def conversion_options(source: Source) -> Options:
    """How the source wants its pages read and cut out."""
    config = source.scrape_config
    return Options(config.content_selector, tuple(config.remove_selectors), config.ocr)
