"""Page content: bytes in; markdown, metadata, links, citations, hints and hashes out. No network, no Scrapy. Start
with `convert.py`.
"""

from __future__ import annotations

from rori_spiders.runtime.plugins import text_plugins_hash

# Part of every hash's meaning: raise it whenever the same bytes would give other markdown.
CONVERTER_VERSION = "9"


def converter_version() -> str:
    """``CONVERTER_VERSION``, and what stands for the active plug-ins that texts depend on: ``8+3f2a91c4d0``."""
    plugins = text_plugins_hash()
    return f"{CONVERTER_VERSION}+{plugins}" if plugins else CONVERTER_VERSION
