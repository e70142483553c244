"""The parts of a page that the browser renders: each waits for its group's turn, as every other request does.

While one waits, the page's own clock stands still: what it waits for is our promise to the server, no fault of the
page. Held for long it runs on, so that every page has an end.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from rori_spiders.crawl.tiers.refusals import Refused, refuse_unless_public
from rori_spiders.politeness import retries
from rori_spiders.urls.canonical import host_of

if TYPE_CHECKING:
    from rori_spiders.crawl.job.job import Job

#: So long the clock of one page stands at most: some ninety turns of a group that is asked once in 2 seconds.
MOST_HELD_S = 180.0
#: How soon a group is seen to be free that was busy with its other requests.
_LOOK_S = 0.1


class PageClock:
    """Seconds of a page's own time: those are left out in which one of its parts was held back."""

    def __init__(self) -> None:
        self._held = 0
        self._since = 0.0
        self._sum = 0.0

    def __enter__(self) -> None:
        if not self._held:
            self._since = monotonic()
        self._held += 1

    def __exit__(self, *_: object) -> None:
        self._held -= 1
        if not self._held:
            self._sum += monotonic() - self._since

    @property
    def held_s(self) -> float:
        """Seconds that the clock has stood."""
        now = monotonic() - self._since if self._held else 0.0
        return min(self._sum + now, MOST_HELD_S)

    def __call__(self) -> float:
        return monotonic() - self.held_s


class SubresourceQueue:
    """The queue of one page's subresources. ``turn`` lets one start; ``came`` ends it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.clock = PageClock()  # the page's
        self._under_way: dict[object, str] = {}

    async def turn(self, part: object, url: str) -> bool:
        """Wait until *part* may leave; False when its server is cooling down, or is not ours to ask."""
        try:
            refuse_unless_public(url, self._job.addresses)
        except Refused:  # the way out would refuse it as well; nothing need wait for that
            return False
        group = self._job.manifests.group(host_of(url))
        politeness = self._job.politeness
        with self.clock:
            async with politeness.parts(group):
                while (wait := politeness.part_in(group)) > 0:
                    await asyncio.sleep(min(wait, _LOOK_S))
                if politeness.left_alone(group) is not None or not self._job.leasing.may_ask(group):
                    return False
                politeness.part_leaves(group)
        self._under_way[part] = group
        return True

    def follows(self, url: str) -> None:
        """A redirect of a part, which waits for nobody, has left: what comes next is spaced from it."""
        self._job.politeness.sent(self._job.manifests.group(host_of(url)))

    def came(self, part: object) -> None:
        group = self._under_way.pop(part, None)
        if group is not None:
            self._job.politeness.part_came(group)
            self._job.schedule_next_request()

    def refused(self, url: str, status: int, retry_after: str | None) -> None:
        """A server that has too much of it is left in peace for as long as after any other request."""
        row = retries.retry_row_for_status(status)
        if row is None:
            return
        asked = retries.parse_retry_after(retry_after, self._job.now()) or 0.0
        scale = self._job.retry_scale(url)
        rest = min(max(asked, row.waits[0] * scale), retries.MAX_REST_S)
        self._job.politeness.pause(self._job.manifests.group(host_of(url)), rest)

    def leave(self) -> None:
        """The page is closed: nothing of it is under way."""
        for part in tuple(self._under_way):
            self.came(part)
