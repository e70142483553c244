"""Run one crawler in this process for `collect`, `crawl` and `demo`; print its summary, give its exit code."""

import asyncio
import gc
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcessBase
from scrapy.settings import Settings

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.crawl.job.job import EndedRun, Job, hand_over_workers
from rori_spiders.crawl.runs.run import Run
from rori_spiders.crawl.tiers.browser.budget import browser_budget
from rori_spiders.exceptions import describe_error
from rori_spiders.ledger.operations.costs import spent_by_run
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.reasons import ReasonCode
from rori_spiders.reviews import count_open_items
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.malloc import use_one_malloc_arena
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal import alerts
from rori_spiders.terminal.listing import print_hint
from rori_spiders.urls.canonical import host_of
from rori_spiders.workers.pool import WorkPool

#: How many failed sources the summary lists.
MAX_FAILURES_SHOWN = 10


def run_spider(
    process: CrawlerProcessBase, spider: str | type[Spider], *, workers: WorkPool | None = None, **arguments: Any
) -> Job:
    """Run one spider in this process until it ends; return its job with the outcomes. *workers*: those of the job."""
    gc.freeze()  # what was imported until here: no look for garbage on the way to the first request goes over it
    use_one_malloc_arena()  # 18 MiB less after 500 pages of 93 kB
    crawler = process.create_crawler(spider)
    if workers is not None:
        hand_over_workers(crawler, workers)
    crawl = process.crawl(crawler, **arguments)
    process.start()
    if isinstance(crawl, asyncio.Task) and crawl.done() and (error := crawl.exception()) is not None:
        raise error  # building the engine failed: a bug or a wrong setting
    return Job.of(crawler)


def run_sources(settings: Settings, ids: Iterable[str], *, workers: WorkPool | None = None) -> Job:
    """Collect sources with a new crawler process, created here so that nothing logs before."""
    return run_spider(AsyncCrawlerProcess(settings), "sources", workers=workers, sources=",".join(ids))


def exit_code(job: Job) -> int:
    """Exit code: 0 all complete or waiting for their next crawl window; 1 some failed, were locked or are pending;
    2 refused (usage, manifest); 3 nothing could be written.
    """
    if job.refused is not None:
        return job.refused.exit_code
    if job.failure is not None:
        return job.failure.exit_code
    # A second Ctrl-C or SIGTERM exits without closing the open runs.
    if job.failed_feeds or job.locked_sources or job.runs or job.connectivity.offline_reason is not None:
        return 1
    if any(not _is_success(ended) for ended in job.ended):
        return 1
    return 0


def _is_success(ended: EndedRun) -> bool:
    """Whether the run is complete, or waits for its next crawl window, as large sites do every night."""
    return ended.outcome.state == "complete" or (ended.outcome.state == "partial" and ended.run.limits.is_window_closed)


def print_summary(job: Job) -> None:
    """Print what was collected, what failed and why, and where the results are."""
    for problem in (job.refused, job.failure):
        if problem is not None:
            sys.stderr.write(f"{describe_error(problem)}\n")
    if job.refused is not None:
        return
    total = {
        state: sum(ended.counts.get(state, 0) for ended in job.ended)
        for state in ("captured", "unchanged", "excluded", "failed", "gone", "pending", "discovered")
    }
    for line in _unrendered_lines(job):
        print_hint(line)
    complete = sum(ended.outcome.state == "complete" for ended in job.ended)
    known = (job.ended, job.locked_sources, job.paused_sources, job.runs, job.sources_waiting)
    print(f"{complete} of {sum(map(len, known))} sources complete.")
    print(
        f"{format_count(total['captured'], 'page')} new or changed, {total['unchanged']} unchanged, "
        f"{total['excluded']} excluded, {total['failed']} failed, {total['gone']} gone "
        f"({total['discovered'] - total['pending']} of {format_count(total['discovered'], 'URL')} discovered)."
    )
    if spending := _format_spending(job):
        print(spending)
    for jump in job.wall_clock.jumps:
        print(f"The clock of this machine was {jump}: recorded times before and after do not fit together.")
    _print_unfinished(job)
    for feed, why in job.failed_feeds.items():
        print(f"The feed {escape_one_line(feed)} is incomplete: {escape_one_line(why)}.")
    print(f"Staged files: {job.places.staging}\nLedger:       {job.places.shown_ledger}")


