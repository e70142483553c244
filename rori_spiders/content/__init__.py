"""The content room: bytes of a page in; markdown, metadata, links, hints and hashes out. Steps: no network, no Scrapy.

`convert` is the door. On its way a body is told by its own bytes (`documents.sniff`), decoded (`decode`), parsed once
(`tree`), freed of what readers do not see and of what changes by itself (`furniture`), cut to its main content
(`article`) and written as markdown (`markdown`). Everything else is computed when asked for.
"""

from __future__ import annotations

# Part of every hash's meaning: raise it whenever the same bytes would give other markdown.
CONVERTER_VERSION = "6"
