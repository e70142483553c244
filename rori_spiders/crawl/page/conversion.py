"""Bytes to a page: markdown, metadata, links and hints, in the pool. What cannot be converted fails with its reason."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import DropItem

from rori_spiders.content.convert import digest
from rori_spiders.crawl.conversion_options import conversion_options
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page.duplicates import find_canonical_page, find_duplicate
from rori_spiders.crawl.page_request import assessed_body
from rori_spiders.crawl.walkers import echoed_secrets
from rori_spiders.exceptions import ConversionError, JobStopped
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.workers.conversion import conversion_weight

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from rori_spiders.content.convert import Converted
    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.manifest.models import Source

logger = logging.getLogger(__name__)


async def convert_item(crawler: Crawler, item: PageItem) -> None:
    """Convert a captured page; one that is a duplicate, echoes a secret or has no text gets its state instead.

    Raises DropItem where the job stops first.
    """
    job = Job.of(crawler)
    assert item.fetched is not None
    facts, source = item.fetched, job.manifests.catalog.source(item.visit.source_id)
    if source.method == "crawl" and (other := await find_duplicate(job, item, facts)) is not None:
        item.state, item.reason, item.alias_of = "excluded", Reason(ReasonCode.SAME_BYTES, target_url=other), other
        return
    try:
        converted = await _convert_fetched(job, item, facts, source)
    except JobStopped as error:
        raise DropItem(str(error)) from error
    except ConversionError as error:
        crawler.stats.inc_value(f"rori/conversion/{error.reason}")
        item.state, item.reason = "failed", Reason(error.reason, error=str(error))
        return
    for problem in converted.plugin_problems:
        crawler.stats.inc_value("rori/plugins/failures")
        logger.warning(
            "%(url)s has less metadata, for a plug-in failed: %(plugin)s", {"url": item.visit.url, "plugin": problem}
        )
    if echoed_secrets.repeats_secret(converted, job.redactor):
        echoed_secrets.withhold_response(item)
    elif not converted.markdown.strip():
        item.state, item.reason = "failed", Reason(ReasonCode.NO_TEXT)
    elif item.visit.found_by == "start" and (missed := _unmet_expectation(source, converted.markdown)) is not None:
        item.state, item.reason = "failed", missed
    elif source.method == "crawl" and (other := await find_canonical_page(job, item, converted)) is not None:
        item.state, item.alias_of = "excluded", other
        item.reason = Reason(ReasonCode.CANONICAL_LINK, target_url=other)
    else:
        item.converted = converted


async def _convert_fetched(job: Job, item: PageItem, facts: Fetched, source: Source) -> Converted:
    """The page: as it was made when the response was judged. Raises ConversionError and JobStopped."""
    assessed = assessed_body(cast("Request | None", item.request), facts.body)
    if assessed is not None and assessed.options == conversion_options(source) and assessed.made.converted is not None:
        if isinstance(assessed.made.converted, ConversionError):
            raise assessed.made.converted
        return assessed.made.converted
    return await convert_page(
        job, facts.body, url=facts.final_url, content_type=facts.header("Content-Type"), source=source
    )


async def convert_page(job: Job, body: bytes, *, url: str, content_type: str | None, source: Source) -> Converted:
    """A page of *source*, made of *body* in the pool. Raises ConversionError and JobStopped."""
    options = conversion_options(source)
    return await job.workers.run(
        conversion_weight(body), digest, body, url=url, content_type=content_type, options=options
    )


def _fold(text: str) -> str:
    """*text* without capitals and line breaks: as verdicts look for expected phrases."""
    return " ".join(text.casefold().split())


def _unmet_expectation(source: Source, markdown: str) -> Reason | None:
    """What the source expects of its start page, and this one does not have."""
    expect = source.scrape_config.expect
    if expect is None:
        return None
    folded = _fold(markdown)
    missed = next((f"the text {text!r} is missing" for text in expect.must_contain if _fold(text) not in folded), None)
    if expect.min_chars is not None and len(markdown) < expect.min_chars:
        missed = f"{len(markdown)} characters, fewer than min_chars {expect.min_chars}"
    return None if missed is None else Reason(ReasonCode.EXPECTATION, error=missed, note=expect.why or None)