def _unrendered_lines(job: Job) -> list[str]:
    """Which sources have spent their browser budget, what to set, and what that costs."""
    ended = [one for one in job.ended if one.counts.get("failed")]
    if job.failure is not None or not ended:
        return []
    with open_existing_ledger(job.places) as ledger, ledger.connect() if ledger else nullcontext() as connection:
        if connection is None:
            return []
        code = ReasonCode.BROWSER_BUDGET_SPENT
        left = [(one.run, frontier.count_urls(connection, one.run.run_id, code)) for one in ended]
    lines = [_unrendered_line(run, pages, job) for run, pages in left if pages]
    more = len(lines) - MAX_FAILURES_SHOWN
    return [*lines[:MAX_FAILURES_SHOWN], *([f"  and {more} more sources: scrapy runs"] if more > 0 else [])]


def _unrendered_line(run: Run, pages: int, job: Job) -> str:
    budget, usage = browser_budget(run.source, job.settings), run.usage
    delay_s = job.manifests.catalog.rules(host_of(run.source.url)).delay_s
    page_s = usage.rendering_s / usage.rendered + delay_s if usage.rendered else None
    cost = "each takes some seconds" if page_s is None else f"about {pages * page_s:.0f} s more a run"
    return (
        f"{run.source_id}: {format_count(pages, 'page')} not rendered, the browser budget of {budget} is spent. "
        f'Set "browser_budget": {budget + pages} in its scrape_config ({cost}), '
        "or leave it: the next run begins with them."
    )


def _format_spending(job: Job) -> str:
    """Browser pages and provider credits of the runs, over all of their jobs; "" if none."""
    ids = [ended.run.run_id for ended in job.ended]
    if job.failure is not None or not ids:
        return ""
    with open_existing_ledger(job.places) as ledger, ledger.connect() if ledger else nullcontext() as connection:
        if connection is None:
            return ""
        pages = sum(run_records.get_run(connection, one).browser_pages for one in ids)
        paid = spent_by_run(connection, ids)
    parts = [f"{format_count(pages, 'page')} by the browser"] if pages else []
    parts += [f"{amount:g} {unit}s by {provider}" for (provider, unit), amount in sorted(paid.items()) if amount]
    return f"Spent: {', '.join(parts)}." if parts else ""


def _print_unfinished(job: Job) -> None:
    if (offline := job.connectivity.offline_reason) is not None:
        left = len(job.sources_waiting) + sum(ended.outcome.state == "partial" for ended in job.ended)
        print(f"{escape_one_line(offline)}.")
        print(f"Nothing counts against the {format_count(left, 'source')} left; the next job goes on with them.")
    for source_id, why in job.locked_sources.items():
        print(f"  locked   {source_id}: {escape_one_line(why)}")
    unfinished = [ended for ended in job.ended if ended.outcome.state != "complete"]
    for ended in unfinished[:MAX_FAILURES_SHOWN]:
        print(f"  {ended.outcome.state:8} {ended.run.source_id}: {escape_one_line(ended.outcome.reason or '')}")
    if len(unfinished) > MAX_FAILURES_SHOWN:
        print_hint(f"  and {len(unfinished) - MAX_FAILURES_SHOWN} more: scrapy runs")
    for run in job.runs.values():  # the ledger could not record that they stopped
        print(f"  stopped  {run.source_id}: its recorded pages are kept; a job can resume it in one minute")
    for source_id, why in job.paused_sources.items():
        print(f"  held     {source_id}: {escape_one_line(why)}")
    if any(ended.outcome.state == "partial" for ended in unfinished):
        print_hint("Pending pages are kept; the next `scrapy collect` resumes them.")
    if any(ended.counts.get("failed") for ended in job.ended):
        print_hint("Failures with reasons: scrapy audit --status failed")
    if waiting := _count_items_to_review(job):
        print_hint(alerts.review_hint(waiting))


def _count_items_to_review(job: Job) -> int:
    """The number of open review items of all active sources."""
    if job.failure is not None:
        return 0  # the ledger may be what failed
    with open_existing_ledger(job.places) as ledger, ledger.connect() if ledger else nullcontext() as connection:
        return (
            count_open_items(connection, {source.id for source in job.manifests.catalog.sources})
            if connection is not None
            else 0
        )
