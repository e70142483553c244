"""Judge and convert imported captures in the processes that pages of a run are converted in."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from rori_spiders.crawl.conversion_options import conversion_options
from rori_spiders.exceptions import ConversionError
from rori_spiders.workers.assessment import ResponseAssessment, assess_response
from rori_spiders.workers.conversion import conversion_weight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.evidence.imports.records import ArchivedCapture
    from rori_spiders.manifest.models import Source
    from rori_spiders.workers.pool import WorkPool


class PooledAssessor:
    """Assesses several captures at once, each within the time and the memory that the pool gives."""

    def __init__(self, pool: WorkPool) -> None:
        self._pool = pool
        self._runner = asyncio.Runner()  # it makes its loop when it is used: in the thread that assesses

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()
        self._pool.close()

    def assess(self, captures: Sequence[tuple[ArchivedCapture, Source]]) -> list[ResponseAssessment | ConversionError]:
        """What each is, and the page made of it; an error for one that took too long or too much."""
        return self._runner.run(self._assess(captures))

    async def _assess(
        self, captures: Sequence[tuple[ArchivedCapture, Source]]
    ) -> list[ResponseAssessment | ConversionError]:
        return list(await asyncio.gather(*(self._assess_one(*one) for one in captures)))

    async def _assess_one(self, capture: ArchivedCapture, source: Source) -> ResponseAssessment | ConversionError:
        try:
            return await self._pool.run(
                conversion_weight(capture.body), assess_response, **assessment_arguments(capture, source)
            )
        except ConversionError as error:
            return error


def assessment_arguments(capture: ArchivedCapture, source: Source) -> dict[str, Any]:
    """What ``assess_response`` is called with, to judge and convert *capture* as a page of *source*."""
    return {
        "status": capture.status,
        "url": capture.url,
        "headers": dict(capture.headers),
        "body": capture.body,
        "known": None,
        "is_measured": False,
        "options": conversion_options(source),
    }
