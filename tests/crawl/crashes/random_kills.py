"""Sources that are collected by jobs which are killed at random moments, and what must hold of them afterwards.

In: a project, a seed. Out: nothing, or an AssertionError that names what was lost, doubled or torn; where kills struck.
"""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
from collections import Counter
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING

from tests.crawl.crashes.editions import AT_TIMES, Editions
from tests.crawl.crashes.kill_addon import ADDONS, WORKER_KILLED, Death
from tests.staging.kill_points import KILLED
from tests.support.crawl_output import CrawlOutput, path_of

if TYPE_CHECKING:
    from tests.support.project import Project

#: How many of ten deaths begin there.
_AFTER = {"answers": 6, "end": 2, "run": 1, "process": 1}
#: The most answers that are waited for, seconds after that, and steps: some four changed pages take forty.
_ANSWERS, _SECONDS, _STEPS = 12, 1.2, 40
_STEPS_OF = {"process": 12, "run": 12, "end": 12}
_WORKERS = 0.3  # of all jobs, those in which a process of the pool dies alone


class Killed:
    """Some sources and their collector. Each collection goes on, killed again and again, until nothing is left."""

    def __init__(self, project: Project, editions: Editions, seed: int) -> None:
        self._project, self._editions, self._random = project, editions, random.Random(seed)
        self._left = CrawlOutput(project)
        self.where: Counter[str] = Counter()  # what each kill left half done
        self.workers = 0  # processes of the pool that were killed, alone or before their job
        project.manifest(
            editions.sources(),
            delay_s=0.01,
            mediawiki_sites={editions.wiki.site.host: editions.wiki.site.at("/w/api.php")},
        )

    @property
    def kills(self) -> int:
        return self.where.total()

    @classmethod
    def survive(cls, project: Project, seed: int) -> None:
        """Ten kills of two editions: nothing is lost, nothing staged twice, nothing torn."""
        with Editions() as editions:
            killed = cls(project, editions, seed)
            killed.collect(kills=5)
            killed.collect(kills=5)
        assert killed.kills >= 8, "most jobs must have been killed before their end"

    def collect(self, kills: int) -> None:
        """A new edition, collected by jobs of which *kills* are to be killed, and a last one that is not."""
        self._editions.publish()
        for _ in range(kills):
            self._job(self._death())
        self._job(Death(worker_s=self._worker_s()))
        self._check()

    def _death(self) -> Death:
        chance = self._random
        [after] = chance.choices(list(_AFTER), list(_AFTER.values()))
        by_clock = chance.random() < 0.5
        return Death(
            after=after,
            answers=chance.randint(1, _ANSWERS),
            seconds=chance.uniform(0, _SECONDS) if by_clock else None,
            steps=chance.randint(1, _STEPS_OF.get(after, _STEPS)),
            torn=chance.random() < 0.2,
            worker_s=self._worker_s(),
        )

    def _worker_s(self) -> float | None:
        return self._random.uniform(0, 0.5) if self._random.random() < _WORKERS else None

    def _job(self, death: Death) -> None:
        self._others_die()
        captured, before = self._captured(), self._editions.request_counts()
        try:
            few = "RORI_MAX_QUEUED_PAGES=4"  # most pages wait in the ledger
            done = self._project.scrapy("collect", "--force", "-s", f"ADDONS={ADDONS}", "-s", few, env=death.env())
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"it does not end: {death}\n{error.stderr!r}") from error
        again = captured & self._editions.pages_asked(before)
        assert not again, f"captured before, asked again after {death}: {sorted(again)}"
        self.workers += WORKER_KILLED in done.stderr
        if done.returncode in {-signal.SIGALRM, KILLED}:
            self.where[self._struck()] += 1
        else:
            assert done.returncode == 0, f"{death}\n{done.stdout}{done.stderr}"
            assert "Traceback" not in done.stderr + done.stdout, f"{death}\n{done.stderr}"

    def _captured(self) -> set[str]:
        """What the runs that are to go on have captured."""
        if not self._has_tables():
            return set()
        query = "SELECT url FROM run_urls JOIN runs USING (run_id) WHERE run_urls.state = 'captured' AND kind = 'page'"
        rows = self._left.rows(f"{query} AND runs.state IN ('running', 'partial')")
        return {path_of(row["url"]) for row in rows}

    def _has_tables(self) -> bool:
        try:
            return self._project.ledger.exists() and bool(self._left.rows("SELECT * FROM alembic_version"))
        except sqlite3.OperationalError:
            return False

    def _others_die(self) -> None:
        """The time has passed after which a dead job's leases and permits end."""
        if self._has_tables():
            with suppress(sqlite3.OperationalError):
                self._left.expire_claims()

    def _struck(self) -> str:
        """What the job was at when it was killed, by what it left."""
        if not self._has_tables():
            return "the ledger is made"
        if not (running := self._left.rows("SELECT run_id FROM runs WHERE state = 'running'")):
            return "no run is open"
        files, lines = self._left.files(), self._paths_of_lines()
        rows = self._left.rows("SELECT path, state FROM envelopes WHERE state IN ('reserved', 'staged')")
        if reserved := {row["path"] for row in rows if row["state"] == "reserved"}:
            return "commit: the file is there" if reserved & files else "stage: reserved, no file"
        if staged := {row["path"] for row in rows}:
            return "index: the line is there" if staged & lines else "index: recorded, no line"
        pending = self._left.rows("SELECT DISTINCT run_id FROM run_urls WHERE state = 'pending'")
        if any(run not in pending for run in running):
            return "a run is opened or closed"
        return "fetch and convert"

    def _paths_of_lines(self) -> set[str]:
        """Those that whole lines of the index name; the last may be torn."""
        path = self._project.staging / "_index.jsonl"
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        return {json.loads(line)["path"] for line in lines if line.endswith(b"\n")}

    def _check(self) -> None:
        crawl_output = self._left
        figures = self._editions.figures
        staged: dict[str, dict[str, list[str]]] = {name: {path: [] for path in figures[name]} for name in figures}
        for one in crawl_output.envelopes():
            name, path = one["source"]["manifest_id"], path_of(one["source"]["url"])
            staged[name][path] += [figure for figure in figures[name][path] if f" {figure} " in one["content"]["body"]]
        wrong = [
            (one, staged[name][one])
            for name in figures
            for one in figures[name]
            if staged[name][one] != figures[name][one]
        ]
        assert not wrong, f"lost, staged twice, or not as it was served: {wrong}"
        for name, pages in figures.items():
            states = crawl_output.states(name)
            assert states.keys() == pages.keys(), name
            failed = {path for path, state in states.items() if state not in {"captured", "unchanged"}}
            assert failed <= ({AT_TIMES} if not self._editions.is_there else set()), states
        assert len(crawl_output.files()) == len(crawl_output.index()), "a file that no line of the index names"
        assert not list((self._project.staging / "_tmp").iterdir())
        self._check_errors()
        crawl_output.assert_sums()
        crawl_output.assert_verified()

    def _check_errors(self) -> None:
        """Each failure of the page that is not there, and each edition in which it is there again, is told once."""
        errors = [(path_of(line["url"]), line["resolved"]) for line in self._left.errors()]
        assert {path for path, _ in errors} == {AT_TIMES}
        resolutions = [resolved for resolved, _ in groupby(resolved for _, resolved in errors)]
        assert resolutions == [edition % 2 == 0 for edition in range(1, self._editions.number + 1)]
        failures = self._left.rows("SELECT * FROM audit WHERE kind = 'page' AND state = 'failed'")
        assert len(errors) == len(failures) + self._editions.number // 2
