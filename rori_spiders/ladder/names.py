"""The tiers' names that code speaks of; `manifest/vocabulary.py` has them all, as a manifest may write them."""

from __future__ import annotations

OFFICIAL = "official"
MEDIAWIKI = "mediawiki"
HTTP = "http"
BROWSER = "browser"
