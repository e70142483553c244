"""A run of the corpus with pages and texts, put where the monitor reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.cleaning.cleaner import Draft, Removal
from rori_spiders.corpus.runs.cleaning_steps import cleaning_report
from tests.corpus.factories import a_page, a_run

if TYPE_CHECKING:
    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store

RAW = """# Late fees

[Home](https://example.gov/) | Subscribe to our newsletter

A servicer shall not charge more than $25 before March 1, 2026.

## Records

A creditor shall keep a copy for two years.

## Related articles

- [Escrow](https://example.gov/escrow)
"""
CLEAN = """# Late fees

A servicer shall not charge more than $25 before March 1, 2026.

## Records

A creditor shall keep a copy for two years.
"""


def texts(store: Store, name: str, *, raw: str = RAW, clean: str = CLEAN) -> dict[str, Any]:
    """Columns of a page that was cleaned: its texts, what was removed, what a model was told."""
    front = f'---\ntitle: "{name}"\nsource_url: https://example.gov/{name}\n---\n\n'
    removals = cleaning_report(Draft(clean, (Removal("drop_sections", "drop_sections", "## Related articles", 0, 19),)))
    refusals = [{"code": "added_words", "says": "the words `and more` are not in it"}]
    cleaning = {"model": "tiny", "removed": ["[Home](https://example.gov/)"], "refusals": refusals}

    def put(text: str) -> str:
        return store.put_object(text.encode())

    return {
        "raw_object": put(raw),
        "draft_object": put(clean),
        "removals_object": put(removals),
        "clean_object": put(clean),
        "cleaning_object": put(json.dumps(cleaning)),
        "document_object": put(front + clean),
        "doc_id": f"web_{name}",
        "reason": "a page of the guide, whose manifest was reviewed",
        "confidence": 1.0,
    }


def reviewed(ledger: Ledger, store: Store, *, state: str = "ready_for_review") -> CorpusRun:
    """A run that waits for a person: one page of each kind."""
    run = a_run(ledger, state=state)
    a_page(ledger, run, "fees", **texts(store, "fees"), title="Late fees")
    a_page(ledger, run, "guide/escrow", **texts(store, "escrow"), title="Escrow")
    thin = [{"code": "thin", "severity": "review", "says": "it has 12 words"}]
    a_page(ledger, run, "guide/thin", **texts(store, "thin"), gate="needs_review", flags=["thin"], findings=thin)
    secret = [{"code": "sensitive", "severity": "blocks", "says": "it has what looks like a key"}]
    a_page(ledger, run, "guide/key", **texts(store, "key"), gate="excluded", findings=secret)
    bare = dict.fromkeys(
        ("raw_object", "draft_object", "clean_object", "cleaned_by", "document_object", "content_hash", "gate", "flags")
    )
    a_page(ledger, run, "guide/away", **bare, got="failed", got_reason="it answered 503 four times")
    a_page(ledger, run, "tags/rates", **bare, got=None, decision="exclude", reason="a list of pages by tag")
    a_page(ledger, run, "prices", **bare, got=None, decision="needs_review", reason="a calculator")
    return run
