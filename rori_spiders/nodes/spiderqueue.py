"""Scrapyd's queue of jobs (its setting ``spiderqueue``), over the ledger.

Scrapyd asks it in two ways: its poller takes Deferreds, and gets them, so that its reactor never waits for the
database; its web pages take only answers, and are rendered in threads (``scrapyd_application.py``).
"""

import os
import socket
from collections.abc import Callable
from functools import cache
from typing import Any

from scrapyd.interfaces import ISpiderQueue
from twisted.internet.threads import deferToThread
from twisted.logger import Logger
from twisted.python.threadable import isInIOThread
from zope.interface import implementer

from rori_spiders.ledger.queue.job_queue import LostJob, QueuedJob
from rori_spiders.nodes.node_queue import GENERIC_SPIDERS, NodeQueue

logger = Logger()

#: Actor of jobs cancelled by `cancel.json`.
SCRAPYD = "scrapyd"


class NoJob:
    """Returned by ``pop`` for an empty queue, because Scrapyd's poller copies the result before it checks for None."""

    def copy(self) -> None:
        return None


@implementer(ISpiderQueue)
class LedgerSpiderQueue:
    """The same queue for every project: jobs belong to sources, whichever installation runs them."""

    def __init__(self, config: Any, project: str) -> None:
        self._backlog = node_queue_for(node_name(config))
        self._pause = False  # a claim gave nothing: the poller asks again at its next turn, not at once
        self._last_error: str | None = None

    def add(self, name: str, priority: float = 0.0, **spider_args: Any) -> Any:
        """Queue a job. Raises UsageError with the reason; LedgerError when the ledger is unavailable."""
        job_id = spider_args["_job"]  # kept beside the ledger's, as Scrapyd spells it
        named = spider_args.pop("sources", "") if name in GENERIC_SPIDERS else name
        sources = [one.strip() for one in named.split(",") if one.strip()]
        arguments = {key: value for key, value in spider_args.items() if value not in ({}, None)}
        return _run_off_reactor(lambda: self._backlog.add(job_id, name, sources, priority, arguments))

    def pop(self) -> Any:
        """Claim a job; return its message, or ``NoJob``."""
        return _run_off_reactor(self._pop)

    def count(self) -> Any:
        """Return the number of jobs that this node could claim now; 0 if the ledger is unavailable."""
        return _run_off_reactor(self._count)

    def list(self) -> Any:
        """Return the messages of all queued jobs."""
        return _run_off_reactor(lambda: [job_message(job) for job in self._backlog.waiting()])

    def remove(self, func: Callable[[dict[str, Any]], bool]) -> Any:
        """Cancel the queued jobs whose messages *func* accepts; return their number."""
        return _run_off_reactor(lambda: self._backlog.cancel(lambda job: func(job_message(job)), SCRAPYD, running=True))

    def clear(self) -> Any:
        return _run_off_reactor(lambda: self._backlog.cancel(lambda job: True, SCRAPYD))

    def _pop(self) -> dict[str, Any] | NoJob:
        try:
            job, lost = self._backlog.claim()
        except Exception as error:  # any error: the node's poller must continue
            self._report_error(error)
            job, lost = None, []
        for one in lost:
            _log_lost_job(one)
        self._pause = job is None
        return NoJob() if job is None else job_message(job)

    def _count(self) -> int:
        if self._pause:
            self._pause = False
            return 0
        try:
            found = self._backlog.claimable()
        except Exception as error:  # as above
            self._report_error(error)
            return 0
        if self._last_error is not None:
            logger.info("The queue is readable again")
            self._last_error = None
        return found

    def _report_error(self, error: Exception) -> None:
        """Log an error once, not at each poll."""
        if str(error) != self._last_error:
            self._last_error = str(error)
            logger.error("This node starts no job: the queue cannot be read: {error}", error=error)


def job_message(job: QueuedJob) -> dict[str, Any]:
    """Return a job in Scrapyd's form: spider, id, settings and arguments."""
    arguments = dict(job.arguments or {})
    own = {"RORI_JOB_ID": job.job_id, "RORI_OPERATOR": job.operator}
    named = {"sources": ",".join(job.sources)} if job.spider in GENERIC_SPIDERS else {}
    return {
        "_job": job.job_id,
        **arguments,
        **named,
        "name": job.spider,
        "settings": {**arguments.get("settings", {}), **own},
    }


def node_name(config: Any) -> str:
    """Return ``host:port``, the node's name in the queue."""
    port = os.getenv("SCRAPYD_HTTP_PORT") or config.get("http_port", "6800")
    return f"{config.get('node_name', socket.gethostname())}:{port}"


@cache
def node_queue_for(node: str) -> NodeQueue:
    """Return the node's one queue: Scrapyd creates several for each project."""
    return NodeQueue.of_project(node)


def _run_off_reactor(work: Callable[[], Any]) -> Any:
    """Run *work*: as a Deferred from the reactor's thread, at once from any other."""
    return deferToThread(work) if isInIOThread() else work()


def _log_lost_job(lost: LostJob) -> None:
    if lost.given_up:
        then = f"this was the last attempt: {', '.join(lost.given_up)} will not be queued again automatically"
    elif lost.successor is not None:
        then = f"the remaining sources are queued again as {lost.successor}"
    else:
        then = "all of its sources were finished"
    where = {"job": lost.job.job_id, "node": lost.job.node, "attempt": lost.job.attempt}
    logger.error("The job {job} on {node} is lost (attempt {attempt}): {then}", then=then, **where)
