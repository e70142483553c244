"""The processes of a job for conversion and judging, which its stop does not wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.crawl.job.stop_control import StopControl
    from rori_spiders.workers.pool import WorkPool

P = ParamSpec("P")
T = TypeVar("T")


class JobWorkers:
    """``pool``, for work that a stop cancels."""

    def __init__(self, pool: WorkPool, stop: StopControl) -> None:
        self.pool = pool
        self._stop = stop

    async def run(self, size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``WorkPool.run``, unless the job is stopped meanwhile."""
        return await self._stop.unless_stopped(self.pool.run(size, function, *args, **kwargs))
