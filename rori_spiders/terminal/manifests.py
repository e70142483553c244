"""What `scrapy manifest` prints: what a manifest covers, what bounds its crawls, what activating one ends,
the results of `--online`.
"""

import json
import signal
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from rori_spiders.configuration.locations import Locations
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.preview.map_spider import MapInventory
from rori_spiders.crawl.preview.online_validation import SourceCheck
from rori_spiders.crawl.preview.run_forecast import estimate_crawl, pages_of_last_run
from rori_spiders.crawl.preview.source_proposal import Proposal, SiteLook
from rori_spiders.exceptions import ManifestError, UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import source_status
from rori_spiders.manifest.catalog import Catalog, LoadedManifest
from rori_spiders.manifest.coverage import SubjectCoverage, report_coverage
from rori_spiders.manifest.loading import packaged_names, packaged_path, parse_manifest
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.versions import ManifestRemoval
from rori_spiders.manifest.vocabulary import DEFAULT_FREQUENCIES
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_program
from rori_spiders.terminal.listing import Column, label_of_key, print_hint, write_details, write_listing

WIDTH = 100

_STATE_COLOURS = (("active", "green"), ("in part", "yellow"), ("proposed", "yellow"), ("none", "bold red"))
COVERAGE_COLUMNS = (
    Column("category", "category"),
    Column("subject", "to be covered"),
    Column("state", "status", colours=_STATE_COLOURS),
    Column("frequency", "how often"),
    Column("sources", "by"),
    Column("why", "why not"),
)
_SOURCES_NAMED = 3
_MAX_ESTIMATES_SHOWN = 20


def print_coverage(loaded: LoadedManifest, ledger: Ledger | None) -> None:
    """Print which of what the manifest is to cover has active sources, which these are, and how many were collected."""
    covered = report_coverage(loaded.manifest)
    active = sum(one.state == "active" for one in covered)
    what = "subjects" if loaded.manifest.subjects else "categories"
    print(f"Coverage: {active} of {len(covered)} {what} with all sources active. {_describe_collected(loaded, ledger)}")
    write_listing(map(_coverage_row, covered), COVERAGE_COLUMNS)
    named = {source.id for one in covered for source in one.sources}
    others = Counter(one.status for one in loaded.manifest.sources if one.id not in named)
    if others:
        by_status = ", ".join(f"{count} {status}" for status, count in others.most_common())
        print(f"Beside these: {format_count(others.total(), 'source')} ({by_status}).")


def _describe_collected(loaded: LoadedManifest, ledger: Ledger | None) -> str:
    """What runs have shown of the active sources, as far as this ledger knows."""
    ids = [source.id for source in loaded.manifest.sources if source.status == "active"]
    states = {} if ledger is None else ledger.read(source_status.load_states)
    collected = sum(one in states and states[one].last_checked_at is not None for one in ids)
    return f"Active sources with a complete run here: {collected} of {len(ids)}."


def _coverage_row(one: SubjectCoverage) -> dict[str, object]:
    counted = f"{one.state}: {len(one.active)} of {len(one.sources)}" if one.state == "in part" else one.state
    return {
        "category": one.category,
        "subject": one.name,
        "state": counted,
        "frequency": _describe_frequencies(one),
        "sources": _describe_sources(one),
        "why": one.why,
    }


def _describe_frequencies(one: SubjectCoverage) -> str:
    words = ", ".join(one.frequencies)
    return f"{words} (default {DEFAULT_FREQUENCIES[one.category]})" if one.slower else words


def _describe_sources(one: SubjectCoverage) -> str:
    """The sources that collect it, and those that somebody may want to activate."""
    active = _list_some([source.id for source in one.active])
    waiting = _list_some([f"{source.id} ({source.status})" for source in one.sources if source.status != "active"])
    return f"{active}; not {waiting}" if active and waiting else active or waiting


