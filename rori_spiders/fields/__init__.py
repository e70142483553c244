"""Fields: values that a language model draws from pages, each with the quote that it rests on (docs/fields.md).

S2's Python API stands here; it is loaded when it is first asked for, since it needs a model's client.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rori_spiders.exceptions import AllKeysExhaustedError, ConfigError, ExtractionError, FetchError, ScraperError
    from rori_spiders.fields.config import ScraperConfig, load_config
    from rori_spiders.fields.defining import define_fields
    from rori_spiders.fields.results import CrawlState, ScrapeResult
    from rori_spiders.fields.scraper import Scraper
    from rori_spiders.fields.waiting import crawl, scrape, scrape_many
    from rori_spiders.manifest.models import FieldDefinition

_PLACES = {
    "rori_spiders.exceptions": (
        "AllKeysExhaustedError",
        "ConfigError",
        "ExtractionError",
        "FetchError",
        "ScraperError",
    ),
    "rori_spiders.fields.config": ("ScraperConfig", "load_config"),
    "rori_spiders.fields.defining": ("define_fields",),
    "rori_spiders.fields.results": ("CrawlState", "ScrapeResult"),
    "rori_spiders.fields.scraper": ("Scraper",),
    "rori_spiders.fields.waiting": ("crawl", "scrape", "scrape_many"),
    "rori_spiders.manifest.models": ("FieldDefinition",),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "AllKeysExhaustedError",
    "ConfigError",
    "CrawlState",
    "ExtractionError",
    "FetchError",
    "FieldDefinition",
    "ScrapeResult",
    "Scraper",
    "ScraperConfig",
    "ScraperError",
    "crawl",
    "define_fields",
    "load_config",
    "scrape",
    "scrape_many",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
