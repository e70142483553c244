"""What is known once all has been asked: pages that robots.txt forbids, links not followed, pages held and not met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.items import Visit
from rori_spiders.urls import origin_of, url_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rori_spiders.job import Job
    from rori_spiders.mapping.inventory import Inventory
    from rori_spiders.run import Run

_NAMED = "links are not followed: the sitemaps name the pages (follow_links)"
_SWITCHED_OFF = "links are not followed (follow_links)"


def close(inventory: Inventory, run: Run, job: Job, links: Mapping[str, str]) -> None:
    """Bring *inventory* to its end. *links*: in scope, on pages that were asked -> where."""
    if run.follow is False:
        why = _SWITCHED_OFF if run.source.scrape_config.follow_links is False else _NAMED
        left, excluded = run.sift(_left(run, links))
        inventory.excluded([*excluded, *((visit, why) for visit in left)])
    if run.source.method == "crawl":
        inventory.discovered(_not_met(inventory, run))
    for entry in inventory.pages:
        file = job.robots.get(origin_of(entry.url))
        is_open = file is None or file.outcome == "unavailable" or file.allows(entry.url)
        if entry.state == "collect" and not is_open:
            entry.state, entry.reason = "excluded", f"robots.txt disallows {entry.url}"
    inventory.changed(run.lastmods)
    inventory.finish()


def _left(run: Run, links: Mapping[str, str]) -> Iterator[Visit]:
    for url, found_on in links.items():
        if url_hash(url) not in run.known:
            yield Visit(run.run_id, run.source_id, url, depth=1, found_on=found_on, found_by="link")


def _not_met(inventory: Inventory, run: Run) -> Iterator[Visit]:
    """The pages that are held, and that nothing led to: a collection asks for them as well."""
    for key, url in inventory.held.items():
        if key not in run.known and run.scope.excludes(url) is None and url not in inventory.entries:
            yield Visit(run.run_id, run.source_id, url, found_by="kept")
