"""Start drafts of the changes in published corpora after each collection.

A dispatcher checks after each of its rounds, `scrapy collect` at its end. Each draft runs in its own process,
``scrapy corpus run DOMAIN``. Errors are reported; collected data does not depend on drafts.
"""

import logging
import subprocess
import sys
from datetime import datetime

from scrapy.settings import BaseSettings
from scrapy.utils.conf import closest_scrapy_cfg
from sqlalchemy.exc import DBAPIError

from rori_spiders.configuration.locations import Locations, project_folder
from rori_spiders.crawl.job.job import Job
from rori_spiders.exceptions import RoriError, StagingError
from rori_spiders.ledger.corpus import run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.database import open_ledger
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.operations.alerts.alert_dispatcher import SHUTDOWN_WAIT_S, BackgroundTask, LogOnce
from rori_spiders.runtime import child_processes
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.staging.store_factory import open_store

logger = logging.getLogger(__name__)


class DraftDispatcher:
    """Start drafts from a dispatcher, in a thread beside its rounds. The processes that it starts outlive it."""

    def __init__(self, places: Locations, settings: BaseSettings) -> None:
        self._places = places
        self._is_on = settings.getbool("RORI_CORPUS_AUTO_DRAFT")
        self._looked: dict[str, datetime] = {}
        self._started: dict[
            tuple[str, str], child_processes.ChildProcess | None
        ] = {}  # by run and the state that it was in
        self._background_task = BackgroundTask()
        self._once = LogOnce(
            lambda message: logger.warning(
                "Published corpora could not be checked for changes: %(error)s", {"error": message}
            )
        )

    def begin(self, catalog: Catalog, now: datetime) -> None:
        """Check the pages collected until *now*, in a background thread."""
        if self._is_on:
            self._background_task.begin(lambda: self._once.run(lambda: self._follow(catalog, now)))

    def end(self, timeout_s: float = SHUTDOWN_WAIT_S) -> None:
        """Wait a moment for a check in progress; the next check continues what it leaves."""
        self._background_task.wait(timeout_s)

    def _follow(self, catalog: Catalog, now: datetime) -> None:
        drafts, failures = _find_draft_runs(self._places, catalog, self._looked, now)
        for run in drafts:
            self._start(run)
        if failures:
            raise StagingError("; ".join(failures))

    def _start(self, run: CorpusRun) -> None:
        """Start one process per run and state: a process that ended without progress would end so again."""
        if (run.run_id, run.state) in self._started:
            self._look_after(run)
            return
        root = project_folder(closest_scrapy_cfg())
        log = child_processes.prepare_log_file(root, "corpus", run.run_id)
        self._started[run.run_id, run.state] = child_processes.start_command(root, _run_command(run), log, {})
        log_values = {"domain": run.domain, "says": run.says or "goes on", "log": log}
        logger.info("A draft of the corpus of %(domain)s: %(says)s; the log of its process is %(log)s", log_values)

    def _look_after(self, run: CorpusRun) -> None:
        """Warn once if the process of a run has ended without moving the run to another state."""
        started = self._started[run.run_id, run.state]
        if started is not None and started.code() is not None:
            log_values = {"domain": run.domain, "says": started.last_words(), "log": started.log}
            logger.warning("The draft of the corpus of %(domain)s stopped: %(says)s (%(log)s)", log_values)
            self._started[run.run_id, run.state] = None


def draft_after_job(job: Job, now: datetime) -> None:
    """Draft the changes that *job* collected, one corpus after the other."""
    if not job.settings.getbool("RORI_CORPUS_AUTO_DRAFT") or _was_stopped(job):
        return
    try:
        drafts, failures = _find_draft_runs(job.places, job.manifests.catalog, {}, now)
    except (RoriError, DBAPIError) as error:
        drafts, failures = [], [str(error)]
    for failure in failures:
        sys.stderr.write(f"No corpus drafts started: {escape_one_line(get_redactor().text(failure))}\n")
    for run in drafts:
        print(escape_one_line(f"A draft of the corpus of {run.domain}: {run.says or 'in progress'}"), flush=True)
        command, root = child_processes.scrapy_command(_run_command(run)), project_folder(closest_scrapy_cfg())
        subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, check=False)  # noqa: S603  # our own program


def _find_draft_runs(
    places: Locations, catalog: Catalog, looked: dict[str, datetime], now: datetime
) -> tuple[list[CorpusRun], list[str]]:
    with open_ledger(places.database_url, migrate=False) as ledger:
        if not ledger.read(run_states.has_runs):
            return [], []
        # What only these need is loaded where there is a corpus: it takes longer than to collect a dozen pages.
        from rori_spiders.corpus.runs.delta_drafts import draft_for_collections

        return draft_for_collections(ledger, lambda: open_store(places.staging), catalog, looked, now=now)


def _run_command(run: CorpusRun) -> tuple[str, ...]:
    return ("corpus", "run", run.domain, "--run", run.run_id)


def _was_stopped(job: Job) -> bool:
    """Whether the job was stopped or failed; then no drafts are started."""
    return bool(job.refused or job.failure or job.runs or any(ended.run.limits.stop_reason for ended in job.ended))
