"""Review a run page by page at the terminal: what is doubtful about a page, its text, a key for each decision."""

import json
import pydoc
import shutil
import sys
import termios
import tty
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Row

from rori_spiders.content.changes.compare import compare
from rori_spiders.corpus.documents.document import parse_document
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.runs import review
from rori_spiders.corpus.runs.review import lock_run
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.corpus import run_pages, run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.runtime.control_characters import escape_control_characters, escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.comparison.diff import write_diff_text
from rori_spiders.terminal.corpus.listings import run_lines
from rori_spiders.terminal.corpus.session import CorpusSession

_KEYS = (
    "[a]pprove  [r]eject  e[x]clude  [i]nclude  [t]ext  [d]ifference from the source  [p]ublished before  "
    "[n]ext  [b]ack  [q]uit: "
)
#: Lines of the terminal that header, findings and keys take.
_FRAME_LINES = 14
#: Removed blocks, and characters of each, that are shown.
_MOST_REMOVED, _REMOVED_CHARS = 5, 100


class Keyboard(NamedTuple):
    """Where a person's keys and lines come from."""

    key: Callable[[str], str]
    line: Callable[[str], str]


def open_keyboard() -> Keyboard:
    """Single keys at a terminal; else the first letter of each line of standard input, ``q`` at its end."""
    return Keyboard(_read_key if sys.stdin.isatty() else lambda prompt: _read_line(prompt)[:1] or "q", _read_line)


def review_interactively(session: CorpusSession, run: CorpusRun, keyboard: Keyboard) -> int:
    """Show each page that waits for a decision, and do what the person's keys say."""
    rows = session.ledger.read(partial(run_pages.list_pages, run_id=run.run_id))
    waiting = sorted((row for row in rows if _waits(row)), key=lambda row: (row.section, row.url))
    reviewing = _Reviewing(session, run, keyboard, waiting)
    if waiting:
        reviewing.run()
    print(f"{format_count(reviewing.decided, 'decision')} made.")
    print(*run_lines(session, session.newest_run(run.domain)), sep="\n")
    return 0


def _waits(row: Row[Any]) -> bool:
    """Whether a person has to decide about the page, or to look at its text."""
    if row.decision != review.INCLUDE:
        return bool(row.decision == review.NEEDS_REVIEW)
    return row.document_object is not None and row.review is None and row.got != "gone"


