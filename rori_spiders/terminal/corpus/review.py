"""Review, approve and cancel corpus runs from the command line."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial

from rori_spiders.corpus.runs import review
from rori_spiders.corpus.runs.review import LockedRun, lock_run
from rori_spiders.corpus.runs.run import hosts_of
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.corpus import run_pages
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.manifest.scope import Glob
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.corpus.decision_file import PageDecision, read_decisions, read_text
from rori_spiders.terminal.corpus.interactive_review import open_keyboard, review_interactively
from rori_spiders.terminal.corpus.listings import run_lines, write_pages
from rori_spiders.terminal.corpus.session import CorpusSession
from rori_spiders.terminal.listing import print_hint
from rori_spiders.urls.canonical import normalise_url, path_and_query

#: What `review` can do to pages; each takes a page's URL.
REVIEW_ACTIONS = ("include", "exclude", "clear_decision", "add", "approve_page", "reject", "clean_again")
_CLEAN_AGAIN = "clean_again"
_REVIEW_STATES = ("ready_for_review",)


def review_pages(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Apply the given actions to the run's pages, print one text, or list the pages."""
    run = session.run_of(opts.domain)
    if opts.text:
        row = session.ledger.read(partial(run_pages.find_page, run_id=run.run_id, page_id=_page_id(opts.text)))
        digest = getattr(row, f"{opts.stage}_object", None)
        if digest is None:
            raise ActionRefused(f"this run has no {opts.stage} text of {opts.text}")
        text = session.store.get_object(digest).decode()
        print(text)
        return 0
    if opts.write_text:
        return _write_page_text(session, run, opts)
    if opts.interactive:
        return review_interactively(session, run, open_keyboard())
    if opts.decisions:
        return _apply_decisions(session, run, read_decisions(opts.decisions, REVIEW_ACTIONS))
    if opts.approve_publishable or any(getattr(opts, act) for act in REVIEW_ACTIONS):
        return _apply_options(session, run, opts)
    where = {name: getattr(opts, name) for name in ("decision", "gate", "review_state") if getattr(opts, name)}
    if "review_state" in where:
        review_state = where.pop("review_state")
        where["review"] = None if review_state == "open" else review_state
    write_pages(session, run, where, opts.format)
    return 0


def _apply_options(session: CorpusSession, run: CorpusRun, opts: argparse.Namespace) -> int:
    """Apply what the options name. Cleaning again comes last: it moves the run on."""
    if opts.approve_publishable:
        with lock_run(session.ledger, run.run_id, by=session.by, now=session.now(), states=_REVIEW_STATES) as locked:
            print(f"{review.approve_publishable(locked):,} pages approved")
    for act in REVIEW_ACTIONS:
        for url in () if act == _CLEAN_AGAIN else getattr(opts, act) or ():
            _act_on_page(session, run, act, url, opts.reason or "")
            print(escape_one_line(f"{act.replace('_', ' ')}: {url}"))
    if opts.clean_again:
        print(f"clean again: {format_count(_clean_again(session, run, opts.clean_again), 'page')}")
    print(*run_lines(session, session.newest_run(opts.domain)), sep="\n")
    return 0


def _apply_decisions(session: CorpusSession, run: CorpusRun, decisions: Sequence[PageDecision]) -> int:
    """Apply each row of a file, and print what became of it. 1: some were refused; the others hold."""
    refused = 0
    # Cleaning again moves the run on, so that nothing else can be decided: it comes last.
    to_clean: list[str] = []
    for one in decisions:
        try:
            if one.action == _CLEAN_AGAIN:
                to_clean.append(_cleanable_page(session, run, one.url))
            else:
                _act_on_page(session, run, one.action, one.url, one.reason, one.document)
        except UsageError as error:
            refused += 1
            print(escape_one_line(f"refused, line {one.line}: {one.action.replace('_', ' ')}: {one.url}: {error}"))
        else:
            print(escape_one_line(f"{one.action.replace('_', ' ')}: {one.url}"))
    if to_clean:
        _clean_again(session, run, to_clean)
    print(f"{len(decisions) - refused:,} decisions applied, {refused:,} refused")
    print(*run_lines(session, session.newest_run(run.domain)), sep="\n")
    return 1 if refused else 0


