"""Run ``scrapy extract``: scrape in this process, show progress at a terminal, give one row per value."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrapy.settings import BaseSettings

from rori_spiders.crawl.adhoc.forked_worker import ForkedWorker
from rori_spiders.fields.config import ScraperConfig
from rori_spiders.fields.records import Conflict, Record, UngroundedValue
from rori_spiders.fields.schema import Fields
from rori_spiders.fields.scraper import Scraper, ScrapeResult
from rori_spiders.llm.budget import Spending
from rori_spiders.llm.model import Model
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import write_progress_line
from rori_spiders.terminal.listing import Column

EXTRACTION_COLUMNS = (
    Column("field", "field"),
    Column("value", "value"),
    Column("raw"),
    Column("quote", "quote"),
    Column("heading_path", "section"),
    Column("url", "page"),
    Column("start"),
    Column("end"),
    Column("content_hash"),
)
#: What the questions about each page would take at most (``--estimate``).
ESTIMATE_COLUMNS = (
    Column("url", "page"),
    Column("parts", "parts", right=True),
    Column("input_tokens", "tokens asked", right=True),
    Column("output_tokens", "tokens answered", right=True),
    Column("usd", "USD", right=True),
    Column("left_out", "too long", right=True),
    Column("is_cached", "answered before"),
)


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """The arguments of one extraction."""

    urls: Sequence[str]
    fields: Fields
    config: ScraperConfig
    crawl: bool = False
    max_pages: int | None = None
    max_depth: int | None = None
    only_estimate: bool = False
    streams: bool = False  # print each page's values as a line of JSON each, when the page is done


@dataclass(slots=True)
class ExtractedRows:
    """The result: one row per value, or one estimate per page; and the failed pages with their errors."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    estimates: list[dict[str, Any]] = field(default_factory=list)
    pages: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    unsupported: list[UngroundedValue] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # fields without a value anywhere
    excluded: int = 0
    streamed: set[str] = field(default_factory=set)  # lines of JSON that were printed
    is_stopped: bool = False  # by Ctrl-C: what was found until then
    spending: Spending = field(default_factory=Spending)
    has_prices: bool = False  # else what tokens cost is not known

    def take_page(self, result: ScrapeResult, model: Model) -> None:
        """Count the page, keep its error or estimate, and show the progress."""
        self.pages += result.success
        if result.error is not None:
            self.failed[result.url] = result.error
        if (one := result.estimate) is not None:
            usd = round(model.worth(one.input_tokens, one.output_tokens), 6)
            self.estimates.append({"url": result.url, **one._asdict(), "usd": usd})
        write_progress_line(
            f"{format_count(self.pages, 'page')} processed, {len(self.failed)} failed (press Ctrl-C to stop)"
        )

    def take(self, record: Record, *, streams: bool = False) -> None:
        if streams:
            self.stream(record)
        self.rows += _rows_of(record)
        self.unsupported += record.unsupported
        self.conflicts += record.conflicts

    def stream(self, record: Record) -> None:
        """Print the values of *record* that were not printed before as lines of JSON."""
        lines = [f"{json.dumps(row, ensure_ascii=False)}\n" for row in _rows_of(record)]
        sys.stdout.writelines(line for line in lines if line not in self.streamed)
        sys.stdout.flush()
        self.streamed.update(lines)

    def print_explanation(self) -> None:
        """Print each rejected answer and each conflict to stderr, with the reason."""
        for one in self.unsupported:
            quote = f"quote {_shorten(one.quote)}" if one.quote else "no quote"
            line = f"rejected {one.path} = {one.value!r}: {one.reason}: {one.says} ({quote}; {one.url})"
            sys.stderr.write(f"{escape_one_line(line)}\n")
        for both in self.conflicts:
            first, other = both.kept, both.other
            quotes = f"{_shorten(first.proof.quote)} of {first.proof.url}"
            quotes = f"{quotes} and {_shorten(other.proof.quote)} of {other.proof.url}"
            line = f"conflict {both.field}: {first.value!r} is kept, {other.value!r} is not (quotes {quotes})"
            sys.stderr.write(f"{escape_one_line(line)}\n")

    def print_estimate(self) -> int:
        """Print failures and the sum of the estimates to stderr; return the exit code: 1 if a page failed."""
        self._print_failures()
        parts, input_tokens, output_tokens = (sum(one[name] for one in self.estimates) for name in _SUMMED)
        usd = f"{sum(one['usd'] for one in self.estimates):.4f} USD" if self.has_prices else "no prices are set"
        sys.stderr.write(
            f"{format_count(parts, 'part')} of {format_count(self.pages, 'page')}: at most {input_tokens} tokens asked "
            f"and {output_tokens} answered, {usd}. The model was not asked.\n"
        )
        return 1 if self.failed else 0

    def _print_failures(self) -> None:
        for url, why in self.failed.items():
            sys.stderr.write(f"failed   {escape_one_line(url)}: {escape_one_line(why)}\n")

    def print_summary(self, *, is_explained: bool = False) -> int:
        """Print failures and a summary to stderr; return the exit code: 1 if a page failed."""
        self._print_failures()
        parts = [f"{format_count(len(self.rows), 'value')} from {format_count(self.pages, 'page')}"]
        parts += [f"{self.excluded} excluded"] if self.excluded else []
        where = "" if is_explained else " (--explain says why)"
        parts += [f"{format_count(len(self.unsupported), 'answer')} rejected{where}"] if self.unsupported else []
        parts += [format_count(len(self.conflicts), "conflict")] if self.conflicts else []
        parts += [f"no value for {', '.join(self.missing)}"] if self.missing and self.pages else []
        parts += [self._spent()] if self.spending.calls else []
        sys.stderr.write("; ".join(parts) + ".\n")
        return 1 if self.failed else 0

    def _spent(self) -> str:
        calls, tokens, usd, unreported = self.spending
        price = f", {usd:.4f} USD" if self.has_prices else ""
        ours = f" ({unreported} without a count by the server: counted in full)" if unreported else ""
        return f"{format_count(calls, 'call')} of the model: {tokens} tokens{price}{ours}"