class _Reviewing:
    """A person's way through *waiting*."""

    def __init__(self, session: CorpusSession, run: CorpusRun, keyboard: Keyboard, waiting: Sequence[Row[Any]]) -> None:
        self._session, self._run, self._keyboard = session, run, keyboard
        self._waiting = waiting
        manifest = read_current_version(session.store, run.domain).manifest
        self._published = {page.source_url: page.sha256 for page in manifest.pages} if manifest is not None else {}
        self.decided = 0

    def run(self) -> None:
        """Go from page to page until the last one, a quit, or a decision after which the run has work to do."""
        at = 0
        while 0 <= at < len(self._waiting) and self._is_in_review():
            row = self._waiting[at]
            self._show(row, at)
            step = self._decide(row)
            if step is None:
                return
            at = max(0, at + step)

    def _is_in_review(self) -> bool:
        now = self._session.ledger.read(partial(run_states.find_run, run_id=self._run.run_id))
        return now is not None and now.state == "ready_for_review"

    def _decide(self, row: Row[Any]) -> int | None:
        """Read keys until one leads to another page: by how many; None: the person leaves."""
        shows = {"t": self._page_text, "d": self._show_difference, "p": self._show_change}
        acts = {"a": self._approve, "r": self._reject, "x": self._exclude, "i": self._include}
        while True:
            key = self._keyboard.key(_KEYS).lower()
            if key == "q":
                return None
            if key in {"n", "b"}:
                return 1 if key == "n" else -1
            if key in shows:
                shows[key](row)
            elif key in acts and self._act(acts[key], row):
                return 1

    def _act(self, act: Callable[[Row[Any]], None], row: Row[Any]) -> bool:
        try:
            act(row)
        except UsageError as error:
            print(escape_one_line(f"refused: {error}"))
            return False
        self.decided += 1
        return True

    # --- what a key does ------------------------------------------------------------------------------------------

    def _approve(self, row: Row[Any]) -> None:
        reason = self._keyboard.line("Reason: ") if row.gate == review.NEEDS_REVIEW else None
        self._turn(partial(review.approve_page, page_id=row.page_id, document=row.document_object or "", reason=reason))

    def _reject(self, row: Row[Any]) -> None:
        self._turn(partial(review.reject_page, page_id=row.page_id, reason=self._keyboard.line("Reason: ")))

    def _exclude(self, row: Row[Any]) -> None:
        self._choose(row, review.EXCLUDE)

    def _include(self, row: Row[Any]) -> None:
        self._choose(row, review.INCLUDE)

    def _choose(self, row: Row[Any], decision: str) -> None:
        reason = self._keyboard.line("Reason: ")
        self._turn(partial(review.decide_page, page_id=row.page_id, decision=decision, reason=reason))

    def _turn(self, does: Callable[[review.LockedRun], None]) -> None:
        session = self._session
        states = ("ready_for_review",)
        with lock_run(session.ledger, self._run.run_id, by=session.by, now=session.now(), states=states) as locked:
            does(locked)

    # --- what is shown --------------------------------------------------------------------------------------------

    def _show(self, row: Row[Any], at: int) -> None:
        print()
        print(escape_one_line(f"[{at + 1}/{len(self._waiting)}] {row.url}"))
        print(
            escape_one_line(f"  {row.title or 'no title'} · {row.section} · {row.decision}: {row.reason or row.rule}")
        )
        if row.gate is not None:
            print(f"  gate: {row.gate}, cleaned by: {row.cleaned_by}")
        for finding in row.findings or ():
            print(escape_one_line(f"  {finding['severity']}: {finding['says']}"))
        removed = json.loads(self._text(row.removals_object)).get("removals", ()) if row.removals_object else ()
        for one in removed[:_MOST_REMOVED]:
            print(escape_one_line(f"  - {one['text'][:_REMOVED_CHARS]}"))
        if len(removed) > _MOST_REMOVED:
            print(f"  and {format_count(len(removed) - _MOST_REMOVED, 'removed block')} more")
        lines = self._body(row).splitlines()
        room = max(10, shutil.get_terminal_size().lines - _FRAME_LINES)
        print(escape_control_characters("\n".join(lines[:room])))
        if len(lines) > room:
            print(f"... {format_count(len(lines) - room, 'line')} more: t")

    def _page_text(self, row: Row[Any]) -> None:
        pydoc.pager(escape_control_characters(self._body(row)))

    def _show_difference(self, row: Row[Any]) -> None:
        if row.raw_object is None:
            print("The run has no source text of this page.")
            return
        write_diff_text(compare(self._text(row.raw_object), self._body(row)), ["From the source text to the document:"])

    def _show_change(self, row: Row[Any]) -> None:
        digest = self._published.get(row.url)
        if digest is None:
            print("The latest version does not have this page.")
            return
        before = parse_document(self._text(digest)).body
        write_diff_text(compare(before, self._body(row)), ["From the published document to this one:"])

    def _body(self, row: Row[Any]) -> str:
        """The text that would be approved; of a page that is not decided yet, its sample, if it was read."""
        if row.document_object is not None:
            return parse_document(self._text(row.document_object)).body
        return self._text(row.raw_object) if row.raw_object is not None else "(its text was not read yet)"

    def _text(self, digest: str) -> str:
        return self._session.store.get_object(digest).decode()


def _read_key(prompt: str) -> str:
    sys.stdout.write(prompt)
    sys.stdout.flush()
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        key = sys.stdin.read(1)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    print(key)
    return key


def _read_line(prompt: str) -> str:
    sys.stdout.write(prompt)
    sys.stdout.flush()
    return sys.stdin.readline().strip()
