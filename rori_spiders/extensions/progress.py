"""What a person sees while it works: one line a source in progress, at a terminal. Elsewhere the log tells."""

from __future__ import annotations

import asyncio
import logging
import sys
from math import inf, isfinite
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.logging import RichHandler
from rich.table import Table
from rich.text import Text
from scrapy import signals
from scrapy.exceptions import NotConfigured

from rori_spiders.job import Job

if TYPE_CHECKING:
    from rich.console import RenderableType
    from scrapy.crawler import Crawler

    from rori_spiders.job import Ended
    from rori_spiders.run import Run

REFRESH_S = 0.5
_MARKS = {"complete": ("green", "✓"), "partial": ("yellow", "…")}


def wanted(setting: str, log_file: str | None) -> bool:
    """Whether progress is drawn: `always`, `never`, or by itself (`auto`) at a terminal without a log file."""
    return setting == "always" or (setting == "auto" and not log_file and sys.stderr.isatty())


class ProgressExtension:
    """Draws to stderr; warnings and errors stand above the drawing."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not wanted(settings.get("RORI_PROGRESS"), settings.get("LOG_FILE")):
            raise NotConfigured
        self._job = Job.of(crawler)
        self._console = Console(stderr=True, highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._shown = 0  # ended runs that have their line
        self._task: asyncio.Task[None] | None = None
        self._handler = RichHandler(logging.WARNING, self._console, show_path=False, markup=False)
        # Its news are the lines of ended runs here.
        self._handler.addFilter(lambda record: record.name != "rori_spiders.lifecycle")
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProgressExtension:
        return cls(crawler)

    def spider_opened(self) -> None:
        logging.getLogger().addHandler(self._handler)
        self._live.start()
        self._task = asyncio.ensure_future(self._draw())

    async def _draw(self) -> None:
        while True:
            self._update()
            await asyncio.sleep(REFRESH_S)

    def _update(self) -> None:
        for ended in self._job.ended[self._shown :]:
            self._console.print(ended_line(ended))
        self._shown = len(self._job.ended)
        self._live.update(self._picture(), refresh=True)

    def _picture(self) -> RenderableType:
        table = Table.grid(padding=(0, 2))
        for run in self._job.runs.values():
            table.add_row(*self._row(run))
        return Group(
            table, Text(f"{len(self._job.ended)} sources done, {len(self._job.runs)} in progress", style="dim")
        )

    def _row(self, run: Run) -> tuple[RenderableType, ...]:
        tally = run.tally
        return (
            Text(run.source_id, style="bold"),
            f"{tally['captured'] + tally['unchanged'] + tally['failed'] + tally['gone']} of {run.pages_known} pages",
            Text(f"{run.changed} changed", style="cyan" if run.changed else "dim"),
            Text(f"{tally['failed']} failed", style="red" if tally["failed"] else "dim"),
            Text(self._wait(run), style="dim"),
        )

    def _wait(self, run: Run) -> str:
        """How long politeness makes the run's next request wait."""
        groups = {self._job.group(host) for host in run.scope.hosts}
        paces = [self._job.politeness.pace(group) for group in groups]
        wait = min((pace.next_at - self._job.politeness.clock() for pace in paces), default=-inf)
        if not isfinite(wait) or wait <= 0:
            return "asking"
        return f"next request in {wait:.0f} s" if wait >= 1 else "next request in under 1 s"

    def spider_closed(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._update()
        self._live.stop()
        logging.getLogger().removeHandler(self._handler)


def ended_line(ended: Ended) -> Text:
    """One line that says how a run ended."""
    style, mark = _MARKS.get(ended.outcome.state, ("red", "✗"))
    counts = ended.counts
    line = Text.assemble((f"{mark} {ended.run.source_id}", style), f"  {ended.outcome.state}: ")
    line.append(
        f"{counts['captured']} captured, {counts['unchanged']} unchanged, {counts['excluded']} excluded, "
        f"{counts['failed']} failed"
    )
    if ended.outcome.reason:
        line.append(f" ({ended.outcome.reason})", style="dim")
    return line
