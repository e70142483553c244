"""When a collection begins to start its workers."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from rori_spiders.crawl.job.job import Job, hand_over_workers
from rori_spiders.schedule import DueSource
from rori_spiders.terminal import crawl_runner
from rori_spiders.terminal.commands.collect import Collect
from rori_spiders.terminal.corpus import background_drafts
from rori_spiders.workers.pool import WorkPool
from tests.envelope.factories import a_source

CHECKED, NEVER = datetime(2026, 11, 1, tzinfo=UTC), None


class _Runs:
    """Stands in for the crawl: what each was given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workers: list[WorkPool | None] = []
        self.events: list[str] = []
        monkeypatch.setattr(crawl_runner, "run_sources", self._run_sources)
        monkeypatch.setattr(crawl_runner, "print_summary", lambda _: None)
        monkeypatch.setattr(crawl_runner, "exit_code", lambda _: 0)
        monkeypatch.setattr(background_drafts, "draft_after_job", lambda *_: None)
        monkeypatch.setattr(WorkPool, "warm_up", lambda _: self.events.append("start"))
        monkeypatch.setattr(WorkPool, "close", lambda _: self.events.append("close"))
        self.error: Exception | None = None

    def _run_sources(self, _settings: Settings, ids: list[str], *, workers: WorkPool | None) -> Any:
        self.events.append(f"run {len(ids)}")
        self.workers.append(workers)
        if self.error is not None:
            raise self.error
        return SimpleNamespace()

    def collect(self, *due_at: datetime | None) -> None:
        command = Collect()
        command.settings = Settings({"RORI_CONVERT_WORKERS": 1, "RORI_CONVERT_TIMEOUT": 60.0})
        command._run([DueSource(a_source(), one, None, "") for one in due_at])


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> _Runs:
    return _Runs(monkeypatch)


def test_collect_source_never_checked_starts_workers_before_the_crawl_is_loaded(runs: _Runs) -> None:
    runs.collect(CHECKED, NEVER)
    assert runs.events == ["start", "run 2", "close"] and runs.workers[0] is not None


def test_collect_sources_checked_before_starts_none_for_their_304s(runs: _Runs) -> None:
    runs.collect(CHECKED, CHECKED)
    assert runs.events == ["run 2"] and runs.workers == [None]


def test_collect_that_fails_ends_its_workers(runs: _Runs) -> None:
    runs.error = RuntimeError("no engine")
    with pytest.raises(RuntimeError):
        runs.collect(NEVER)
    assert runs.events == ["start", "run 1", "close"]


def test_job_works_with_the_workers_handed_over_to_it() -> None:
    crawler, pool = get_crawler(), WorkPool(workers=1)
    hand_over_workers(crawler, pool)
    assert Job.of(crawler).workers.pool is pool
    assert Job.of(get_crawler()).workers.pool is not pool
