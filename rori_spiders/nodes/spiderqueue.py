"""Scrapyd's queue of jobs (its setting ``spiderqueue``), over the ledger.

Scrapyd asks it in two ways: its poller takes Deferreds, and gets them, so that its reactor never waits for the
database; its web pages take only answers, and are rendered in threads (``scrapyd_application.py``).
"""

from __future__ import annotations

import os
import socket
from functools import cache
from typing import TYPE_CHECKING, Any

from scrapyd.interfaces import ISpiderQueue
from twisted.internet.threads import deferToThread
from twisted.logger import Logger
from twisted.python.threadable import isInIOThread
from zope.interface import implementer

from rori_spiders.nodes.node_queue import GENERIC_SPIDERS, NodeQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.ledger.queue.job_queue import LostJob, QueuedJob

logger = Logger()

#: Who cancelled what `cancel.json` took out of the queue.
SCRAPYD = "scrapyd"


class NoJob:
    """What ``pop`` gives when there is none: Scrapyd's poller copies it first, and then looks whether it is None."""

    def copy(self) -> None:
        return None


@implementer(ISpiderQueue)
class LedgerSpiderQueue:
    """The queue of every project alike: jobs belong to sources, whichever installation runs them."""

    def __init__(self, config: Any, project: str) -> None:
        self._backlog = node_queue_for(node_name(config))
        self._pause = False  # a claim gave nothing: the poller asks again at its next turn, not at once
        self._said: str | None = None

    def add(self, name: str, priority: float = 0.0, **spider_args: Any) -> Any:
        """Raises UsageError for what cannot be queued, with the reason; LedgerError when the ledger cannot be had."""
        job_id = spider_args["_job"]  # kept beside the ledger's, as Scrapyd spells it
        named = spider_args.pop("sources", "") if name in GENERIC_SPIDERS else name
        sources = [one.strip() for one in named.split(",") if one.strip()]
        arguments = {key: value for key, value in spider_args.items() if value not in ({}, None)}
        return _run_off_reactor(lambda: self._backlog.add(job_id, name, sources, priority, arguments))

    def pop(self) -> Any:
        """The message of a job that is leased to this node, or ``NoJob``."""
        return _run_off_reactor(self._pop)

    def count(self) -> Any:
        """The number of jobs that this node could claim now; 0 if the ledger does not answer."""
        return _run_off_reactor(self._count)

    def list(self) -> Any:
        """The messages of all jobs that wait."""
        return _run_off_reactor(lambda: [job_message(job) for job in self._backlog.waiting()])

    def remove(self, func: Callable[[dict[str, Any]], bool]) -> Any:
        """Cancel the waiting jobs whose messages *func* takes; gives their number."""
        return _run_off_reactor(lambda: self._backlog.cancel(lambda job: func(job_message(job)), SCRAPYD))

    def clear(self) -> Any:
        return _run_off_reactor(lambda: self._backlog.cancel(lambda job: True, SCRAPYD))

    def _pop(self) -> dict[str, Any] | NoJob:
        try:
            job, lost = self._backlog.claim()
        except Exception as error:  # whatever it is, the node's poller goes on
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
        if self._said is not None:
            logger.info("The queue is readable again")
            self._said = None
        return found

    def _report_error(self, error: Exception) -> None:
        """Once, not at each poll."""
        if str(error) != self._said:
            self._said = str(error)
            logger.error("This node starts no job: the queue cannot be read: {error}", error=error)


def job_message(job: QueuedJob) -> dict[str, Any]:
    """A job as Scrapyd has it: the spider, its id, settings and arguments."""
    given = dict(job.arguments or {})
    own = {"RORI_JOB_ID": job.job_id, "RORI_OPERATOR": job.operator}
    named = {"sources": ",".join(job.sources)} if job.spider in GENERIC_SPIDERS else {}
    return {"_job": job.job_id, **given, **named, "name": job.spider, "settings": {**given.get("settings", {}), **own}}


def node_name(config: Any) -> str:
    """``host:port`` of the node, its name in the queue."""
    port = os.getenv("SCRAPYD_HTTP_PORT") or config.get("http_port", "6800")
    return f"{config.get('node_name', socket.gethostname())}:{port}"


@cache
def node_queue_for(node: str) -> NodeQueue:
    """Scrapyd makes several queues for each project; the node has one ledger."""
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
