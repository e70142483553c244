"""What a rendered page loads itself: what of it is asked for, when, and what is kept of it for the run's next pages.

A rendered page is one request of politeness. What it loads goes at most three at once to a host, without the group's
delay in between; meanwhile the queue lets nothing else go to the group, whose next request is spaced from the page's
last one. Scripts and style sheets are asked for once a run.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from rori_spiders.crawl.tiers.refusals import Refused, refuse_unless_public
from rori_spiders.politeness import retries
from rori_spiders.urls.canonical import host_of, origin_of

if TYPE_CHECKING:
    from rori_spiders.crawl.job.job import Job

#: To one host, over all pages of a job: as many as we promise in docs/explanation/politeness.md.
AT_ONCE = 3
#: How soon a group is seen to be free that was busy with its other requests.
_LOOK_S = 0.1
#: Characters (base64) of a run's scripts and style sheets. The 40 of a page of an agency have 1 to 3 million.
MAX_STORED = 32 * 2**20
#: They count readers or show advertisements. Those that at least three of the saved pages in our test data load
#: from another host than their own (counted in November 2026), and the widespread clarity.ms, hotjar.com, nr-data.net.
TRACKERS = frozenset(
    (
        *("addthis.com", "adobedtm.com", "amazon-adsystem.com", "chartbeat.com", "clarity.ms"),
        *("cloudflareinsights.com", "crazyegg.com", "dap.digitalgov.gov", "doubleclick.net", "facebook.net"),
        *("foresee.com", "google-analytics.com", "googleadservices.com", "googlesyndication.com"),
        *("googletagmanager.com", "googletagservices.com", "hotjar.com", "krxd.net", "media.net", "moatads.com"),
        *("monsido.com", "nr-data.net", "outbrain.com", "scorecardresearch.com", "sharethis.com"),
        *("siteimproveanalytics.com", "skimresources.com", "stats.wp.com", "taboola.com"),
    )
)


def is_tracker(host: str) -> bool:
    labels = host.lower().split(".")
    return any(".".join(labels[at:]) in TRACKERS for at in range(len(labels)))


class StoredFile(NamedTuple):
    """A script or style sheet as its server sent it: for CDP's ``Fetch.fulfillRequest``."""

    status: int
    headers: list[dict[str, str]]
    body: str  # base64


class FileCache:
    """The scripts and style sheets of one run, by URL."""

    def __init__(self) -> None:
        self._files: dict[str, StoredFile] = {}
        self._room = MAX_STORED

    def find(self, url: str) -> StoredFile | None:
        return self._files.get(url)

    def keep(self, url: str, file: StoredFile) -> None:
        """Keep *file*, unless there is no room for it: then it is asked for again."""
        if url not in self._files and len(file.body) <= self._room:
            self._files[url] = file
            self._room -= len(file.body)


class SubresourceQueue:
    """The subresources of one page of *url*. ``turn`` lets one start; ``came`` ends it.

    *gates* are those of all pages, by host.
    """

    def __init__(self, job: Job, url: str, gates: dict[str, asyncio.Semaphore], cache: FileCache) -> None:
        self._job = job
        self._gates = gates
        self._under_way: dict[str, asyncio.Semaphore] = {}
        self.group = job.manifests.group(host_of(url))
        self.cache = cache

    def is_wanted(self, url: str) -> bool:
        """Whether it may show text: not from trackers of other hosts, nor from an address that is not public."""
        try:
            refuse_unless_public(url, self._job.addresses)
        except Refused:  # the way out would refuse it as well; nothing need wait for that
            return False
        return self.is_own(url) or not is_tracker(urlsplit(url).hostname or "")

    def is_own(self, url: str) -> bool:
        """Whether it is of the page's own group."""
        return self._job.manifests.group(host_of(url)) == self.group

    def may_frame(self, url: str) -> bool:
        """Whether a frame may show it: of the page's own group, and allowed by robots.txt, since its text is read."""
        robots = self._job.robots.get(origin_of(url))
        return self.is_own(url) and (robots is None or robots.allows(url))

    def may_read(self, url: str) -> bool:
        """Whether it may be read as a document: as a frame, where the robots.txt of its host is known to allow it."""
        return self.may_frame(url) and origin_of(url) in self._job.robots

    def document_leaves(self) -> None:
        """The page's own request, which the queue let go: the queue holds the group until the page is closed."""
        self._job.politeness.part_leaves(self.group, self)

    async def turn(self, key: str, url: str) -> bool:
        """Wait until the request *key* may leave; False when its server is cooling down, or is not ours to ask."""
        self.came(key)  # a redirect has the key of what led to it
        host = host_of(url)
        group, politeness = self._job.manifests.group(host), self._job.politeness
        at_once = min(AT_ONCE, self._job.manifests.catalog.rules(host).concurrency)
        gate = self._gates.setdefault(host, asyncio.Semaphore(at_once))
        may_leave = False
        await gate.acquire()
        try:
            while (wait := politeness.part_in(group, self)) > 0:
                await asyncio.sleep(min(wait, _LOOK_S))
            may_leave = politeness.left_alone(group) is None and self._job.leasing.may_ask(group)
        finally:
            if not may_leave:
                gate.release()
        if may_leave:
            politeness.part_leaves(group, self)
            self._under_way[key] = gate
        return may_leave

    def came(self, key: str) -> None:
        gate = self._under_way.pop(key, None)
        if gate is not None:
            gate.release()

    def refused(self, url: str, status: int, retry_after: str | None) -> None:
        """A server that has too much of it is left in peace for as long as after any other request."""
        row = retries.retry_row_for_status(status)
        if row is None:
            return
        requested_s = retries.parse_retry_after(retry_after, self._job.now()) or 0.0
        scale = self._job.retry_scale(url)
        rest = min(max(requested_s, row.waits[0] * scale), retries.MAX_REST_S)
        self._job.politeness.pause(self._job.manifests.group(host_of(url)), rest)

    def leave(self) -> None:
        """The page is closed: nothing of it is under way, and the queue goes on."""
        for key in tuple(self._under_way):
            self.came(key)
        self._job.politeness.page_ends(self)
        self._job.schedule_next_request()
