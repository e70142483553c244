"""Scrapyd's launcher of jobs (its setting ``launcher``): a job whose process ends before it has begun is told at once.

The job itself says so where it can. Where it cannot (the ledger has another version, Python does not start), the queue
would see it by its silence only, a minute later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapyd.launcher import Launcher
from twisted.internet.threads import deferToThread
from twisted.logger import Logger

from rori_spiders.nodes.spiderqueue import backlog_of, node_name

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

logger = Logger()


class NodeLauncher(Launcher):  # type: ignore[misc]  # which has no types
    """Scrapyd's own, that looks into the queue after each process."""

    def __init__(self, config: Any, app: Any) -> None:
        super().__init__(config, app)
        self._backlog = backlog_of(node_name(config))

    def _process_finished(self, process: Any, slot: int) -> Deferred[None]:
        def finish(_: object) -> None:
            super(NodeLauncher, self)._process_finished(process, slot)

        return deferToThread(self._look, process.job).addBoth(finish)

    def _look(self, job_id: str) -> None:
        try:
            why = self._backlog.process_ended(job_id)
        except Exception as error:  # whatever it is, the node goes on; the queue sees the job by its silence
            _tell(job_id, error)
            return
        if why is not None:
            logger.error("The job {job} did not begin; none is taken here for a minute: {why}", job=job_id, why=why)


def _tell(job_id: str, error: Exception) -> None:
    logger.error("What became of the job {job} cannot be looked up: {error}", job=job_id, error=error)
