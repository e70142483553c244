"""Map a source for `scrapy map`, and print the map as tables, CSV or JSON with figures and notes."""

import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.preview.map_inventory import (
    Section,
    build_section_tree,
    check_patterns,
    count_exclusion_reasons,
    estimate_map_duration,
    folder_of_entry,
    visible_sections,
)
from rori_spiders.crawl.preview.map_spider import MapEntry, MapInventory, MapRequest, MapSpider
from rori_spiders.crawl.preview.run_forecast import CrawlEstimate, estimate_crawl, format_crawl_duration
from rori_spiders.crawl.runs.run import Run
from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_lists
from rori_spiders.crawl.tiers.mediawiki import html_pages as wiki_shown
from rori_spiders.crawl.tiers.official.registry import is_official_list, is_single_page
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import write_progress_line
from rori_spiders.runtime.table_files import format_json
from rori_spiders.terminal.crawl_runner import run_spider
from rori_spiders.terminal.listing import Column, write_details, write_listing
from rori_spiders.urls.canonical import origin_of, path_and_query


def map_source(
    settings: Settings, catalog: Catalog, wanted: MapRequest, *, form: str, section: str | None, limit: int | None
) -> int:
    """Map the source and print the map. 0: done; 1: cut short, locked by another job, or no page at the start URL."""
    inventory = MapInventory()
    process = AsyncCrawlerProcess(settings)
    job = run_spider(process, MapSpider, catalog=catalog, wanted=wanted, inventory=inventory, report=_print_progress)
    # All has been asked: a second Ctrl-C may end us while we print.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    write_progress_line("")
    job.raise_problem()
    if inventory.run is None:
        why = job.locked_sources.get(wanted.source.id, "stopped before its first request")
        sys.stderr.write(f"Cannot map {wanted.source.id}: {why}\n")
        return 1
    print_map(inventory, inventory.run, job, form=form, section=section, limit=limit)
    return 0 if _is_complete_map(inventory.run, inventory) else 1


def _is_complete_map(run: Run, inventory: MapInventory) -> bool:
    """Whether the map is complete: not cut short, no limit reached, a page at the start URL."""
    starts = [entry for entry in inventory.pages if entry.found_by == "start"]
    reached = any(entry.state == "collect" for entry in starts) or not starts
    limits = run.limits
    return reached and not (limits.stop_reason or limits.rate_limit_reason or limits.incomplete_reason)


def _print_progress(inventory: MapInventory, requests: int) -> None:
    waiting = sum(entry.state == "unanswered" for entry in inventory.entries.values())
    pages = len(inventory.entries)
    write_progress_line(f"{requests} requested, {waiting} waiting, {pages:,} URLs found (press Ctrl-C to stop)")


# Print a map: tables for people, one JSON object or CSV with one row per page for programs.

#: Default limit of table rows.
MAX_ROWS = 40
#: How many reasons and notes are printed.
_MAX_REASONS = 20


def print_map(
    inventory: MapInventory, run: Run, job: Job, *, form: str, section: str | None, limit: int | None
) -> None:
    """Print the map in *form*. *section*: only pages below it; *limit*: rows (of pages, or of the tree)."""
    of = section_function(run.source.method)
    chosen = entries_in_section(inventory.pages, section, of)
    if form == "csv":
        write_listing(islice(page_rows(chosen, of), limit), PAGE_COLUMNS, form)
    elif form == "json":
        _write_map_json(inventory, run, job, chosen, limit)
    else:
        _write_tables(inventory, run, job, chosen, section, limit or MAX_ROWS)


def _write_map_json(inventory: MapInventory, run: Run, job: Job, chosen: Sequence[MapEntry], limit: int | None) -> None:
    """Write one page per line, so that a large map is never in memory twice."""
    of = section_function(run.source.method)
    rows = islice(page_rows(chosen, of), limit)
    out = sys.stdout
    out.write(format_json(_map_facts(inventory, run, job, chosen), indent=1).removesuffix("\n}"))
    out.write(',\n "urls": [')
    for number, row in enumerate(rows):
        out.write((",\n  " if number else "\n  ") + format_json(row))
    out.write("\n ]\n}\n")


