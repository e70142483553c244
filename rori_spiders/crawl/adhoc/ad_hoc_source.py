"""The source of an ad hoc fetch: in no manifest, but with the fields that the checks of a collection need."""

import re
from collections.abc import Iterable
from typing import Any

from rori_spiders.crawl.adhoc.messages import FetchRequest
from rori_spiders.manifest.catalog import Catalog, LoadedManifest
from rori_spiders.manifest.models import Manifest, Source
from rori_spiders.urls.canonical import host_of, normalise_url, require_requestable

#: No id in a manifest begins so.
_PREFIX = "adhoc-"
_NAME = "adhoc"
_WORD = re.compile(r"[^\W_]{3,}")


def build_ad_hoc_source(wanted: FetchRequest) -> Source:
    """The source that *wanted* is. Raises ValueError, in words for people, if it is not a public http address."""
    url = normalise_url(wanted.url)
    require_requestable(wanted.url)
    # `max_pages` is not among them: which pages these are is decided when they are asked, not when they are found.
    walk: dict[str, Any] = {}
    if wanted.follow:
        walk = {"max_depth": wanted.max_depth, "follow_links": True, "sitemaps": [], "include_patterns": ["/*"]}
    tiers = {"tiers": wanted.tiers} if wanted.tiers else {}
    # Who names the browser first wants each page from it.
    browser = {"browser_budget": wanted.max_pages} if wanted.tiers and wanted.tiers[0] == "browser" else {}
    return Source.model_validate(
        {
            "id": f"{_PREFIX}{wanted.fetch_id}",
            "name": f"Ad hoc fetch {wanted.fetch_id}",
            "url": url,
            "domain": host_of(url),
            "jurisdiction": "national",
            "source_type": "guidance",
            "method": "crawl" if wanted.follow else "scrape",
            "status": "active",
            "scrape_config": {**walk, **tiers, **browser},
        }
    )


def add_ad_hoc_sources(catalog: Catalog, sources: Iterable[Source]) -> Catalog:
    """*catalog* with further sources. Raises ManifestError where they contradict it."""
    made = Manifest.model_construct(version="0", sources=tuple(sources), domains={}, mediawiki_sites={})
    return Catalog([*catalog.loaded, LoadedManifest(_NAME, made, "", "", "ad hoc fetch")]) if made.sources else catalog


def count_keyword_matches(url: str, keywords: Iterable[str]) -> int:
    """How many of the words *keywords* stand in *url*: as many places it goes before others."""
    words = {word.lower() for word in _WORD.findall(url)}
    return sum(word.lower() in words for word in keywords)
