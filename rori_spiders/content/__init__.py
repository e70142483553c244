"""Page content: bytes in; markdown, metadata, links, citations, hints and hashes out. No network, no Scrapy. Start
with `convert.py`.
"""

from __future__ import annotations

# Part of every hash's meaning: raise it whenever the same bytes would give other markdown.
CONVERTER_VERSION = "9"
