"""Choose two versions for `scrapy diff`, render their difference as text or HTML, list a run's changed sections."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from typing import TextIO

from rich.console import Console
from rich.text import Text
from sqlalchemy import Connection, select

from rori_spiders.comparison.diff_report import (
    MARK_NAMES,
    describe_change,
    readable_path,
    section_heading,
    section_location,
    summarize_difference,
)
from rori_spiders.comparison.section_changes import ModifiedPage, list_modified_pages
from rori_spiders.content.changes.compare import Change, Difference, Mark, Words
from rori_spiders.content.changes.model import Op
from rori_spiders.exceptions import ActionRefused, UnknownName, UsageError
from rori_spiders.ledger.pages import imported_captures, page_history
from rori_spiders.ledger.pages.page_history import PageRow, VersionRow
from rori_spiders.ledger.tables import page_aliases, pages
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.redacted_output import program_name, styled_stream
from rori_spiders.terminal.listing import format_for_people
from rori_spiders.urls.canonical import normalise_url, url_hash

#: How many alternatives a message lists.
_MOST_LISTED = 20
_NUMBER = re.compile(r"v?(\d{1,9})")
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{4,64})", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
#: Begins the name of a text that others captured: ``imported:2019-03-01``.
_OF_IMPORTS = "imported:"


def find_page_by_url(conn: Connection, source_id: str, url: str) -> PageRow:
    """The source's page with this URL or redirected from it. UsageError, listing alternatives, if it has no version."""
    try:
        wanted = normalise_url(url)
    except ValueError as error:
        raise UsageError(f"{url!r} is not a valid page URL: {error}") from None
    found = page_history.find_page(conn, source_id, wanted) or _find_page_by_alias(conn, source_id, wanted)
    if found is not None and found.last_seq:
        return found
    if (imported := imported_captures.find_page(conn, source_id, wanted)) is not None:
        return imported
    of_source = select(pages.c.url).where(pages.c.source_id == source_id, pages.c.last_seq > 0).order_by(pages.c.url)
    urls = list(conn.execute(of_source).scalars())
    if urls:
        raise UnknownName(f"source {source_id!r} has no version of {wanted}. Its pages:\n{_list_names(urls, wanted)}")
    ids = list(conn.execute(select(pages.c.source_id).where(pages.c.last_seq > 0).distinct()).scalars())
    if not ids:
        raise ActionRefused("nothing collected yet: run `scrapy collect`")
    raise UnknownName(
        f"no collected pages of source {source_id!r}. Sources with pages:\n{_list_names(sorted(ids), source_id)}"
    )


def _find_page_by_alias(conn: Connection, source_id: str, url: str) -> PageRow | None:
    led_to = select(pages.c.url).join(page_aliases, page_aliases.c.page_id == pages.c.page_id)
    of_source = (pages.c.source_id == source_id, page_aliases.c.url_hash == url_hash(url))
    found = conn.execute(led_to.where(*of_source).limit(1)).scalar()
    return page_history.find_page(conn, source_id, found) if found is not None else None


def _list_names(names: Sequence[str], wanted: str) -> str:
    near = get_close_matches(wanted, names, n=_MOST_LISTED, cutoff=0.5)
    first = [*near, *(name for name in names if name not in near)][:_MOST_LISTED]
    more = (
        [f"  and {len(names) - len(first)} more: `scrapy audit --status captured`"] if len(names) > len(first) else []
    )
    return "\n".join([*(f"  {format_for_people(name)}" for name in first), *more])


def choose_two_versions(
    versions: Sequence[VersionRow],
    first: str | None,
    second: str | None,
    pages: Mapping[int, PageRow],
    imported: Sequence[VersionRow] = (),
) -> tuple[VersionRow, VersionRow]:
    """The two of a page's *versions* (newest first) to compare: by default the newest and the one before it.

    *pages*: the page's URLs by page id. *imported* are texts that others captured, newest first: they are compared
    where they are named, or where nothing was collected. UsageError, listing all, for a name that matches none.
    """
    versions = versions or imported
    held = _HeldVersions(versions, pages, imported)
    new = held.named(second) if second is not None else versions[0]
    if first is not None:
        return held.named(first), new
    if new.is_import and versions is not imported:
        raise UsageError(f"--to names an imported text: name the other one with --from. {held}")
    older = versions[versions.index(new) + 1 :]
    if not older:
        raise ActionRefused(f"{new.label} is the first: there is no older version to compare it with. {held}")
    return older[0], new