def _list_some(names: Sequence[str]) -> str:
    rest = len(names) - _SOURCES_NAMED
    return ", ".join(names[:_SOURCES_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def print_estimates(catalog: Catalog, ledger: Ledger | None, max_pages: int) -> None:
    """Print what bounds each active crawl and what it would request, the largest first; warn of large ones."""
    found = [
        (source, estimate_crawl(source, catalog, max_pages=max_pages, pages=pages_of_last_run(ledger, source.id)))
        for source in catalog.sources
        if source.status == "active" and source.method != "scrape"
    ]
    found.sort(key=lambda one: -one[1].duration.seconds)
    large = [f"warning: {source.id}: {estimate.warning}\n" for source, estimate in found if estimate.warning]
    small = [f"  {source.id}: {estimate}\n" for source, estimate in found if not estimate.warning]
    for lines, out in ((large, sys.stderr), (small, sys.stdout)):
        out.writelines(lines[:_MAX_ESTIMATES_SHOWN])
        if len(lines) > _MAX_ESTIMATES_SHOWN:
            out.write(
                name_program(f"  and {len(lines) - _MAX_ESTIMATES_SHOWN} more: scrapy collect --dry-run --force\n")
            )


def print_removals(endings: Sequence[ManifestRemoval] | None, *, would: bool = False) -> None:
    """Print which sources are no longer collected; *would*: once activated. None: unknown."""
    if endings is None:
        print("The previously active manifest is invalid in this version, so its removed sources cannot be listed.")
        return
    for one in endings:
        print(_describe_removal(one, would=would))
        ids = ", ".join(source.id for source in one.sources)
        print(textwrap.indent(textwrap.fill(ids, WIDTH, break_on_hyphens=False), "  ")) if ids else None
        if one.whole and one.manifest.origin == "packaged":
            print_hint(
                f"The packaged manifest {one.manifest.name} is active only while no other manifest is. "
                f"To collect it as well: scrapy manifest activate {packaged_path(one.manifest.name)}"
            )


def _describe_removal(one: ManifestRemoval, *, would: bool) -> str:
    many, name = len(one.sources), one.manifest.name
    what = f"No longer collected{' once this is activated' if would else ''}: {format_count(many, 'source')} of {name}"
    return f"{what}, which {'ends' if would else 'has ended'}{':' if many else '.'}" if one.whole else f"{what}:"


# ``scrapy manifest validate --online``: progress, listing, exit code.

_COLOURS = (("ok", "green"), ("warning", "yellow"), ("locked", "yellow"), ("failed", "red"), ("refused", "bold red"))
ONLINE_COLUMNS = (
    Column("id", "source"),
    Column("url"),
    Column("result", "result", colours=_COLOURS),
    Column("robots", "robots.txt"),
    Column("crawl_delay_s", "delay", right=True),
    Column("status", "HTTP", right=True),
    Column("verdict", "verdict"),
    Column("final_url", "leads to"),
    Column("in_domain"),
    Column("why", "why"),
)


def validate_online(settings: Settings, catalog: Catalog, sources: Sequence[Source], form: str) -> int:
    """Request each of *sources* once and list the results in *form*. 0: all good; 1: some failed; 2: some refused."""
    from rori_spiders.crawl.preview.online_validation import OnlineValidationSpider, SourceCheck
    from rori_spiders.terminal.crawl_runner import run_spider

    checks = [SourceCheck(source) for source in sources]

    def report(one: SourceCheck) -> None:
        if sys.stderr.isatty():
            done = sum(other.is_over for other in checks)
            sys.stderr.write(f"{done} of {len(checks)}: {one.source.id}: {one.result}\n")

    job = run_spider(
        AsyncCrawlerProcess(settings), OnlineValidationSpider, catalog=catalog, checks=checks, report=report
    )
    # All requests are done: a second Ctrl-C may end us while we print.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if job.refused is not None:
        raise job.refused
    write_listing((_online_row(one, form) for one in checks), ONLINE_COLUMNS, form)
    results = Counter(one.result for one in checks)
    if form == "table":
        print(
            f"{format_count(len(checks), 'source')}: "
            f"{', '.join(f'{count} {label_of_key(result).lower()}' for result, count in results.most_common())}."
        )
    return 2 if results["refused"] else int(bool(results.keys() - {"ok", "warning"}))


def _online_row(check: SourceCheck, form: str) -> dict[str, object]:
    row = check.row()
    if form == "table":
        row["result"] = label_of_key(check.result).lower()
    leads_nowhere_else = form == "table" and row["final_url"] == row["url"]
    return row | {"why": escape_one_line(check.why), "final_url": None if leads_nowhere_else else row["final_url"]}


# ``scrapy manifest add``: look at a site, and print the source that is proposed for it.


def look_at_site(
    settings: Settings, catalog: Catalog, source: Source, actor: str
) -> tuple[SiteLook, MapInventory, Job]:
    """Look at the site of *source*, one of *catalog*, as `scrapy map` does. Raises ManifestError without a page."""
    from rori_spiders.crawl.preview.map_spider import MapInventory, MapRequest
    from rori_spiders.crawl.preview.source_proposal import ProposalSpider, SiteLook
    from rori_spiders.terminal.crawl_runner import run_spider

    look, inventory = SiteLook(), MapInventory()
    job = run_spider(
        AsyncCrawlerProcess(settings),
        ProposalSpider,
        catalog=catalog,
        wanted=MapRequest(source, actor),
        inventory=inventory,
        report=lambda *_: None,
        look=look,
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)
    job.raise_problem()
    if look.start is None:
        raise ManifestError([_describe_refusal(source, look, job)])
    return look, inventory, job


def _describe_refusal(source: Source, look: SiteLook, job: Job) -> str:
    if source.id in job.locked_sources:
        return f"{source.url}: cannot be looked at now: {job.locked_sources[source.id]}"
    if look.why_not is None:
        return f"{source.url}: stopped before its page was read; nothing was added"
    hint = f" Add that address instead: scrapy manifest add {look.redirected_to}" if look.redirected_to else ""
    return f"{source.url}: it cannot be a source: {look.why_not}{hint}"


def print_proposal(proposal: Proposal, look: SiteLook, inventory: MapInventory, job: Job, catalog: Catalog) -> None:
    """Print what was seen, the entry, and what a person should check; *catalog*: with the proposed source.

    Raises ManifestError where there is nothing to collect.
    """
    from rori_spiders.crawl.preview.source_proposal import refused_sitemaps
    from rori_spiders.manifest.manifest_text import format_source
    from rori_spiders.manifest.scope import pattern_warnings
    from rori_spiders.terminal.site_map import describe_known_pages, describe_requests, describe_robots, map_notes

    start, run, source = look.start, inventory.run, catalog.source(proposal.entry["id"])
    assert start is not None and run is not None, "proposed only where there is a page"
    estimate = estimate_crawl(
        source,
        catalog,
        max_pages=job.settings.getint("RORI_MAX_PAGES"),
        pages=proposal.pages,
        every_s=job.politeness.pace(catalog.group(source.host)).spacing,
    )
    write_details(
        {
            "Address": start.url,
            "robots.txt": describe_robots(job),
            "Requested": describe_requests(inventory, job),
            "Found": describe_known_pages(inventory),
            "Tier": start.tier,
            "Feeds": ", ".join(start.feeds) or None,
            "Collection": str(estimate),
        }
    )
    print(f"\n{format_source(proposal.entry)}\n")
    guessed = (
        "`jurisdiction` and `source_type` are taken from sources of the same site, else from the address: correct them "
        "with --jurisdiction, --source-type"
    )
    notes = [guessed, *map_notes(inventory, run, job), *pattern_warnings(catalog, only=[source.id])]
    if refused := refused_sitemaps(inventory):
        notes.append(
            f"{format_count(len(refused), 'sitemap')} at an address that is refused left out of `sitemaps`: pages that "
            "nothing else names are not collected"
        )
    for note in notes:
        print(f"  ! {escape_one_line(note)}")
    if not proposal.pages:
        raise ManifestError([f"{start.url}: no page to collect was found; nothing was added"])


# Writing entries into a manifest of the operator's own.


def choose_file_to_write(places: Locations, file_name: str | None) -> Path:
    """The manifest to add sources to. Raises UsageError where no file of the operator's own is named."""
    path = Path(file_name) if file_name else next(reversed(places.manifests), None)
    if path is None:
        raise UsageError("--to FILE is required: the manifest to add the source to, created if it does not exist")
    packaged = {Path(packaged_path(name)).resolve() for name in packaged_names()}
    if path.resolve() in packaged or (not path.exists() and path.name in {one.name for one in packaged}):
        raise UsageError(f"{path} is a packaged manifest and cannot be changed; name your own file with --to FILE")
    return path


def parse_entry(entry: dict[str, Any], defaults: Any, places: Locations) -> LoadedManifest:
    """A manifest of one source, as valid as any other, with its file's *defaults*. Raises ManifestError."""
    text = json.dumps({"version": "1.0.0", "defaults": defaults, "sources": [entry]})
    return parse_manifest(text, name="proposed source", origin=entry["url"], allowed_addresses=places.allowed_addresses)


def describe_next_step(target: Path, catalog: Catalog, places: Locations, *, are_proposed: bool = False) -> str:
    """How the sources that were added to *target* come to be collected; *are_proposed*: a person activates each."""
    activate = "scrapy manifest activate-source ID"
    if target.resolve() in {one.resolve() for one in places.manifests}:
        step = "The next `scrapy collect` collects it."
        return f"Activate what you want collected: {activate}. {step}" if are_proposed else step
    if places.manifests:
        step = f"Add {target} to RORI_MANIFEST."
    else:
        packaged = [f"{one.name}.json" for one in catalog.loaded if one.origin == "packaged"]
        step = f"Activate it: scrapy manifest activate {' '.join([*packaged, str(target)])}"
    return f"{step} Then: {activate}" if are_proposed else step
