"""Which URLs belong to the corpus, as a person says: an override, which holds in this run and in all later ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.reviewing.turn import said
from rori_spiders.corpus.running.mapping import found_row
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.corpus import human_decisions, run_pages
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.urls.canonical import host_of, normalise_url

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from rori_spiders.corpus.reviewing.turn import Turn

INCLUDE, EXCLUDE = "include", "exclude"
#: While a decision may be changed. An approved run is taken back first: what was approved is what is published.
DECIDED_IN = (
    "page_triage",
    "scraping",
    "deterministic_preflight",
    "llm_cleanup",
    "validation_audit",
    "ready_for_review",
)
_TEXTS = ("got", "got_reason", "got_at")


def decide(turn: Turn, page_id: str, decision: str, reason: str) -> None:
    """*decision* about a page: ``include`` or ``exclude``. One that has no text yet is fetched and cleaned next."""
    row, why = turn.page(page_id), said(reason)
    human_decisions.set_override(
        turn.conn, turn.run.domain, page_id, row.url, decision, reason=why, by=turn.by, now=turn.now
    )
    run_pages.update_page(turn.conn, turn.run.run_id, page_id, _overridden(decision, why, turn.by))
    turn.record(f"corpus_{decision}", reason=why, details={"url": row.url, "was": row.decision})
    if decision == INCLUDE and row.document_object is None:
        _fetch_again(turn, page_id)


def let_rules_decide(turn: Turn, page_id: str, reason: str) -> None:
    """Take an override back: the rules decide again in the next run; in this one the page needs another look."""
    row, why = turn.page(page_id), said(reason)
    if page_id not in human_decisions.active_overrides(turn.conn, turn.run.domain):
        raise UsageError(f"nobody has decided about {row.url}")
    human_decisions.set_override(
        turn.conn, turn.run.domain, page_id, row.url, None, reason=why, by=turn.by, now=turn.now
    )
    told = {"decision": "needs_review", "decided_by": "rule", "rule": "override taken back", "reason": why}
    run_pages.update_page(turn.conn, turn.run.run_id, page_id, told)
    turn.record("corpus_override_taken_back", reason=why, details={"url": row.url})


def add(turn: Turn, url: str, reason: str, hosts: Collection[str]) -> str:
    """A URL that the map has missed, on one of *hosts*; gives its page id. It is included, fetched and cleaned next."""
    why = said(reason)
    try:
        address = normalise_url(url)
    except ValueError as error:
        raise UsageError(f"{url}: {error}") from error
    if host_of(address) not in hosts:
        raise UsageError(f"{host_of(address)} is no host of this corpus: {', '.join(sorted(hosts))}")
    page_id = page_id_for_url(address)
    if run_pages.find_page(turn.conn, turn.run.run_id, page_id) is None:
        run_pages.add_pages(turn.conn, turn.run.run_id, [found_row(address, human_decisions.ADDED)])
    decide(turn, page_id, INCLUDE, why)
    return page_id


def _overridden(decision: str, reason: str, by: str) -> Mapping[str, Any]:
    told = {"decision": decision, "decided_by": "override", "rule": by, "reason": reason, "confidence": 1.0}
    return told | {"evidence": None, "review": None, "reviewed_by": None, "reviewed_at": None, "review_reason": None}


def _fetch_again(turn: Turn, page_id: str) -> None:
    run_pages.reset_columns(turn.conn, turn.run.run_id, [page_id], _TEXTS)
    if turn.run.state == "ready_for_review":
        turn.move("scraping")
