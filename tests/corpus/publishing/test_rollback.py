"""What a rollback took out of a corpus is new to the draft that comes next."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.publishing import publisher
from rori_spiders.corpus.runs.delta_drafts import find_changes
from rori_spiders.corpus.runs.page_map import new_page_row
from rori_spiders.corpus.runs.publication import roll_back
from rori_spiders.ledger.corpus import human_decisions, run_pages, run_states
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.pages import page_history
from tests.corpus.publishing.factories import DOMAIN, NOW, OTHER, RUN, SITE, entries, request
from tests.ledger.factories import SOURCE
from tests.ledger.factories import a_run as a_collection

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from tests.corpus.publishing.conftest import Corpus

HOUR = timedelta(hours=1)
COLLECTION = "5" * 36


def held(corpus: Corpus) -> None:
    """A source holds the whole site, as it is published."""
    with corpus.ledger.begin() as conn:
        a_collection(conn, COLLECTION, state="complete")
        for name, text in SITE.items():
            hold(conn, name, text)


def hold(conn: Connection, name: str, text: str) -> None:
    page = page_history.ensure_page(conn, SOURCE, f"https://{DOMAIN}/{name}", now=NOW)
    digest = sha256(text.encode()).hexdigest()
    version = page_history.NewVersion(
        run_id=COLLECTION, captured_at=NOW, change_type="new", content_hash=digest, html_hash=None,
        raw_object=digest, body_object=digest, section_hashes=[], converter_version="1", tier="http",
        title=name, published=None, effective=None, publisher_version=None,
    )  # fmt: skip
    page_history.add_version(conn, page.page_id, version, body_chars=30)


def published(corpus: Corpus, run_id: str, decisions: dict[str, str], at: datetime) -> None:
    """A run that has listed the pages of *decisions*, and is published with those that are included."""
    known: dict[str, Any] = {"run_id": run_id, "domain": DOMAIN, "kind": "full", "state": "approved", "rules": ""}
    told = {**dict.fromkeys(CorpusRun.__slots__), **known, "target": {"sources": [SOURCE]}, "requested_by": "ann"}
    with corpus.ledger.begin() as conn:
        assert run_states.begin_run(conn, CorpusRun(**{**told, "started_at": at, "moved_at": at})) is None
        rows = [{**new_page_row(f"https://{DOMAIN}/{name}", "held"), "decision": to} for name, to in decisions.items()]
        run_pages.add_pages(conn, run_id, rows)
    site = {name: SITE[name] for name, to in decisions.items() if to == "include"}
    publisher.publish_version(corpus.ledger, corpus.store, request(run_id), entries(corpus.store, site), now=at)


def new(corpus: Corpus) -> set[str]:
    return {row["url"].rpartition("/")[2] for row in find_changes(corpus.ledger, corpus.store, DOMAIN, [SOURCE]).new}


def test_rollback_pages_of_cancelled_draft_are_new_in_next(corpus: Corpus) -> None:
    held(corpus)
    published(corpus, RUN, dict.fromkeys("abcdefghi", "include") | {"i": "exclude"}, NOW)
    known: dict[str, Any] = {"run_id": OTHER, "domain": DOMAIN, "kind": "delta", "state": "page_triage", "rules": ""}
    told = {**dict.fromkeys(CorpusRun.__slots__), **known, "target": {"sources": [SOURCE]}, "requested_by": "system"}
    with corpus.ledger.begin() as conn:
        hold(conn, "new", "new")
        draft = CorpusRun(**{**told, "started_at": NOW + HOUR, "moved_at": NOW + HOUR})
        assert run_states.begin_run(conn, draft) is None
        run_pages.add_pages(conn, OTHER, [new_page_row(f"https://{DOMAIN}/new", "change")])
    assert new(corpus) == set()
    with corpus.ledger.begin() as conn:
        assert run_states.move_run(conn, draft, "cancelled", now=NOW + 2 * HOUR, ends=True, says="not now")
    assert new(corpus) == {"new"}


def test_rollback_pages_of_withdrawn_version_are_new_skipped_ones_are_not(corpus: Corpus) -> None:
    held(corpus)
    first = dict.fromkeys("abcdef", "include") | {"g": "exclude"}
    published(corpus, RUN, first, NOW)
    assert new(corpus) == {"h", "i"}
    published(corpus, OTHER, first | {"h": "include", "i": "exclude"}, NOW + HOUR)
    assert new(corpus) == set()
    for back, hours in ((1, 2), (3, 3)):  # the second goes back to a rollback
        given = request(None, rolled_back_to=back, reason="the new page is not in force")
        publisher.roll_back_version(corpus.ledger, corpus.store, given, now=NOW + hours * HOUR)
        assert new(corpus) == {"h"}
    published(corpus, "3" * 36, first | {"h": "exclude"}, NOW + 4 * HOUR)
    assert new(corpus) == set(), "somebody has looked at it since"


def test_rollback_run_under_way_needs_what_was_withdrawn_approved_again(corpus: Corpus) -> None:
    published(corpus, RUN, dict.fromkeys("abcdefghi", "include"), NOW)
    known: dict[str, Any] = {"run_id": OTHER, "domain": DOMAIN, "kind": "full", "state": "approved", "rules": ""}
    told = {**dict.fromkeys(CorpusRun.__slots__), **known, "target": {"sources": [SOURCE]}, "requested_by": "ann"}
    with corpus.ledger.begin() as conn:
        assert run_states.begin_run(conn, CorpusRun(**{**told, "started_at": NOW, "moved_at": NOW})) is None
        for name, hours in (("a", -1), ("b", 1)):
            page_id, at = page_id_for_url(f"https://{DOMAIN}/{name}"), NOW + hours * HOUR
            run_pages.add_pages(conn, OTHER, [new_page_row(f"https://{DOMAIN}/{name}", "held")])
            run_pages.update_page(conn, OTHER, page_id, {"review": "approved", "reviewed_by": "ann", "reviewed_at": at})
            raw = (name * 64)[:64]
            human_decisions.approve_text(conn, DOMAIN, page_id, raw=raw, clean=raw, title=None, by="ann", now=at)
    given = request(None, rolled_back_to=1, reason="b is not in force")
    roll_back(corpus.ledger, corpus.store, {}, given, now=NOW + 2 * HOUR)
    with corpus.ledger.connect() as conn:
        run = run_states.find_run(conn, OTHER)
        reviews = {row.url[-1]: row.review for row in run_pages.list_pages(conn, OTHER)}
        approvals = {raw[0] for _, raw in human_decisions.list_approvals(conn, DOMAIN)}
    assert run is not None and run.state == "ready_for_review" and "look at what was rolled back" in (run.says or "")
    assert (reviews, approvals) == ({"a": "approved", "b": None}, {"a"})