def _clean_again(session: CorpusSession, run: CorpusRun, wanted: Sequence[str]) -> int:
    """Clean the pages of these URLs again, and those whose path and query one of these globs matches; count them."""
    globs = [Glob(f"{one}*" if one.endswith("/") else one) for one in wanted if one.startswith("/")]
    page_ids = dict.fromkeys(_page_id(one) for one in wanted if not one.startswith("/"))
    rules = session.rules_text(run.domain)
    with lock_run(session.ledger, run.run_id, by=session.by, now=session.now(), states=_REVIEW_STATES) as locked:
        rows = run_pages.list_pages(locked.conn, run.run_id, decision="include") if globs else ()
        paths = {row.page_id: path_and_query(row.url) for row in rows if row.raw_object is not None}
        page_ids |= dict.fromkeys(one for one, path in paths.items() if any(glob.matches(path) for glob in globs))
        if not page_ids:
            raise ActionRefused(f"no included page with a text matches {', '.join(wanted)}")
        review.clean_again(locked, list(page_ids), rules)
    return len(page_ids)


def _cleanable_page(session: CorpusSession, run: CorpusRun, url: str) -> str:
    """Return the URL of a page that has a text to clean. Raises UsageError."""
    row = session.ledger.read(partial(run_pages.find_page, run_id=run.run_id, page_id=_page_id(url)))
    if row is None or row.raw_object is None:
        raise ActionRefused("the run has no text of it to clean")
    return url


def _write_page_text(session: CorpusSession, run: CorpusRun, opts: argparse.Namespace) -> int:
    """Replace the text of a page by one that a person wrote, with a mark that says so."""
    if not opts.file:
        raise UsageError("--write-text takes its text from --file: name it; - for stdin")
    named = [normalise_url(url) for url in opts.from_url or (opts.write_text,)]
    now = session.now()
    text = review.mark_written_text(read_text(opts.file), by=session.by, now=now, from_urls=named)
    with lock_run(session.ledger, run.run_id, by=session.by, now=now, states=_REVIEW_STATES) as locked:
        review.write_text(locked, _page_id(opts.write_text), text, opts.reason or "", session.store)
    print(escape_one_line(f"text written: {opts.write_text}"))
    print_hint(f"Next: scrapy corpus run {run.domain}, then review and approve it")
    return 0


def _act_on_page(session: CorpusSession, run: CorpusRun, act: str, url: str, reason: str, document: str = "") -> None:
    states = _REVIEW_STATES if act in {"approve_page", "reject"} else review.DECIDED_IN
    with lock_run(session.ledger, run.run_id, by=session.by, now=session.now(), states=states) as locked:
        _apply_action(session, locked, act, url, reason, document)


def approve_run(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Approve the run of a domain, or withdraw the approval."""
    run = session.run_of(opts.domain)
    with lock_run(session.ledger, run.run_id, by=session.by, now=session.now()) as locked:
        if opts.withdraw:
            review.withdraw_approval(locked, opts.reason or "")
        else:
            review.approve_run(locked)
    print(f"{run.domain}: {'ready_for_review' if opts.withdraw else 'approved'}")
    return 0


def cancel_run(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Cancel the run of a domain."""
    run = session.run_of(opts.domain)
    with lock_run(session.ledger, run.run_id, by=session.by, now=session.now()) as locked:
        review.cancel_run(locked, opts.reason or "")
    print(f"{run.domain}: cancelled")
    return 0


def _apply_action(session: CorpusSession, locked: LockedRun, act: str, url: str, reason: str, document: str) -> None:
    """*document*: the one that was looked at; "": the one that the run has now."""
    if act == "add":
        review.add_url(locked, url, reason, hosts_of(locked.run, session.sources(locked.run)))
        return
    page_id = _page_id(url)
    row = locked.page(page_id)
    doing: dict[str, Callable[[], object]] = {
        "include": partial(review.decide_page, locked, page_id, review.INCLUDE, reason),
        "exclude": partial(review.decide_page, locked, page_id, review.EXCLUDE, reason),
        "clear_decision": partial(review.clear_decision, locked, page_id, reason),
        "approve_page": partial(
            review.approve_page, locked, page_id, document or row.document_object or "", reason or None
        ),
        "reject": partial(review.reject_page, locked, page_id, reason),
    }
    doing[act]()


def _page_id(url: str) -> str:
    try:
        return page_id_for_url(normalise_url(url))
    except ValueError as error:
        raise UsageError(f"{url}: {error}") from error
