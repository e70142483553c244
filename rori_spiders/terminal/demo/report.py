"""Report a demo run in plain words: staged files, refusals with reasons, unchanged pages, the changed line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from sqlalchemy import Connection, select

from rori_spiders.content.sections import changed_lines
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.runs.frontier import UrlRow
from rori_spiders.ledger.tables import envelopes
from rori_spiders.staging.store import Store

CONTEXT_CHARS = 60


@dataclass(frozen=True, slots=True)
class Staged:
    """One envelope of a run."""

    source_id: str
    url: str
    path: str
    change_type: str


def demo_report_lines(
    conn: Connection, store: Store, run_ids: Sequence[str], staged: Sequence[Staged]
) -> Iterator[str]:
    """The lines of the report on these runs, which have *staged* those envelopes."""
    rows = [row for run_id in run_ids for row in frontier.list_urls(conn, run_id) if row.kind == "page"]
    unchanged = [row for row in rows if row.state == "unchanged"]
    yield from _staged_lines(staged, unchanged)
    for one in staged:
        if one.change_type == "modified":
            yield from _changed_line(conn, store, one)
    yield from _refused_lines(rows)


def next_commands(staged: Sequence[Staged]) -> str:
    """What a newcomer types next: ``scrapy changes`` shows nothing before a page has changed."""
    has_change = any(one.change_type == "modified" for one in staged)
    return "scrapy changes" if has_change else "scrapy demo --edit, then scrapy changes"


def read_staged(conn: Connection, run_ids: Sequence[str]) -> list[Staged]:
    columns = (envelopes.c.source_id, envelopes.c.url, envelopes.c.path, envelopes.c.change_type)
    found = conn.execute(select(*columns).where(envelopes.c.run_id.in_(run_ids)).order_by(envelopes.c.path))
    return [Staged(*row) for row in found]


def _staged_lines(staged: Sequence[Staged], unchanged: list[UrlRow]) -> Iterator[str]:
    if not staged and unchanged:
        pages = _count_pages(len(unchanged))
        yield f"Nothing changed: checked {pages}, nothing staged."
        return
    if not staged:
        yield "Nothing was staged."
        return
    yield f"Staged, {_count_pages(len(staged))} new or changed:"
    for one in staged:
        yield f"  {one.change_type:8}  {one.url}"
        yield f"            {one.path}"
    if unchanged:
        yield f"Unchanged: {_count_pages(len(unchanged))}."


def _changed_line(conn: Connection, store: Store, staged: Staged) -> Iterator[str]:
    page = page_history.find_page(conn, staged.source_id, staged.url)
    versions = page_history.list_versions(conn, page.page_id, limit=2) if page is not None else []
    if len(versions) < 2:
        return
    new, old = (store.get_object(version.body_object).decode() for version in versions)
    yield f"What changed in {staged.url}:"
    lines = changed_lines(old, new)
    for kind, line in lines:
        other = next((text for its, text in lines if its != kind), "")
        yield f"  {'+' if kind == 'added' else '-'} {_around_the_change(line, other)}"


def _around_the_change(line: str, other: str) -> str:
    """The part of a long line in which it differs from its *other* version, with some words on both sides."""
    start = _common_prefix_length(line, other)
    end = len(line) - _common_prefix_length(line[start:][::-1], other[start:][::-1])
    left, right = max(0, start - CONTEXT_CHARS), min(len(line), end + CONTEXT_CHARS)
    left = line.rfind(" ", 0, left) + 1 if left else 0
    right = line.find(" ", right) if " " in line[right:] else len(line)
    return f"{'… ' if left else ''}{line[left:right]}{' …' if right < len(line) else ''}"


def _common_prefix_length(one: str, other: str) -> int:
    """How many characters the two begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _refused_lines(rows: list[UrlRow]) -> Iterator[str]:
    refused = [row for row in rows if row.state in {"excluded", "failed", "gone"}]
    if not refused:
        return
    yield "Not collected, and why:"
    for row in sorted({one.url: one for one in refused}.values(), key=lambda one: (one.state, one.url)):
        yield f"  {row.state:8}  {row.url}"
        yield f"            {row.reason or ''}"


def _count_pages(number: int) -> str:
    return "1 page" if number == 1 else f"{number} pages"
