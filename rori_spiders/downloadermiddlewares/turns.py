"""A page that takes a tier several requests: each goes through the queue, and through every gate, like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.tiers.base import AnotherRequest

if TYPE_CHECKING:
    from scrapy import Request


class TurnsMiddleware:
    """Puts a page whose tier needs a further request back into the queue, before others of its kind."""

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        if not isinstance(exception, AnotherRequest):
            return None
        return request.replace(dont_filter=True, priority=request.priority + 1)
