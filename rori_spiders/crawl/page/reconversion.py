"""Stored bytes to a text again, as a run of today converts them, for ``scrapy verify --reconvert``."""

import asyncio
import threading
from typing import Self

from rori_spiders.content import converter_version
from rori_spiders.content.convert import digest
from rori_spiders.crawl.conversion_options import conversion_options
from rori_spiders.crawl.tiers.order import restore_page
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.workers.conversion import conversion_weight
from rori_spiders.workers.pool import WorkPool


class Reconverter:
    """Converts in the processes of *pool*, with the options that *catalog* has. Any thread may ask."""

    def __init__(self, catalog: Catalog, pool: WorkPool, processes: int) -> None:
        self.processes = processes
        self._catalog, self._pool = catalog, pool
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="reconversion", daemon=True)
        self._sources = {source.id for source in catalog.sources}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._pool.close()

    def manifest_version(self, source_id: str) -> str | None:
        """The version of the manifest that has the source; None when none has it."""
        return self._catalog.loaded_of(source_id).manifest.version if source_id in self._sources else None

    def converter_version(self, source_id: str) -> str:
        """Of what `convert` makes of a page of the known source."""
        return converter_version(self._catalog.source(source_id).scrape_config.ocr)

    def convert(self, source_id: str, tier: str, received: bytes, content_type: str | None, url: str) -> str:
        """The text of a page of a known source. Raises ConversionError, and ValueError if it is not a page."""
        body, kind = restore_page(tier, received, content_type, url)
        options = conversion_options(self._catalog.source(source_id))
        made = self._pool.run(conversion_weight(body), digest, body, url=url, content_type=kind, options=options)
        return asyncio.run_coroutine_threadsafe(made, self._loop).result().markdown