def list_imported(conn: Connection, page: PageRow) -> list[VersionRow]:
    """The texts of *page* that others captured, newest first."""
    found = imported_captures.list_texts(conn, page.url, page.source_id)
    return [imported_captures.as_version(capture, page.page_id) for capture, _ in reversed(found)]


class _HeldVersions:
    """A page's versions, newest first. Those at its current URL have numbers; all have hashes and dates."""

    def __init__(
        self, versions: Sequence[VersionRow], pages: Mapping[int, PageRow], imported: Sequence[VersionRow]
    ) -> None:
        self._versions = versions
        self._pages = pages
        self._imported = imported

    def named(self, name: str) -> VersionRow:
        if name.startswith(_OF_IMPORTS):
            return _HeldVersions(self._imported, self._pages, self._imported).named(name.removeprefix(_OF_IMPORTS))
        if _DAY.match(name):
            return self._version_at(name)
        if (number := _NUMBER.fullmatch(name)) and (at := self._numbered(int(number[1]))):
            return at
        if digest := _HASH.fullmatch(name):
            fitting = [version for version in self._versions if version.content_hash.startswith(digest[1].lower())]
            if len({version.content_hash for version in fitting}) == 1:
                return fitting[0]
            if fitting:
                raise UsageError(f"{name!r} matches several hashes: add more characters. {self}")
        raise UnknownName(
            f"no version {name!r} of this page: expected a number, the start of a hash, or a date such as "
            f"2026-02-13. {self}"
        )

    def _is_here(self, version: VersionRow) -> bool:
        return version.is_import or version.page_id == self._versions[0].page_id

    def _numbered(self, seq: int) -> VersionRow | None:
        here = (one for one in self._versions if self._is_here(one) and not one.is_import)
        return next((one for one in here if one.seq == seq), None)

    def _version_at(self, timestamp: str) -> VersionRow:
        """The newest version captured by the end of the day, or by the time."""
        try:
            if _DAY.fullmatch(timestamp):
                end = datetime.combine(date.fromisoformat(timestamp) + timedelta(days=1), datetime.min.time(), UTC)
            else:
                at = datetime.fromisoformat(timestamp)
                end = (at if at.tzinfo else at.replace(tzinfo=UTC)) + timedelta(microseconds=1)
        except (ValueError, OverflowError):
            raise UsageError(
                f"expected a date or time such as 2026-02-13 or 2026-02-13T14:30:00Z, not {timestamp!r}"
            ) from None
        found = next((version for version in self._versions if version.captured_at < end), None)
        if found is None:
            raise UnknownName(f"no version of this page as of {timestamp}. {self}")
        return found

    def __str__(self) -> str:
        listed = self._versions[:_MOST_LISTED]
        more = (
            [f"  and {len(self._versions) - _MOST_LISTED} older versions"] if len(self._versions) > _MOST_LISTED else []
        )
        others = [one for one in self._imported if one not in self._versions][:_MOST_LISTED]
        return "\n".join(["Versions:", *map(self._line, [*listed, *others]), *more])

    def _line(self, one: VersionRow) -> str:
        number = "" if one.is_import or not self._is_here(one) else str(one.seq)
        there = "" if self._is_here(one) else f"  at {self._pages[one.page_id].url}"
        line = f"  {number:>4}  {format_for_people(one.captured_at)} UTC  {one.change_type:<8}  {one.content_hash[:12]}"
        return f"{line}{there}"


# A difference as text: coloured on a terminal, elsewhere `[-deleted-]` and `{+inserted+}`.

#: Kept text around a change that is shown, in characters; longer stretches are cut between words.
_CONTEXT = 80
_STYLES: dict[Op, str] = {"=": "", "-": "red strike", "+": "bold green underline"}
_BRACKETS: dict[Op, tuple[str, str]] = {"=": ("", ""), "-": ("[-", "-]"), "+": ("{+", "+}")}


