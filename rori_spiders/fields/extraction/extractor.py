"""The extractor of a project: a model client, charged to the project's ledger, and the answer cache.

Input: settings, the project's scrapy.cfg. Output: an open ``Extractor``. Raises ConfigError when no model is
configured, UsageError outside a project, LedgerError when the ledger cannot be opened.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from rori_spiders.configuration.locations import Locations, setting_path
from rori_spiders.exceptions import ConfigError
from rori_spiders.fields.extraction.answer_cache import FolderCache
from rori_spiders.fields.extraction.page_extraction import Estimate, ExtractionResult, estimate, extract
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.llm.budget import TokenBudget
from rori_spiders.llm.client import ModelClient
from rori_spiders.llm.keys import KeyRotator, load_keys
from rori_spiders.llm.model import load_model
from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from scrapy.settings import BaseSettings

    from rori_spiders.fields.grounding.page import Page
    from rori_spiders.llm.budget import Spending
    from rori_spiders.manifest.models import FieldDefinition


class Extractor:
    """Extract fields from pages with the project's model; costs are recorded in ``ledger``."""

    def __init__(self, ledger: Ledger, client: ModelClient, cache: FolderCache[ExtractionResult]) -> None:
        self.ledger = ledger
        self.model = client.model
        self._client = client
        self._cache = cache

    @property
    def spending(self) -> Spending:
        """What the calls so far took."""
        return self._client.spending

    async def extract_page(self, page: Page, fields: Sequence[FieldDefinition]) -> ExtractionResult:
        """Extract *fields* from *page*; see ``page_extraction.extract``."""
        return await extract(page, fields, self._client, self._cache)

    def estimate_page(self, page: Page, fields: Sequence[FieldDefinition]) -> Estimate:
        """Estimate what ``extract_page`` would ask; the model is not asked."""
        return estimate(page, fields, self.model, self._cache)


@asynccontextmanager
async def open_extractor(
    settings: BaseSettings, cfg: str, keys: Sequence[str] = (), *, max_usd: float | None = None
) -> AsyncIterator[Extractor]:
    """Open the extractor of the project with the scrapy.cfg *cfg*. *keys*: empty for those of the environment.

    *max_usd*: the most that its calls may cost. Raises ConfigError for it where the model has no prices.
    """
    model = load_model(settings)
    if max_usd is not None and not (model.input_price or model.output_price):
        raise ConfigError("max_usd needs prices: set RORI_LLM_INPUT_PRICE and RORI_LLM_OUTPUT_PRICE")
    for key in keys:
        get_redactor().learn(key)
    url = Locations.from_settings(settings, cfg).database_url
    with open_ledger(url, timeout_s=settings.getfloat("RORI_LEDGER_TIMEOUT")) as ledger:
        budget = TokenBudget(ledger, model, max_usd=max_usd)
        async with ModelClient(model, KeyRotator(keys or load_keys()), budget) as client:
            yield Extractor(
                ledger, client, FolderCache(setting_path("RORI_EXTRACTION_CACHE_DIR", settings, cfg), ExtractionResult)
            )
