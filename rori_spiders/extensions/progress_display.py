"""The drawing of a job's progress, to stderr: a line for each run in progress, and one for each that has ended."""

import asyncio
import logging
import sys
from math import inf, isfinite

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.logging import RichHandler
from rich.table import Table
from rich.text import Text

from rori_spiders.crawl.job.job import EndedRun, Job
from rori_spiders.crawl.runs.run import Run
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.redacted_output import styled_stream

REFRESH_S = 0.5
_OUTCOME_MARKS = {"complete": ("green", "✓"), "partial": ("yellow", "…")}


class ProgressDisplay:
    """The progress display of one job. Prints warnings and errors above it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._console = Console(file=styled_stream(sys.stderr), highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._shown = 0  # ended runs that have their line
        self._task: asyncio.Task[None] | None = None
        self._handler = RichHandler(logging.WARNING, self._console, show_path=False, markup=False)
        # Its news are the lines of ended runs here.
        self._handler.addFilter(lambda record: record.name != "rori_spiders.crawl.runs.lifecycle")

    def begin(self) -> None:
        logging.getLogger().addHandler(self._handler)
        self._live.start()
        self._task = asyncio.ensure_future(self._refresh_display())

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._update()
        self._live.stop()
        logging.getLogger().removeHandler(self._handler)

    async def _refresh_display(self) -> None:
        while True:
            self._update()
            await asyncio.sleep(REFRESH_S)

    def _update(self) -> None:
        for ended in self._job.ended[self._shown :]:
            self._console.print(format_ended_run(ended))
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
        tally, changed = run.frontier.tally, run.frontier.changed_pages
        ended = tally["captured"] + tally["unchanged"] + tally["failed"] + tally["gone"]
        return (
            Text(run.source_id, style="bold"),
            f"{ended} of {run.frontier.pages_known} pages",
            Text(f"{changed} changed", style="cyan" if changed else "dim"),
            Text(f"{tally['failed']} failed", style="red" if tally["failed"] else "dim"),
            Text(self._wait(run), style="dim"),
        )

    def _wait(self, run: Run) -> str:
        """The time until politeness allows the run's next request."""
        groups = {self._job.manifests.group(host) for host in run.scope.hosts}
        paces = [self._job.politeness.pace(group) for group in groups]
        wait = min((pace.next_at - self._job.politeness.clock() for pace in paces), default=-inf)
        if not isfinite(wait) or wait <= 0:
            return "asking"
        return f"next request in {wait:.0f} s" if wait >= 1 else "next request in under 1 s"


def format_ended_run(ended: EndedRun) -> Text:
    """Format the outcome of a run as one line."""
    style, mark = _OUTCOME_MARKS.get(ended.outcome.state, ("red", "✗"))
    counts = ended.counts
    line = Text.assemble((f"{mark} {ended.run.source_id}", style), f"  {ended.outcome.state}: ")
    line.append(
        f"{counts['captured']} captured, {counts['unchanged']} unchanged, {counts['excluded']} excluded, "
        f"{counts['failed']} failed"
    )
    if ended.outcome.reason:
        line.append(f" ({escape_one_line(ended.outcome.reason)})", style="dim")
    return line
