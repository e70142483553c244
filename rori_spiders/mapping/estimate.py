"""How long a collection of what is known would take: each group of hosts at its own pace, all at the same time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rori_spiders.schedule import hours_of, span
from rori_spiders.urls import host_of, origin_of

if TYPE_CHECKING:
    from rori_spiders.job import Job
    from rori_spiders.manifest.models import Source
    from rori_spiders.mapping.inventory import Inventory
    from rori_spiders.schedule import Span


def estimate(inventory: Inventory, source: Source, job: Job) -> Span:
    """The longest of its groups: a request for each page that would be collected, each list, and each robots.txt.

    At the pace that is known now: the manifest's delay, or what robots.txt asks for, with our margin.
    """
    urls = {entry.url for entry in inventory.entries.values() if entry.state != "excluded"}
    hosts = Counter(host_of(url) for url in [*urls, *{origin_of(url) for url in urls}])
    groups: Counter[str] = Counter()
    for host, requests in hosts.items():
        groups[job.group(host)] += requests
    hours = hours_of(source.url, job.catalog.rules)
    spans = [span(requests, job.politeness.pace(group).spacing, hours) for group, requests in groups.items()]
    return max(
        spans, key=lambda one: one.seconds, default=span(0, job.politeness.pace(job.group(source.host)).spacing, hours)
    )
