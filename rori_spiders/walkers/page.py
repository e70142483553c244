"""`method: scrape`: one page, and the OpenAPI file that the source may name beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.walkers.base import Walker

if TYPE_CHECKING:
    from rori_spiders.items import Visit


class PageWalker(Walker):
    """The page keeps the URL of the manifest, wherever it redirects: that is where its history hangs."""

    def start(self) -> list[Visit]:
        swagger = self.run.source.swagger
        return [*super().start(), *([self.visit(swagger, depth=1, found_by="link")] if swagger else [])]
