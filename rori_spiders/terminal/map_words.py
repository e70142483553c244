"""A map in sentences: what was asked, what was not, what is known so far, how long a collection would take."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rori_spiders.mapping.estimate import estimate
from rori_spiders.mapping.patterns import doubts
from rori_spiders.schedule import hours_of
from rori_spiders.schedule.hours import in_words
from rori_spiders.urls import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.job import Job
    from rori_spiders.mapping import Inventory
    from rori_spiders.run import Run
    from rori_spiders.schedule import Span

#: How a URL came to be known, for people.
FOUND = {
    "start": "manifest",
    "link": "link",
    "next": "rel=next",
    "contents": "rel=contents",
    "sitemap": "sitemap",
    "map": "provider's map",
    "api": "wiki",
    "kept": "held",
}
_KINDS = {
    "page": ("page", "pages"),
    "sitemap": ("sitemap", "sitemaps"),
    "api": ("list of the wiki", "lists of the wiki"),
}


def number(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def asked(inventory: Inventory, job: Job) -> str:
    """``robots.txt of 1 host, 1 page, 3 sitemaps``."""
    counts = Counter(entry.kind for entry in inventory.entries.values() if entry.asked)
    parts = [f"robots.txt of {number(len(job.robots), 'host', 'hosts')}"] if job.robots else []
    parts += [number(counts[kind], *words) for kind, words in _KINDS.items() if counts[kind]]
    return ", ".join(parts) or "nothing"


def robots(job: Job) -> str:
    """What each robots.txt that was read says."""
    parts = []
    for origin, file in job.robots.items():
        outcome = {"rules": "read", "no_rules": "no rules"}.get(file.outcome, f"unavailable ({file.reason})")
        delay = f", one request in {file.delay_s:g} s" if file.delay_s else ""
        parts.append(f"{outcome}{delay}" + (f" ({origin})" if len(job.robots) > 1 else ""))
    return "; ".join(parts) or "not asked"


def not_asked(inventory: Inventory, run: Run) -> str:
    """What the map did not look at, so that nobody takes it for all there is."""
    if run.source.method == "scrape":
        return "anything: what a source of one page fetches stands in the manifest"
    unread = sum(entry.state == "collect" and not entry.asked for entry in inventory.pages)
    if run.source.method == "mediawiki":
        return f"{number(unread, 'page', 'pages')} that the lists name"
    what = f"{number(unread, 'page', 'pages')} themselves"
    if run.source.scrape_config.follow_links is False:
        return f"{what}; a collection follows no links of theirs either"
    if run.follow is False:
        return f"{what}; of their links a collection follows next pages and contents alone"
    return f"{what}, nor what only they link to: --depth follows links further"


def known(inventory: Inventory) -> str:
    """``431 pages known so far: 412 would be collected (12 held already), 19 excluded``."""
    counts = inventory.counts()
    held = sum(entry.held and entry.state == "collect" for entry in inventory.pages)
    parts = [f"{counts['collect']:,} would be collected ({held:,} held already)"]
    words = {"excluded": "excluded", "failed": "failed", "unanswered": "without an answer yet"}
    parts += [f"{counts[state]:,} {word}" for state, word in words.items() if counts[state]]
    return f"{number(counts.total(), 'page', 'pages')}: {', '.join(parts)}"


def in_time(inventory: Inventory, job: Job, run: Run) -> tuple[Span, str]:
    """How long a collection of what is known takes, also in words."""
    found = estimate(inventory, run.source, job)
    if not found.requests:
        return found, "nothing to ask for"
    text = f"{number(found.requests, 'request', 'requests')}, one in {found.every_s:.2f} s: {_duration(found.seconds)}"
    hours = in_words(hours_of(run.source.url, job.catalog.rules))
    if hours:
        text += f"; {number(found.nights, 'night', 'nights')} of {hours}, {found.a_night:,} requests a night"
    return found, text


def _duration(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 1:
        return "under a minute"
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.1f} h"


def notes(inventory: Inventory, run: Run, job: Job) -> Iterator[str]:
    """What a person should know beside the figures."""
    if run.stopped is not None:
        yield f"cut short ({run.stopped}): what follows is what was known by then"
    if (why := run.limited or run.lacks) is not None:
        yield why
    for entry in inventory.pages:
        if entry.found_by == "start" and entry.state == "failed":
            yield f"the start URL gives no page ({entry.reason}): a collection fails with it"
    yield from _of_lists(inventory)
    yield from doubts(run.source, (entry.url for entry in inventory.pages))
    unread = {origin for entry in inventory.pages if (origin := origin_of(entry.url)) not in job.robots}
    if job.robots and unread:
        yield f"robots.txt was not asked of {', '.join(sorted(unread)[:5])}: it may forbid some of their pages"
    if lost := sum(entry.held and entry.state != "collect" for entry in inventory.pages):
        yield f"{number(lost, 'page', 'pages')} held already would not be collected any more"
    if run.source.method == "crawl" and len(inventory.pages) <= 1:
        yield "nothing leads further than the start URL: look at its sitemaps, its links, and the source's patterns"


def _of_lists(inventory: Inventory) -> Iterator[str]:
    """Sitemaps, and lists of a wiki, that were not read, or not whole."""
    for entry in inventory.entries.values():
        if entry.kind != "page" and entry.state in {"failed", "unanswered"}:
            why = entry.reason or "not asked any more"
            yield f"{_KINDS[entry.kind][0]} not read: {entry.url} ({why})"
        elif entry.kind != "page" and entry.reason:
            yield f"{_KINDS[entry.kind][0]} {entry.url}: {entry.reason}"
