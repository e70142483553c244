"""Load one spider for each source of the active manifests, in addition to the methods' own.

So ``scrapy list``, ``scrapy crawl SOURCE``, ``scrapy shell URL`` and Scrapyd know the sources by their ids. The ledger
is only read, and a broken manifest takes nothing away but its own sources: what is wrong is said once.
"""

from __future__ import annotations

import builtins  # noqa: TC003
import logging
import sys
from typing import TYPE_CHECKING

from scrapy.spiderloader import SpiderLoader
from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.active_manifest import load_active_catalog_or_warning
from rori_spiders.configuration.locations import Locations
from rori_spiders.configuration.setting_values import check_settings
from rori_spiders.crawl.scrapy_internals.engine import install_log_format
from rori_spiders.crawl.source_finder import SourceFinder
from rori_spiders.exceptions import UsageError
from rori_spiders.manifest.headers import register_header_secrets
from rori_spiders.runtime import redacted_output
from rori_spiders.runtime.file_permissions import restrict_new_files
from rori_spiders.runtime.log_formatters import JobFormatter
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.spiders.sources import MediaWikiSpider, PageSpider, SiteSpider, SourcesSpider
from rori_spiders.urls.canonical import host_of, normalise_url

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.settings import BaseSettings

    from rori_spiders.manifest.models import Source

logger = logging.getLogger(__name__)

_SPIDERS_BY_METHOD: dict[str, type[SourcesSpider]] = {
    "scrape": PageSpider,
    "crawl": SiteSpider,
    "mediawiki": MediaWikiSpider,
}


class ManifestSpiderLoader(SpiderLoader):
    """Scrapy's loader of the method spiders, and a class made for each source."""

    def __init__(self, settings: BaseSettings) -> None:
        redacted_output.install_redaction()  # Scrapy sets up its logging after this
        super().__init__(settings)
        # For Scrapy's own commands, which pass here first, as ours do elsewhere: a sentence and exit code 2.
        try:
            check_settings(settings)
        except UsageError as error:
            sys.stderr.write(redacted_output.make_printable(f"{error}\n"))
            raise SystemExit(error.exit_code) from error
        restrict_new_files(settings["RORI_UMASK"])
        install_log_format(settings)
        JobFormatter.job_id = settings["RORI_JOB_ID"] or None  # for the lines that are written before there is a job
        active = load_active_catalog_or_warning(Locations.from_settings(settings, closest_scrapy_cfg()))
        self._warning = active.warning
        self._catalog = active.catalog
        register_header_secrets(active.catalog.sources, get_redactor())
        for source in active.catalog.sources:
            self._spiders[source.id] = build_spider_class(source)

    def list(self) -> list[str]:
        self._warn()
        return super().list()

    def load(self, spider_name: str) -> type[Spider]:
        if spider_name not in self._spiders:
            self._warn()
        return super().load(spider_name)

    def _warn(self) -> None:
        """Say once what is wrong when a spider is not there: a job says it by itself."""
        if self._warning:
            logger.error("%(warning)s", {"warning": self._warning})
            self._warning = None

    def find_by_request(self, request: Request) -> builtins.list[str]:
        """The source that collects the URL of *request*, which `scrapy shell` takes; none where none does."""
        try:
            found = SourceFinder(self._catalog).find(normalise_url(request.url))
        except ValueError:
            return []
        return [] if found is None else [found.id]


def build_spider_class(source: Source) -> type[SourcesSpider]:
    """The spider of one source: its method's, by the source's name."""
    base = _SPIDERS_BY_METHOD[source.method]
    return type(
        base.__name__,
        (base,),
        {
            "__doc__": f"{source.name} ({source.url})",
            "__module__": base.__module__,
            "name": source.id,
            "source_ids": (source.id,),
            "allowed_domains": [host_of(source.url)],
        },
    )