def write_diff_text(difference: Difference, head: list[str], out: TextIO | None = None) -> None:
    """Write the *head* lines, the summary and each section to *out* (stdout). Nothing is cut off a line."""
    out = out or sys.stdout
    console = Console(file=styled_stream(out), highlight=False, markup=False, emoji=False, soft_wrap=True)
    coloured = console.is_terminal and console.color_system is not None and not console.no_color
    for line in _diff_lines(difference, head, coloured=coloured):
        if coloured:
            console.print(line)
        else:
            out.write(f"{line.plain.rstrip()}\n")


def _diff_lines(difference: Difference, head: list[str], *, coloured: bool) -> Iterator[Text]:
    yield from (Text(escape_one_line(line)) for line in head)
    yield Text(summarize_difference(difference), style="bold")
    for section in difference.sections:
        yield Text("")
        yield Text(escape_one_line(section_heading(section)), style="bold cyan")
        yield from (Text(f"  {escape_one_line(line)}") for line in section_location(section))
        for change in section.changes:
            yield from _change_lines(change, coloured=coloured)


def _change_lines(change: Change, *, coloured: bool) -> Iterator[Text]:
    yield Text(f"  {escape_one_line(describe_change(change))}", style="dim")
    for cell in change.cells:
        found = f"{cell.row} / {cell.column}" if cell.row else cell.column
        yield Text(f"    {escape_one_line(found)}: ").append_text(_paint_words(cell.words, coloured=coloured))
    if change.words and not change.cells:
        yield Text("    ").append_text(_paint_words(change.words, coloured=coloured))
    if change.kind in {"changed", "moved_and_changed"}:
        yield from (Text(f"    {_mark_lines(mark)}", style="yellow") for mark in change.marks)


def _mark_lines(mark: Mark) -> str:
    name = MARK_NAMES[mark.kind][0]
    if mark.old is None:
        return escape_one_line(f"{name} added: {mark.new}")
    if mark.new is None:
        return escape_one_line(f"{name} removed: {mark.old}")
    return escape_one_line(f"{name}: {mark.old} → {mark.new}")


def _paint_words(words: Words, *, coloured: bool) -> Text:
    painted = Text()
    for at, (op, text) in enumerate(words):
        shown = escape_one_line(_shorten_context(text, first=at == 0, last=at == len(words) - 1) if op == "=" else text)
        before, after = ("", "") if coloured else _BRACKETS[op]
        painted.append(f"{before}{shown}{after}", style=_STYLES[op] if coloured else "")
    return painted


def _shorten_context(text: str, *, first: bool, last: bool) -> str:
    """Shorten unchanged text near a change: keep short text whole, of long text only the ends beside changes."""
    if len(text) <= 2 * _CONTEXT:
        return text
    begin = text[: text.rfind(" ", 0, _CONTEXT) + 1] or text[:_CONTEXT]
    end = text[text.find(" ", len(text) - _CONTEXT) :] if " " in text[-_CONTEXT:] else text[-_CONTEXT:]
    if first and last:
        return f"{begin}…"
    return f"…{end}" if first else f"{begin}…" if last else f"{begin}…{end}"


# The changed sections of a run's pages, from the hashes in the ledger.

#: The most pages, and sections of each, that are listed; `scrapy diff` shows all.
_MOST_PAGES, _MOST_SECTIONS = 20, 8


def changed_sections_of_run(conn: Connection, run_id: str) -> Iterator[str]:
    """One line per page whose text the run saw modified, then its changed sections."""
    found, in_all = list_modified_pages(conn, run_id, _MOST_PAGES)
    for page in found:
        yield f"  {escape_one_line(page.url)}"
        yield from (f"      {line}" for line in _changed_sections_of_page(page))
        yield f"      {program_name()} diff {page.source_id} {escape_one_line(page.url)} --to {page.new.seq}"
    if in_all > _MOST_PAGES:
        yield f"  and {in_all - _MOST_PAGES} more pages"


def _changed_sections_of_page(page: ModifiedPage) -> Iterator[str]:
    if page.note:
        yield page.note
        return
    yield from (f"{kind}: {escape_one_line(readable_path(path))}" for kind, path in page.sections[:_MOST_SECTIONS])
    if len(page.sections) > _MOST_SECTIONS:
        yield f"and {len(page.sections) - _MOST_SECTIONS} more sections"