def _map_facts(inventory: MapInventory, run: Run, job: Job, chosen: Sequence[MapEntry]) -> dict[str, Any]:
    of = section_function(run.source.method)
    estimate = estimate_collection(inventory, job, run)
    lists = [entry for entry in inventory.entries.values() if entry.kind != "page"]
    counts = inventory.counts()
    return {
        "source": run.source_id,
        "start_url": run.source.url,
        "method": run.source.method,
        "complete": run.limits.stop_reason is None,
        "requested": describe_requests(inventory, job),
        "not_requested": describe_unrequested(inventory, run),
        "robots": {origin: {"outcome": one.outcome, "delay_s": one.delay_s} for origin, one in job.robots.items()},
        "known": counts.total(),
        **{state: counts[state] for state in ("collect", "excluded", "failed", "unanswered")},
        "held": sum(entry.held for entry in inventory.pages),
        "bound": estimate.bound,
        "estimate": asdict(estimate.duration) | {"max_pages": estimate.max_pages},
        "notes": list(map_notes(inventory, run, job)),
        "lists": [{"url": one.url, "kind": one.kind, "state": one.state, "reason": one.reason} for one in lists],
        "reasons": list(reason_rows(chosen)),
        "sections": [
            {name: value for name, value in row.items() if name not in {"shown", "newest"}}
            for row in section_rows(visible_sections(build_section_tree(chosen, of), 1000))
        ],
        "listed": len(chosen),
    }


def _write_tables(
    inventory: MapInventory, run: Run, job: Job, chosen: Sequence[MapEntry], section: str | None, limit: int
) -> None:
    of = section_function(run.source.method)
    estimate = estimate_collection(inventory, job, run)
    write_details(
        {
            "Source": f"{run.source_id}: {run.source.name}",
            "Start URL": run.source.url,
            "robots.txt": describe_robots(job),
            "Requested": describe_requests(inventory, job),
            "Not requested": describe_unrequested(inventory, run),
            "Found": describe_known_pages(inventory),
            "Bound": estimate.bound,
            "Collection time": format_crawl_duration(estimate.duration, estimate.hours),
        }
    )
    notes = list(map_notes(inventory, run, job))
    for note in notes[:_MAX_REASONS]:
        print(f"  ! {escape_one_line(note)}")
    if len(notes) > _MAX_REASONS:
        print(f"  ! and {len(notes) - _MAX_REASONS} more: --format json")
    found = build_section_tree(chosen, of)
    rows = list(section_rows(visible_sections(found, limit)))
    print()
    write_listing(rows, SECTION_COLUMNS)
    why = list(reason_rows(chosen))
    if why:
        print("\nNot collected:")
        write_listing(why[:_MAX_REASONS], REASON_COLUMNS)
    if len(why) > _MAX_REASONS:
        print(f"and {len(why) - _MAX_REASONS} more reasons: --format json")
    if section is not None or len(chosen) <= limit:
        _write_pages(chosen, run, section, limit)
    else:
        print("\nList the pages of a section: --section PATH; list all pages: --format csv")


def _write_pages(chosen: Sequence[MapEntry], run: Run, section: str | None, limit: int) -> None:
    if not chosen:
        print(f"No pages found below {escape_one_line(section or '')}.")
        return
    print()
    columns = [one for one in PAGE_COLUMNS if one.key not in {"held", "requested"}]
    write_listing(islice(page_rows(chosen, section_function(run.source.method)), limit), columns)
    if len(chosen) > limit:
        print(f"and {len(chosen) - limit:,} more: --limit N, or --format csv")


# A map's pages and sections as rows for CSV, JSON and tables.

