"""Fields: values that a language model extracts from pages, each with its quote (docs/explanation/fields.md).

The public Python API (S2) is exported here; it is loaded on first access, since it needs a model client.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rori_spiders.exceptions import AllKeysExhaustedError, ConfigError, ExtractionError, FetchError, ScraperError
    from rori_spiders.fields.config import ScraperConfig, load_config
    from rori_spiders.fields.schema import Money, Quantity, define_fields, fields_of_model
    from rori_spiders.fields.scraper import CrawlState, Scraper, ScrapeResult, crawl, scrape, scrape_many
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
    "rori_spiders.fields.schema": ("Money", "Quantity", "define_fields", "fields_of_model"),
    "rori_spiders.fields.scraper": ("CrawlState", "ScrapeResult", "Scraper", "crawl", "scrape", "scrape_many"),
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
    "Money",
    "Quantity",
    "ScrapeResult",
    "Scraper",
    "ScraperConfig",
    "ScraperError",
    "crawl",
    "define_fields",
    "fields_of_model",
    "load_config",
    "scrape",
    "scrape_many",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
