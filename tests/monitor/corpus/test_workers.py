"""Processes that bring runs of the corpus forward: one a domain, started when nobody else works on it."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.corpus import run_states
from rori_spiders.monitor.corpus.workers import CorpusWorkers
from tests.corpus.factories import DOMAIN, a_run
from tests.monitor.conftest import NOW

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.monitor.state.dependencies import AppState

pytestmark = pytest.mark.parametrize("dialect", ["sqlite"])


@pytest.fixture
def workers(served: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CorpusWorkers:
    """In place of Scrapy stands a program that says what it was asked, and fails."""
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "$3 $4 $5 $GIVEN"\necho "no such corpus" >&2\nexit 3\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    return CorpusWorkers(served, {"GIVEN": "it"})


def test_corpus_workers_start_requested_run_and_report_outcome(workers: CorpusWorkers, served: AppState) -> None:
    run = a_run(served.ledger, state="scraping")
    workers.order(DOMAIN)
    waits = workers.process(DOMAIN)
    assert waits is not None and waits.state == "waits"
    workers.round()
    workers._started[DOMAIN].process.wait(60)
    told = workers.process(DOMAIN)
    assert told is not None and (told.state, told.code, told.says) == ("ended", 3, "no such corpus")
    log = served.root / "collect" / "corpus" / f"{run.run_id}.log"
    assert told.log == str(log)
    assert log.read_text(encoding="utf-8") == f"corpus run {DOMAIN} it\nno such corpus\n"
    before = workers._started[DOMAIN]
    workers.round()
    assert workers._started[DOMAIN] is before, "it is not tried again and again"


def test_corpus_workers_wait_for_other_process(workers: CorpusWorkers, served: AppState) -> None:
    run = a_run(served.ledger, state="scraping")
    with served.ledger.begin() as conn:
        assert run_states.claim_run(conn, run.run_id, "elsewhere", now=NOW, for_=timedelta(seconds=90))
    workers.order(DOMAIN)
    workers.round()
    waits = workers.process(DOMAIN)
    assert waits is not None and (waits.state, workers._started) == ("waits", {})
    with served.ledger.begin() as conn:
        run_states.release_run(conn, run.run_id, "elsewhere")
    workers.round()
    assert list(workers._started) == [DOMAIN]
    workers._started[DOMAIN].process.wait(60)


def test_corpus_workers_start_nothing_during_review(workers: CorpusWorkers, served: AppState) -> None:
    a_run(served.ledger, state="ready_for_review")
    for domain in (DOMAIN, "other.gov"):
        workers.order(domain)
    with workers:  # its own thread looks at once
        pass
    workers.round()
    assert workers._started == {} and workers.process(DOMAIN) is None


def test_corpus_workers_start_loader(
    workers: CorpusWorkers, served: AppState, caplog: pytest.LogCaptureFixture
) -> None:
    workers.load(DOMAIN)
    workers._loading[DOMAIN].process.wait(60)
    log = served.root / "collect" / "corpus" / f"load-{DOMAIN}.log"
    assert log.read_text(encoding="utf-8") == f"corpus load {DOMAIN} it\nno such corpus\n"
    sys.executable = "/no/such/program"  # put back with the fixture
    workers.load(DOMAIN)
    assert f"The loader of {DOMAIN} cannot be started" in caplog.text
