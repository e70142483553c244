"""The set: what shows only when documents stand beside each other, gates and the report."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import jsonschema

from rori_spiders.corpus.auditing.audit import audit_set, missing_tombstones
from rori_spiders.corpus.auditing.findings import AuditReport
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from tests.corpus.auditing.audits import BASE, GOOD, RUN, SENTENCES, audit_of
from tests.corpus.auditing.test_near_duplicates import LAW, numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.corpus.auditing.audit import PageAudit


def report(texts: dict[str, str], more: list[PageAudit] | None = None, **other: Any) -> AuditReport:
    pages = [audit_of(text, path) for path, text in texts.items()] + (more or [])
    Random(len(pages)).shuffle(pages)
    by_id = {page_id_for_url(BASE + path): text for path, text in texts.items()}
    return audit_set(pages, domain="example.gov", run_id=RUN, texts_of=lambda ids: map(by_id.__getitem__, ids), **other)


def found_in(told: AuditReport) -> dict[str, list[str]]:
    return {page.url.removeprefix(BASE): [one.code for one in page.findings] for page in told.pages}


def test_audit_set_one_good_page_passes() -> None:
    told = report({"/a": GOOD})
    assert (told.gate, told.findings, found_in(told)) == ("publishable", [], {"/a": []})
    assert told.totals.model_dump() == {
        "pages": 1, "chunks": 1, "tokens": told.pages[0].chunking.tokens,
        "gates": {"publishable": 1}, "flags": {}, "codes": {},
    }  # fmt: skip


def test_audit_set_duplicate_shortest_url_stays() -> None:
    told = report({"/escrow/print": GOOD, "/escrow": GOOD + "\n", "/other": LAW})
    assert found_in(told) == {"/escrow": [], "/escrow/print": ["duplicate"], "/other": []}
    (copy,) = (page for page in told.pages if page.url.endswith("print"))
    assert (copy.gate, copy.flags, copy.findings[0].says) == (
        "excluded", ["duplicate"], f"the same text as {BASE}/escrow",
    )  # fmt: skip
    assert told.gate == "publishable", "the others are"


def test_audit_set_excluded_page_is_no_original() -> None:
    secret = f"{GOOD}\nHis number is 219-43-8765.\n"
    assert found_in(report({"/a": secret, "/a/print": secret})) == {
        "/a": ["social_security_number"], "/a/print": ["social_security_number"],
    }  # fmt: skip


def test_audit_set_near_duplicates_need_review() -> None:
    told = report({"/law": LAW, "/law/print": LAW + "\nWas this page helpful to you and to the others?\n"})
    assert found_in(told) == {"/law": [], "/law/print": ["near_duplicate"]}
    assert (told.gate, told.pages[1].findings[0].says[:3]) == ("needs_review", "94%")


def test_audit_set_sections_of_law_are_no_duplicates() -> None:
    told = report({f"/{n}": numbered(n) for n in range(1, 40)})
    assert not {"duplicate", "near_duplicate"} & set(told.totals.flags)


def test_audit_set_repeated_sentences_are_boilerplate() -> None:
    banner = "An official website of the United States government, and here is how you know."
    told = report({f"/{n}": f"{numbered(n)}\n{banner if n % 2 else ''}\n" for n in range(12)})
    assert told.totals.codes == {"boilerplate": 12}  # the law's own sentences too, which are a template's here
    texts = {f"/{n}": f"# Page {n}\n\n{SENTENCES.replace('servicer', f'servicer {n}')}\n" for n in range(30)}
    texts |= {f"/{n}": f"{texts[f'/{n}']}\n{banner}\n" for n in range(7)}
    told = report(texts)
    (one, *_) = (page.findings[-1] for page in told.pages if page.flags)
    assert told.totals.codes["boilerplate"] == 7 and (one.severity, one.where) == ("note", "line 17")


def test_audit_set_same_page_or_id_twice_blocks() -> None:
    copy = audit_of(GOOD, "/a")
    told = report({"/a": GOOD, "/b": LAW}, [copy])
    assert found_in(told)["/a"][:2] == ["doc_id_twice", "page_twice"]
    assert [page.gate for page in told.pages] == ["excluded", "excluded", "publishable"]


def test_audit_set_tombstones_are_checked() -> None:
    ids = [page.doc_id for page in report({"/a": GOOD}).pages]
    assert report({"/a": GOOD}, published=[*ids, "web_00000000_gone"], tombstones=["web_00000000_gone"]).findings == []
    told = report({"/a": GOOD}, published=[*ids, "web_00000000_gone"])
    assert (told.gate, [one.code for one in told.findings]) == ("excluded", ["tombstone_missing"])
    assert [one.code for one in missing_tombstones(ids, ids, ids)] == ["tombstone_of_page"]
    # What the audit excludes is no longer published either.
    (finding,) = report({"/a": "# No text"}, published=ids).findings
    assert (finding.code, finding.where) == ("tombstone_missing", ids[0])


def test_audit_set_without_pages_is_reported() -> None:
    assert report({"/a": "# No text"}).gate == "excluded"
    assert report({}).gate == "excluded"


def test_audit_set_report_is_deterministic_and_fits_schema() -> None:
    texts = {"/a": GOOD, "/b": LAW, "/c": "# Stub\n\nSee there.", "/d": GOOD}
    told = report(texts)
    text = told.model_dump_json(indent=2)
    assert report(dict(reversed(texts.items()))).model_dump_json(indent=2) == text
    jsonschema.validate(json.loads(text), AuditReport.model_json_schema())
    assert AuditReport.model_validate_json(text) == told
    assert told.totals.gates == {"excluded": 1, "needs_review": 1, "publishable": 2}


def test_audit_set_reads_texts_of_likely_duplicates_together() -> None:
    texts = {f"/rule/{number}": numbered(number) for number in range(2, 10)}
    by_id = {page_id_for_url(BASE + path): text for path, text in texts.items()}
    calls: list[int] = []

    def texts_of(ids: Sequence[str]) -> list[str]:
        calls.append(len(ids))
        return [by_id[page_id] for page_id in ids]

    pages = [audit_of(text, path) for path, text in texts.items()]
    audit_set(pages, domain="example.gov", run_id=RUN, texts_of=texts_of)
    assert calls[0] == len(texts) and len(calls) < len(texts)
