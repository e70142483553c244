"""A site that is collected by jobs which are killed at random moments, and what must hold of it afterwards.

In: a project, a site, a seed. Out: nothing, or an AssertionError that names what was lost, doubled or torn.
"""

from __future__ import annotations

import random
import sqlite3
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from tests.crawl.jobs import job
from tests.crawl.left import Left, path_of
from tests.crawl.pages import page
from tests.project import source

if TYPE_CHECKING:
    from tests.project import Project
    from tests.server import Site

#: Pages of the site, those that a page links to, and those that a new edition changes (one in so many).
PAGES, LINKS, CHANGED = 40, 6, 3
#: A kill comes after so many more requests at most, and so many seconds later: what was asked last is then converted,
#: staged, indexed, committed, or none of it.
MOST_REQUESTS, MOST_S = 12, 0.7
_PAST = "2026-01-01T00:00:00.000000Z"


class Killed:
    """One site and its collector. Each collection goes on, killed again and again, until nothing of it is left."""

    def __init__(self, project: Project, site: Site, seed: int) -> None:
        self._project, self._site, self._random = project, site, random.Random(seed)
        self._left = Left(project)
        self._paths = ["/", *(f"/page/{number}" for number in range(1, PAGES))]
        self._edition = 0
        self._figures: dict[str, list[str]] = {path: [] for path in self._paths}  # of each edition of a page
        self.kills = 0
        project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.01)

    def collect(self, kills: int) -> None:
        """A new edition of the site, collected by jobs of which *kills* are killed and the last one is not."""
        self._publish()
        for _ in range(kills):
            self._one_killed()
        self._others_die()
        done = self._project.scrapy("collect", "--force")
        assert done.returncode == 0, done.stdout + done.stderr
        self._check()

    def _publish(self) -> None:
        self._edition += 1
        for at, path in enumerate(self._paths):
            if self._edition == 1 or at % CHANGED == self._edition % CHANGED:
                figure = f"{at},{self._edition:03d}"
                links = self._paths[at * LINKS + 1 : (at + 1) * LINKS + 1]
                html = page(f"Page {at}", *links, text=f"The limit of this page is {figure} dollars.")
                if self._edition == 1:
                    self._site.page(path, html, validators=at % 2 == 0)
                else:
                    self._site.set(path, html)
                self._figures[path].append(figure)

    def _one_killed(self) -> None:
        self._others_die()
        captured = self._captured()
        before = len(self._site.log.hits())
        with job(self._project, "collect", "--force") as running:
            wanted = before + self._random.randint(1, MOST_REQUESTS)
            self._site.log.wait_for_hits(wanted, unless=lambda: running.poll() is not None)
            with suppress(subprocess.TimeoutExpired):
                running.wait(self._random.uniform(0, MOST_S))  # killed at any moment of what follows the request
            self.kills += running.poll() is None
            running.kill()
            running.communicate()
        asked = {hit.path for hit in self._site.log.hits()[before:]}
        assert not captured & asked, f"captured before, asked again: {sorted(captured & asked)}"

    def _captured(self) -> set[str]:
        """What the run that is to go on has captured."""
        if not self._project.ledger.exists() or not (runs := self._left.runs("a")):
            return set()
        return self._left.in_state("a", "captured") if runs[-1]["state"] in {"running", "partial"} else set()

    def _others_die(self) -> None:
        """The minute has passed after which a dead job's leases end."""
        if self._project.ledger.exists():
            with suppress(sqlite3.OperationalError):  # it has no tables yet
                self._left.change("UPDATE leases SET expires_at = ?", _PAST)

    def _check(self) -> None:
        left = self._left
        assert set(left.states("a").values()) <= {"captured", "unchanged"}, left.states("a")
        assert left.states("a").keys() == set(self._paths)
        staged: dict[str, list[str]] = {path: [] for path in self._paths}
        for one in left.envelopes():
            path = path_of(one["source"]["url"])
            staged[path] += [figure for figure in self._figures[path] if f" {figure} " in one["content"]["body"]]
        assert staged == self._figures, "lost, staged twice, or not as it was served"
        assert len(left.files()) == len(left.index()), "a file that no line of the index names"
        left.assert_sums()
        left.assert_verified()