def _rows_of(record: Record) -> Iterator[dict[str, Any]]:
    """A row for each value; the values of an object have its path, of an item with its number: ``fees[0].amount``."""
    items: Counter[str] = Counter()
    for one in record.found:
        item = f"{one.field}[{items[one.field]}]"
        items[one.field] += 1
        for part in one.parts or (one,):
            name = item + part.field.removeprefix(one.field) if one.parts else part.field
            proof = part.proof.model_dump(exclude={"occurrences"})
            yield {"field": name, "value": part.value, "raw": part.raw, **proof}


_SUMMED = ("parts", "input_tokens", "output_tokens")
#: Characters of a quote that are shown.
_QUOTE_CHARS = 200


def _shorten(quote: str) -> str:
    text = " ".join(quote.split())
    return repr(text if len(text) <= _QUOTE_CHARS else f"{text[:_QUOTE_CHARS]}...")


def run_extraction(settings: BaseSettings, wanted: ExtractionRequest, forked: ForkedWorker) -> ExtractedRows:
    """Run the extraction with the pages that *forked* fetches. Raises ConfigError, FetchError, LedgerError; Ctrl-C
    stops it cleanly, and what was found until then is returned.
    """
    found = ExtractedRows()
    try:
        asyncio.run(_extract_pages(settings, wanted, forked, found))
    except KeyboardInterrupt:
        found.is_stopped = True
    write_progress_line("")
    has = {row["field"].partition("[")[0] for row in found.rows}
    found.missing = [leaf.name for one in wanted.fields for leaf in one.leaves if leaf.name not in has]
    return found


async def _extract_pages(
    settings: BaseSettings, wanted: ExtractionRequest, forked: ForkedWorker, found: ExtractedRows
) -> None:
    only_estimate = wanted.only_estimate
    async with Scraper(wanted.config, settings=settings, only_estimate=only_estimate, forked=forked) as scraper:
        found.has_prices = bool(scraper.model.worth(1, 1))
        try:
            await (_crawl if wanted.crawl else _scrape)(scraper, wanted, found)
        finally:
            found.spending = scraper.spending


async def _crawl(scraper: Scraper, wanted: ExtractionRequest, found: ExtractedRows) -> None:
    crawling = scraper.crawl(wanted.urls[0], wanted.fields, wanted.max_pages, wanted.max_depth)
    try:
        async for result in crawling:
            found.take_page(result, scraper.model)
            if wanted.streams:
                found.stream(crawling.state.merged)
    finally:
        found.take(crawling.state.merged)
        found.excluded = len(crawling.state.excluded)


async def _scrape(scraper: Scraper, wanted: ExtractionRequest, found: ExtractedRows) -> None:
    results = scraper.scrape_many(wanted.urls, wanted.fields)
    try:
        async for result in results:
            found.take_page(result, scraper.model)
            found.take(result.record, streams=wanted.streams)
    finally:
        await results.aclose()  # calls under way have ended then, and are counted
