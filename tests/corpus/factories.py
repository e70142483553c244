"""What the corpus's tests put in: a run and its pages, as the steps leave them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.runs.page_map import new_page_row
from rori_spiders.corpus.runs.run import create_run
from rori_spiders.ledger.corpus import run_pages, run_states
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from tests.ledger.factories import at

if TYPE_CHECKING:
    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger

DOMAIN = "example.gov"
SOURCE = "guide"


def address(name: str) -> str:
    return f"https://{DOMAIN}/{name}"


def page_id(name: str) -> str:
    return page_id_for_url(address(name))


def digest(text: str) -> str:
    return (text * 64)[:64]


def a_run(ledger: Ledger, *, state: str = "mapping", **told: Any) -> CorpusRun:
    """A new run, brought into *state*."""
    with ledger.begin() as conn:
        run = create_run(conn, DOMAIN, {"sources": [SOURCE]}, rules="", model=None, by="ann", now=at(), **told)
        if state != run.state:
            run_states.move_run(conn, run, state, now=at())
    return now_of(ledger, run.run_id)


def now_of(ledger: Ledger, run_id: str) -> CorpusRun:
    with ledger.connect() as conn:
        run = run_states.find_run(conn, run_id)
    assert run is not None
    return run


def a_page(ledger: Ledger, run: CorpusRun, name: str, **known: Any) -> str:
    """A page of the run that came through all gates; *known* says otherwise."""
    whole = {
        "decision": "include",
        "decided_by": "rule",
        "rule": "default",
        "got": "staged",
        "raw_object": digest(f"{name}1"),
        "draft_object": digest(f"{name}2"),
        "clean_object": digest(f"{name}2"),
        "cleaned_by": "draft",
        "document_object": digest(f"{name}3"),
        "content_hash": digest(f"{name}4"),
        "flags": [],
        "findings": [],
        "gate": "publishable",
    }
    with ledger.begin() as conn:
        run_pages.add_pages(conn, run.run_id, [new_page_row(address(name), "held")])
        run_pages.update_page(conn, run.run_id, page_id(name), {**whole, **known})
    return page_id(name)


def row_of(ledger: Ledger, run: CorpusRun, name: str) -> Any:
    with ledger.connect() as conn:
        return run_pages.find_page(conn, run.run_id, page_id(name))
