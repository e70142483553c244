"""Page content: bytes in; markdown, metadata, links, citations, hints and hashes out. No network, no Scrapy. Start
with `convert.py`.
"""

import os
from hashlib import sha256

from rori_spiders.runtime.plugins import text_plugins_hash

# Part of every hash's meaning: raise it whenever the same bytes would give other markdown.
CONVERTER_VERSION = "15"


def converter_version(ocr_languages: str | None = None) -> str:
    """``CONVERTER_VERSION``, and what stands for the active plug-ins and OCR that texts depend on: ``8+3f2a91c4d0``.

    *ocr_languages*: what the source asks for, as `Options.ocr` has it.
    """
    more = text_plugins_hash()
    if ocr_languages or os.environ.get("RORI_OCR"):
        from rori_spiders.content.documents.pdf import ocr  # with what it needs, which few have use for

        if engine := ocr.identity(ocr_languages):
            more = sha256(f"{more} {engine}".encode()).hexdigest()[:10]
    return f"{CONVERTER_VERSION}+{more}" if more else CONVERTER_VERSION
