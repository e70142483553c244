"""A report of a month or quarter for an examiner: what changed, who reviewed it, how each source was looked at, and
when it was not. One HTML page; it says what the ledger recorded.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from sqlalchemy import Connection

from rori_spiders import BUILD
from rori_spiders.comparison.change_report import change_reasons, change_sentence, group_changes
from rori_spiders.comparison.importance import Importance
from rori_spiders.evidence.report_page import escape_text, render_grouped_table, render_page, render_table
from rori_spiders.ledger.pages.change_records import ChangeFilter, ChangeRow, count_undescribed, list_changes
from rori_spiders.ledger.pages.vocabulary import OPEN
from rori_spiders.ledger.runs.run_records import last_complete_at, list_runs_between
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_rori

_METHOD = """
A run is complete when it requested every page that it found. The longest gap is the longest time in the period without
the end of a complete run. Between two looks at a page nothing is known: a text that changed and changed back in between
is in no list. Changes are dated by the capture of the new text; a source's initial captures are not changes. Rules
assign the importance (`scrapy changes rules` lists them), people review: closed is material, with what it asks for
done. Times are UTC.
"""
_CHANGE_COLUMNS = (
    *("change", "captured (UTC)", "importance", "page", "what changed"),
    *("effective", "review", "text (SHA-256)"),
)
_COVERAGE_COLUMNS = ("source", "runs", "complete", "other ends", "longest gap", "pages of the last complete run")


@dataclass(frozen=True, slots=True)
class Period:
    """From *since*, before *until* (UTC)."""

    since: datetime
    until: datetime

    def __str__(self) -> str:
        return f"{_minute(self.since)} to {_minute(self.until)} UTC"


def render_period_report(conn: Connection, period: Period, sources: Sequence[str], *, now: datetime) -> str:
    """The report on *sources*, a whole page without scripts. Versions that are not yet compared are counted in it."""
    wanted = ChangeFilter(since=period.since, until=period.until, sources=sources)
    found = list(list_changes(conn, wanted))
    about = f"{period}; {format_count(len(sources), 'source')}"
    return render_page(
        f"Changes, {period}",
        [
            f"<h1>Changes</h1>\n<p>{escape_text(about)}.<br>Made {_minute(now)} UTC by {escape_text(BUILD)}.</p>",
            "<h2>1. Summary</h2>",
            *_render_summary(found, count_undescribed(conn)),
            "<h2>2. What changed, and what was decided</h2>",
            *_render_changes(found),
            "<h2>3. Coverage</h2>",
            *render_table(_COVERAGE_COLUMNS, (_coverage_cells(conn, source, period) for source in sources)),
            f"<p>{escape_text(name_rori(_METHOD))}</p>",
        ],
    )


def _render_summary(found: Sequence[ChangeRow], undescribed: int) -> Iterator[str]:
    levels = [Importance.HIGH, Importance.MEDIUM, Importance.LOW]
    decisions = [OPEN, "material", "closed", "not_material"]
    numbers = Counter((change.importance, change.decision or OPEN) for change in found)
    rows = [(level.word, *(numbers[level, decision] for decision in decisions)) for level in levels]
    yield from render_table(("importance", "not reviewed", "material", "closed", "not material"), rows)
    if undescribed:
        yield f"<p>{format_count(undescribed, 'version')} could not be compared yet and may be changes.</p>"


def _render_changes(found: Sequence[ChangeRow]) -> Iterator[str]:
    if not found:
        yield "<p>No text changed.</p>"
        return
    groups = ((one.title, map(_change_cells, one.changes)) for one in group_changes(found))
    yield from render_grouped_table(_CHANGE_COLUMNS, groups)


def _change_cells(change: ChangeRow) -> tuple[object, ...]:
    reasons = ", ".join(change_reasons(change))
    level = Importance(change.importance).word
    page = f"{change.title} ({change.url})" if change.title else change.url
    return (
        change.change_id,
        _minute(change.at),
        f"{level}: {reasons}" if reasons else level,
        page,
        change_sentence(change),
        change.effective or "not stated",
        _review(change),
        change.content_hash,
    )


def _review(change: ChangeRow) -> str:
    """What was decided, and by whom; whom it is assigned to; what people wrote."""
    parts = ["not reviewed"]
    if change.decision is not None and change.reviewed_at is not None:
        reason = f": {change.reason}" if change.reason else ""
        parts = [f"{change.decision.replace('_', ' ')}, by {change.reviewed_by}, {_minute(change.reviewed_at)}{reason}"]
    if change.assignee is not None:
        parts.append(f"assigned to {change.assignee}{f', due {change.due_on}' if change.due_on else ''}")
    parts += [f"{one.by}, {_minute(one.at)}: {one.text}" for one in change.comments]
    return "; ".join(parts)


def _coverage_cells(conn: Connection, source: str, period: Period) -> tuple[object, ...]:
    runs = list_runs_between(conn, source, period.since, period.until)
    ends = Counter(run.state for run in runs)
    complete = [run for run in runs if run.state == "complete" and run.finished_at is not None]
    others = ", ".join(f"{number} {state}" for state, number in sorted(ends.items()) if state != "complete")
    before = last_complete_at(conn, source, period.since)
    looks = [run.finished_at for run in complete if run.finished_at is not None and run.finished_at < period.until]
    counts = complete[-1].counts or {} if complete else {}
    pages = ", ".join(f"{number:,} {state}" for state, number in sorted(counts.items()) if number)
    return source, len(runs), len(complete), others or "none", _longest_gap(before, looks, period), pages or "none"


def _longest_gap(before: datetime | None, looks: Sequence[datetime], period: Period) -> str:
    """``6.2 days, 2026-11-01 to 2026-11-07``: the longest time without a complete look, which may begin *before*."""
    if before is None and not looks:
        return "never complete until the period's end"
    moments = [before or period.since, *looks, period.until]
    first, last = max(pairwise(moments), key=lambda pair: pair[1] - pair[0])
    since = "" if first != period.since or before else ", never complete before"
    return f"{(last - first) / timedelta(days=1):.1f} days, {first:%Y-%m-%d} to {last:%Y-%m-%d}{since}"


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"