_STATES = (("collect", "green"), ("excluded", "dim"), ("failed", "red"), ("unanswered", "yellow"))
PAGE_COLUMNS = (
    Column("url", "page"),
    Column("state", "result", colours=_STATES),
    Column("reason", "why"),
    Column("held", "held"),
    Column("requested", "requested"),
    Column("found_by", "found by"),
    Column("found_on"),
    Column("depth"),
    Column("lastmod", "last modified"),
    Column("title", "title"),
    Column("description"),
    Column("section"),
)
SECTION_COLUMNS = (
    Column("shown", "section"),
    Column("collect", "collect", right=True),
    Column("held", "held", right=True),
    Column("excluded", "excluded", right=True),
    Column("failed", "failed", right=True),
    Column("found_by", "found by"),
    Column("newest", "newest"),
)
REASON_COLUMNS = (
    Column("state", "state", colours=_STATES),
    Column("pages", "pages", right=True),
    Column("reason", "why"),
    Column("example", "example"),
)


_OWN = ("url", "state", "reason", "held", "requested", "found_on", "depth", "lastmod", "title", "description")
_ATTRIBUTES = {"requested": "is_requested"}


def section_function(method: str) -> Callable[[MapEntry], str]:
    """The function from a page to its section: the folder of its path; for a wiki, the list that names it."""
    return _wiki_list if method == "mediawiki" else folder_of_entry


def _wiki_list(entry: MapEntry) -> str:
    on = entry.found_on
    if on is None:
        return "named by the manifest/"
    named = wiki_lists.describe_list_url(on) if wiki_lists.is_list_url(on) else wiki_shown.describe_html_list(on)
    return f"{named.replace('/', '-')}/"


def entries_in_section(
    entries: Iterable[MapEntry], section: str | None, of: Callable[[MapEntry], str]
) -> list[MapEntry]:
    """The pages in or below *section*; all pages without one."""
    if section is None:
        return list(entries)
    return [
        entry
        for entry in entries
        if f"{of(entry)}/".startswith(section) or path_and_query(entry.url).startswith(section)
    ]


def page_rows(entries: Iterable[MapEntry], of: Callable[[MapEntry], str]) -> Iterator[dict[str, Any]]:
    """One row per page, sorted by URL."""
    for entry in sorted(entries, key=lambda one: one.url):
        yield {name: getattr(entry, _ATTRIBUTES.get(name, name)) for name in _OWN} | {
            "found_by": DISCOVERY_LABELS.get(entry.found_by, entry.found_by),
            "section": of(entry),
        }


def section_rows(found: Sequence[Section]) -> Iterator[dict[str, Any]]:
    """One row per section, with the counts below it."""
    parents: list[str] = []
    for one in found:
        parents[one.level :] = [one.name]
        own = one.name.removeprefix(parents[one.level - 1]) if one.level else one.name
        yield {
            "section": one.name,
            "shown": "  " * one.level + own,
            "pages": one.size,
            "collect": one.states["collect"],
            "held": one.held,
            "excluded": one.states["excluded"],
            "failed": one.states["failed"] + one.states["unanswered"],
            "found_by": ", ".join(f"{DISCOVERY_LABELS.get(by, by)} {count}" for by, count in one.found.most_common()),
            "lastmod": one.lastmod,
            "newest": (one.lastmod or "")[:10],
        }


def reason_rows(entries: Iterable[MapEntry]) -> Iterator[dict[str, Any]]:
    for state, reason, count, example in count_exclusion_reasons(entries):
        yield {"state": state, "reason": reason, "pages": count, "example": example}


# A map in sentences: requests made and not made, pages found, time of a collection.

#: Display names of the ways in which a URL was found.
DISCOVERY_LABELS = {
    "start": "manifest",
    "link": "link",
    "next": "rel=next",
    "contents": "rel=contents",
    "sitemap": "sitemap",
    "feed": "feed",
    "map": "provider's map",
    "api": "API",
    "ledger": "earlier run",
}
_KINDS = {"page": "page", "sitemap": "sitemap", "api": "list of the API"}


def describe_requests(inventory: MapInventory, job: Job) -> str:
    """``robots.txt of 1 host, 1 page, 3 sitemaps``."""
    counts = Counter(entry.kind for entry in inventory.entries.values() if entry.is_requested)
    parts = [f"robots.txt of {format_count(len(job.robots), 'host')}"] if job.robots else []
    parts += [format_count(counts[kind], what) for kind, what in _KINDS.items() if counts[kind]]
    return ", ".join(parts) or "nothing"


