"""Scrapyd's own parts, fitted for a node (`application`, `launcher` and `webroot` in scrapyd.conf): refuse an
unprotected port, limit the jobs to the memory, look into the queue after each process, stop the jobs with Scrapyd,
render pages that query the queue in threads.
"""

import os
from contextlib import suppress
from typing import Any

from scrapyd.app import application as scrapyds
from scrapyd.exceptions import ConfigError
from scrapyd.launcher import Launcher
from scrapyd.website import Root as ScrapydRoot
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.threads import deferToThread
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import SERVICE_UNAVAILABLE
from twisted.web.resource import IResource, Resource
from twisted.web.server import NOT_DONE_YET, Request
from zope.interface import implementer

from rori_spiders.configuration.setting_values import apply_setting_types
from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.manifest.tier_selection import configured_tiers
from rori_spiders.nodes.job_limit import max_concurrent_jobs, total_cores, total_memory_mib
from rori_spiders.nodes.node_queue import load_node_settings
from rori_spiders.nodes.spiderqueue import node_name, node_queue_for
from rori_spiders.runtime.file_permissions import restrict_new_files

logger = Logger()

_LOOPBACK = ("127.", "localhost", "::1")


def application(config: Any) -> Any:
    """Return Scrapyd's application for a valid *config*. Raises ConfigError, which Scrapyd prints before it ends."""
    try:
        _restrict_files()
        _need_password(config)
        _limit_jobs(config)
        made = scrapyds(config)
    except UsageError as error:
        raise ConfigError(str(error)) from error
    address = os.getenv("SCRAPYD_BIND_ADDRESS") or config.get("bind_address", "127.0.0.1")
    if not address.startswith(_LOOPBACK):
        logger.error("Scrapyd listens on {address}: passwords and logs are sent unencrypted", address=address)
    return made


def _restrict_files() -> None:
    """Scrapyd's own databases, eggs and logs are for its user alone, as the jobs' files are (RORI_UMASK)."""
    settings = load_node_settings()
    apply_setting_types(settings)
    restrict_new_files(settings["RORI_UMASK"])


def _need_password(config: Any) -> None:
    named = {"SCRAPYD_USERNAME": config.get("username", ""), "SCRAPYD_PASSWORD": config.get("password", "")}
    missing = [name for name, configured_as in named.items() if not (os.getenv(name) or configured_as)]
    if missing:
        raise ConfigError(
            f"Scrapyd does not start: {' and '.join(missing)} must be set in the environment. Anyone who can "
            "reach Scrapyd can run programs here, so a node requires a password. docs/how-to/nodes.md explains "
            "where to store it."
        )


def _limit_jobs(config: Any) -> None:
    """Replace `max_proc = 0` by the number of jobs that fit into the memory and the cores."""
    node, number = node_name(config), config.getint("max_proc", 0)
    if number:
        logger.info("The node {node} runs {number} jobs at once, as scrapyd.conf says", node=node, number=number)
        return
    settings, memory, cores = load_node_settings(), total_memory_mib(), total_cores()
    browser = settings.getint("RORI_BROWSER_MEMORY") if "browser" in configured_tiers(settings) else 0
    number = max_concurrent_jobs(memory, browser, cores, settings.getint("RORI_MAX_CONCURRENT_REQUESTS"))
    config.cp.set(config.SECTION, "max_proc", str(number))
    logger.info(
        "The node {node} runs {number} jobs at once: {cores:g} cores, {memory} MiB, {browser} for each browser",
        node=node,
        number=number,
        memory=memory,
        browser=browser,
        cores=cores,
    )


# Scrapyd's launcher of jobs (its setting ``launcher``): a job whose process ends before it started is reported at once.
# Where the job cannot report it itself (the ledger has another version, Python does not start), the queue would only
# notice the missing heartbeat a minute later.


class NodeLauncher(Launcher):  # type: ignore[misc]  # which has no types
    """Scrapyd's launcher, which also checks the queue after each process; with `stop_jobs` they end before Scrapyd."""

    def __init__(self, config: Any, app: Any) -> None:
        super().__init__(config, app)
        self._backlog = node_queue_for(node_name(config))
        self._stops_jobs = config.getboolean("stop_jobs", False)

    def stopService(self) -> Deferred[Any] | None:  # noqa: N802  # Twisted's name
        super().stopService()
        if not self._stops_jobs:
            return None
        running = list(self.processes.values())
        for process in running:
            with suppress(ProcessExitedAlready):
                process.transport.signalProcess("TERM")
        return DeferredList([process.deferred for process in running])

    def _process_finished(self, process: Any, slot: int) -> Deferred[None]:
        def finish(_: object) -> None:
            super(NodeLauncher, self)._process_finished(process, slot)

        return deferToThread(self._look, process.job).addBoth(finish)

    def _look(self, job_id: str) -> None:
        try:
            why = self._backlog.process_ended(job_id)
        except (
            Exception
        ) as error:  # any error: the node must continue; the queue detects the lost job by its missing heartbeat
            _log_failure(job_id, error)
            return
        if why is not None:
            logger.error("Job {job} did not start; this node takes no job for a minute: {why}", job=job_id, why=why)


def _log_failure(job_id: str, error: Exception) -> None:
    logger.error("The outcome of job {job} cannot be read: {error}", job=job_id, error=error)


# Scrapyd's web pages (its setting ``webroot``): those that query the queue are rendered in threads, so that the
# reactor, which starts the jobs and reads their output, never waits for the database.

#: Scrapyd's pages that query the queue.
QUEUE_PAGES = (b"schedule.json", b"cancel.json", b"status.json", b"listjobs.json", b"daemonstatus.json", b"jobs")


class NodeRoot(ScrapydRoot):  # type: ignore[misc]  # which has no types
    """Scrapyd's root, with those pages replaced."""

    def __init__(self, config: Any, app: Any) -> None:
        super().__init__(config, app)
        for name in QUEUE_PAGES:
            if (page := self.children.get(name)) is not None:
                self.putChild(name, ThreadedPage(page))


@implementer(IResource)
class ThreadedPage(Resource):
    """A page that is rendered in a thread."""

    isLeaf = True

    def __init__(self, page: Resource) -> None:
        super().__init__()
        self._page = page

    def render(self, request: Request) -> int:
        gone: list[Failure] = []  # filled when the client disconnects
        request.notifyFinish().addErrback(gone.append)

        def answer(body: bytes) -> None:
            if not gone:
                request.write(body)
                request.finish()

        def failed(failure: Failure) -> None:
            if not gone and failure.check(LedgerError):
                request.setResponseCode(SERVICE_UNAVAILABLE)
                request.setHeader(b"Content-Type", b"text/plain; charset=utf-8")
                answer(f"{failure.getErrorMessage()}\n".encode())
            elif not gone:
                request.processingFailed(failure)

        deferToThread(self._page.render, request).addCallbacks(answer, failed)
        return NOT_DONE_YET