def describe_robots(job: Job) -> str:
    """The outcome and delay of each robots.txt."""
    parts = []
    for origin, file in job.robots.items():
        outcome = {"rules": "read", "no_rules": "no rules"}.get(file.outcome, f"unavailable ({file.reason})")
        delay = f", one request in {file.delay_s:g} s" if file.delay_s else ""
        parts.append(f"{outcome}{delay}" + (f" ({origin})" if len(job.robots) > 1 else ""))
    return "; ".join(parts) or "not requested"


def describe_unrequested(inventory: MapInventory, run: Run) -> str:
    """Describe what the map did not request, so that nobody takes it for complete."""
    if is_single_page(run.source):
        return "nothing: the manifest lists the pages of this source"
    unread = sum(entry.state == "collect" and not entry.is_requested for entry in inventory.pages)
    if run.source.method == "mediawiki" or is_official_list(run.source):
        return f"{format_count(unread, 'page')} on the lists"
    what = f"the content of {format_count(unread, 'page')}"
    if not run.source.scrape_config.follow_links:
        return f"{what}; a collection does not follow their links either"
    return f"{what}, and pages that only they link to (use --depth to follow links)"


def describe_known_pages(inventory: MapInventory) -> str:
    """``431 pages: 412 would be collected (12 already held), 19 excluded``."""
    counts = inventory.counts()
    held = sum(entry.held and entry.state == "collect" for entry in inventory.pages)
    parts = [f"{counts['collect']:,} would be collected ({held:,} already held)"]
    words = {"excluded": "excluded", "failed": "failed", "unanswered": "not answered yet"}
    parts += [f"{counts[state]:,} {word}" for state, word in words.items() if counts[state]]
    return f"{format_count(counts.total(), 'page')}: {', '.join(parts)}"


def estimate_collection(inventory: MapInventory, job: Job, run: Run) -> CrawlEstimate:
    """What a collection would request, by what the map knows."""
    found = estimate_map_duration(inventory, run.source, job)
    most = job.settings.getint("RORI_MAX_PAGES")
    known = sum(entry.state != "excluded" for entry in inventory.pages)
    estimate = estimate_crawl(run.source, job.manifests.catalog, max_pages=most, pages=known)
    return estimate._replace(duration=found)


def map_notes(inventory: MapInventory, run: Run, job: Job) -> Iterator[str]:
    """Notes about limits, failures and gaps of the map."""
    if run.limits.stop_reason is not None:
        yield f"stopped early ({run.limits.stop_reason}): the map is incomplete"
    if (why := run.limits.rate_limit_reason or run.limits.incomplete_reason) is not None:
        yield why
    for entry in inventory.pages:
        if entry.found_by == "start" and entry.state == "failed":
            yield f"no page at the start URL ({entry.reason}): a collection would fail"
    yield from _list_notes(inventory)
    yield from check_patterns(run.source, (entry.url for entry in inventory.pages))
    unread = {origin for entry in inventory.pages if (origin := origin_of(entry.url)) not in job.robots}
    if job.robots and unread:
        yield f"robots.txt not requested from {', '.join(sorted(unread)[:5])}: it may disallow some of their pages"
    if lost := sum(entry.held and entry.state != "collect" for entry in inventory.pages):
        yield f"{format_count(lost, 'page')} already held would no longer be collected"
    if (warning := estimate_collection(inventory, job, run).warning) is not None:
        yield warning
    if run.source.method == "crawl" and len(inventory.pages) <= 1:
        yield "no pages beyond the start URL: check its sitemaps, its links and the source's patterns"


def _list_notes(inventory: MapInventory) -> Iterator[str]:
    """Notes on sitemaps and wiki lists that were not read, or only in part."""
    for entry in inventory.entries.values():
        if entry.kind != "page" and entry.state in {"failed", "unanswered"}:
            why = entry.reason or "not requested"
            yield f"{_KINDS[entry.kind]} not read: {entry.url} ({why})"
        elif entry.kind != "page" and entry.reason:
            yield f"{_KINDS[entry.kind]} {entry.url}: {entry.reason}"
