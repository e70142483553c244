"""The corpus over the API: what is shown of it, what operators do, what is refused with which words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.documents import document
from rori_spiders.ledger.corpus import run_pages, run_states
from tests.corpus.factories import DOMAIN, a_page, a_run, address, page_id, row_of
from tests.monitor.conftest import NOW
from tests.monitor.corpus_runs import CLEAN, RAW, reviewed, texts

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.monitor.state.dependencies import AppState

ONCE = pytest.mark.parametrize("dialect", ["sqlite"])
_WHY = {"reason": "the agency says so"}


@pytest.fixture
def run(served: AppState) -> CorpusRun:
    return reviewed(served.ledger, served.store)


def at(run: CorpusRun, rest: str = "") -> str:
    return f"/api/v1/corpus/runs/{run.run_id}{rest}"


def of(run: CorpusRun, name: str, rest: str = "") -> str:
    return at(run, f"/pages/{page_id(name)}{rest}")


def names(found: dict[str, Any]) -> list[str]:
    return [one["url"].removeprefix(address("")) for one in found["items"]]


def refused(answer: Any, words: str, status: int = 409) -> None:
    assert (answer.status_code, words in answer.json()["error"]["message"]) == (status, True), answer.text


def test_corpus_run_counts_its_pages_by_status(viewer: TestClient, run: CorpusRun) -> None:
    told = viewer.get(at(run)).json()
    assert (told["state"], told["turn"], told["requested_by"], told["worker"]) == (
        "ready_for_review", "person", "ann", None,
    )  # fmt: skip
    assert told["may"] == ["decide", "review", "approve", "cancel"] and told["starts"] is False
    some = {name: number for name, number in told["counts"].items() if number}
    assert some == {
        "pages": 7, "include": 5, "exclude": 1, "needs_review": 1, "failed": 1, "publishable": 2, "held": 1,
        "refused": 1, "waiting": 3,
    }  # fmt: skip
    assert [(one["section"], one["pages"]) for one in told["sections"]] == [("/", 2), ("/guide/", 4), ("/tags/", 1)]
    assert {one["code"]: one["pages"] for one in told["questions"]}["no_text"] == 1 and len(told["questions"]) == 4
    (listed,) = viewer.get("/api/v1/corpus").json()["items"]
    assert listed["run"]["run_id"] == run.run_id and listed["counts"] == told["counts"] and listed["latest"] is None


def test_corpus_pages_filters_find_pages(viewer: TestClient, run: CorpusRun) -> None:
    def found(**asked: Any) -> list[str]:
        return names(viewer.get(at(run, "/pages"), params=asked).json())

    assert found() == ["fees", "prices", "guide/away", "guide/escrow", "guide/key", "guide/thin", "tags/rates"]
    assert found(review="waiting") == ["fees", "guide/escrow", "guide/thin"]
    assert found(section="/guide/", review="waiting", gate="publishable") == ["guide/escrow"]
    assert found(got="failed") == ["guide/away"]
    assert found(gate="excluded") == ["guide/key"]
    assert found(decision="needs_review") == ["prices"]
    assert found(decision="undecided") == found(added=True) == found(review="approved") == []
    assert found(q="BY TAG") == ["tags/rates"] and found(q="late") == ["fees"]
    assert found(limit=2, offset=2) == ["guide/away", "guide/escrow"] and found(offset=99) == []


def test_corpus_page_has_all_details(viewer: TestClient, run: CorpusRun) -> None:
    told = viewer.get(of(run, "guide/thin")).json()
    assert told["findings"] == [{"code": "thin", "severity": "review", "says": "it has 12 words"}]
    assert told["texts"] == ["raw", "draft", "clean", "document"] and told["missing"] == []
    assert [(one["rule"], one["text"]) for one in told["removals"]] == [("drop_sections", "## Related articles")]
    assert told["cleaning"]["refusals"][0]["code"] == "added_words"
    assert viewer.get(of(run, "fees", "/texts/raw")).text == RAW
    document = viewer.get(of(run, "fees", "/texts/document"))
    assert document.text.endswith(CLEAN) and document.headers["content-type"].startswith("text/markdown")
    assert "sandbox" in document.headers["content-security-policy"]
    nothing = viewer.get(of(run, "prices", "/texts/raw"))
    refused(nothing, "does not have the", 404)


def test_corpus_difference_raw_and_cleaned_are_compared(viewer: TestClient, run: CorpusRun) -> None:
    told = viewer.get(of(run, "fees", "/difference")).json()
    assert [(one["change"], one["path"]) for one in told["sections"]][-1] == ("removed", "Late fees > Related articles")
    gone = [text for one in told["sections"] for change in one["changes"] for op, text in change["words"] if op == "-"]
    assert "Subscribe to our newsletter" in "".join(gone) and "$25" not in "".join(gone)
    same = viewer.get(of(run, "fees", "/difference?from=draft&to=clean")).json()
    assert (same["sections"], same["summary"]["text"]) == ([], "The two texts are the same.")


@ONCE
def test_corpus_page_missing_text_is_reported(viewer: TestClient, served: AppState, run: CorpusRun) -> None:
    with served.ledger.begin() as conn:
        lost = {"raw_object": "0" * 64, "removals_object": "1" * 64}
        run_pages.update_page(conn, run.run_id, page_id("fees"), lost)
    told = viewer.get(of(run, "fees"))
    assert told.status_code == 200 and "not found in" in told.json()["missing"][0]
    refused(viewer.get(of(run, "fees", "/texts/raw")), "is missing from", 404)
    refused(viewer.get(of(run, "fees", "/difference")), "is missing from", 404)


def test_corpus_decision_holds_until_cleared(operator: TestClient, served: AppState, run: CorpusRun) -> None:
    told = operator.post(of(run, "prices", "/decision"), json={"decision": "exclude", **_WHY}).json()
    assert (told["decision"], told["decided_by"], told["rule"], told["reason"]) == (
        "exclude", "override", "olga", _WHY["reason"],
    )  # fmt: skip
    back = operator.post(of(run, "prices", "/decision"), json={"decision": None, "reason": "I was wrong"}).json()
    assert back["decision"] == "needs_review"
    assert [one["decision"] for one in back["overrides"]] == [None, "exclude"]
    refused(
        operator.post(of(run, "fees", "/decision"), json={"decision": None, **_WHY}),
        "no decision that could be cleared",
    )
    refused(
        operator.post(of(run, "prices", "/decision"), json={"decision": "include", "reason": " "}),
        "a reason is required",
    )
    operator.post(of(run, "tags/rates", "/decision"), json={"decision": "include", **_WHY})
    assert operator.get(at(run)).json()["state"] == "scraping", "its text is fetched next"
    done = [one["action"] for one in operator.get(f"/api/v1/actions?q={DOMAIN}").json()["items"]]
    assert done == ["corpus_include", "corpus_override_taken_back", "corpus_exclude", "corpus_begin"]
    assert row_of(served.ledger, run, "tags/rates").decided_by == "override"


def test_corpus_add_page_adds_url(operator: TestClient, run: CorpusRun, monkeypatch: pytest.MonkeyPatch) -> None:
    from rori_spiders.monitor.corpus import review_api

    monkeypatch.setattr(review_api, "sources_of", lambda catalog, run: {})
    monkeypatch.setattr(review_api, "hosts_of", lambda run, sources: {DOMAIN})
    refused(operator.post(at(run, "/pages"), json={"url": "https://other.gov/", **_WHY}), "other.gov is not a host")
    told = operator.post(at(run, "/pages"), json={"url": f"https://{DOMAIN}/missed", **_WHY}).json()
    assert (told["found_by"], told["decision"], told["page_id"]) == ("person", "include", page_id("missed"))
    assert names(operator.get(at(run, "/pages?added=true")).json()) == ["missed"]
    assert operator.get(at(run)).json()["counts"]["added"] == 1


def test_corpus_texts_are_approved_and_rejected(operator: TestClient, run: CorpusRun) -> None:
    def approve(name: str, document: str | None = None, reason: str | None = None) -> Any:
        seen = document or operator.get(of(run, name)).json()["document"]
        return operator.post(of(run, name, "/approve"), json={"document": seen, "reason": reason})

    assert approve("fees").json()["review"] == "approved"
    refused(approve("guide/escrow", "0" * 64), "changed since you loaded it")
    refused(approve("guide/thin"), "a reason is required")
    assert approve("guide/thin", reason="short, and whole").json()["reviewed_by"] == "olga"
    refused(approve("guide/key"), "may not be published: it has what looks like a key")
    rejected = operator.post(of(run, "guide/escrow", "/reject"), json=_WHY).json()
    assert (rejected["review"], rejected["review_reason"]) == ("rejected", _WHY["reason"])
    assert operator.post(at(run, "/approve-publishable")).json() == {"approved": 0}
    refused(operator.post(at(run, "/approve")), "cannot be approved yet; decide these first")


def test_corpus_clean_again_repeats_cleaning(operator: TestClient, run: CorpusRun) -> None:
    refused(operator.post(at(run, "/clean"), json={"pages": [page_id("prices")]}), "has no text to clean")
    told = operator.post(at(run, "/clean"), json={"pages": [page_id("fees"), page_id("fees")]}).json()
    assert (told["state"], told["turn"]) == ("deterministic_preflight", "machine") and "go_on" in told["may"]
    assert operator.get(of(run, "fees")).json()["document"] is None
    refused(operator.post(at(run, "/go-on")), "Run: scrapy corpus run example.gov")


def test_corpus_run_is_approved_withdrawn_and_cancelled(operator: TestClient, served: AppState) -> None:
    run = a_run(served.ledger, state="ready_for_review")
    a_page(served.ledger, run, "fees", **texts(served.store, "fees"))
    assert operator.post(at(run, "/approve-publishable")).json() == {"approved": 1}
    told = operator.post(at(run, "/approve")).json()
    assert (told["state"], told["may"]) == ("approved", ["publish", "withdraw", "cancel"])
    refused(operator.post(of(run, "fees", "/reject"), json=_WHY), "is approved: this can be done while it is")
    assert operator.post(at(run, "/withdraw"), json=_WHY).json()["state"] == "ready_for_review"
    assert operator.post(at(run, "/cancel"), json=_WHY).json()["state"] == "cancelled"
    refused(operator.post(at(run, "/cancel"), json=_WHY), "cannot become cancelled")
    refused(operator.post(at(run, "/resume")), "only a failed run can be resumed")


def test_corpus_failed_run_is_resumed(operator: TestClient, served: AppState) -> None:
    run = a_run(served.ledger, state="scraping")
    with served.ledger.begin() as conn:
        run_states.stop_run(conn, run, "failed", now=NOW, says="the disk is full")
    told = operator.get(at(run)).json()
    assert (told["says"], told["stopped_in"], told["may"]) == ("the disk is full", "scraping", ["resume"])
    assert operator.post(at(run, "/resume")).json()["state"] == "scraping"


def test_corpus_run_starts_once(operator: TestClient, viewer: TestClient, served: AppState) -> None:
    with served.ledger.connect() as conn:
        source = served.catalog(conn).sources[0]
    assert source.domain in viewer.get("/api/v1/corpus").json()["others"]
    told = operator.post("/api/v1/corpus/runs", json={"domain": source.domain}).json()
    assert (told["state"], told["requested_by"]) == ("mapping", "olga") and source.id in told["sources"]
    refused(operator.post("/api/v1/corpus/runs", json={"domain": source.domain}), "has an open run")
    refused(
        operator.post("/api/v1/corpus/runs", json={"domain": "x.org", "sources": ["nope"]}), "unknown sources: nope"
    )
    site = operator.post("/api/v1/corpus/runs", json={"domain": "x.org"}).json()
    assert (site["sources"], site["url"]) == ([], "https://x.org/")
    told = viewer.get("/api/v1/corpus/domains/x.org").json()
    assert [one["run_id"] for one in told["runs"]] == [site["run_id"]] and told["versions"] == []
    refused(viewer.get("/api/v1/corpus/domains/y.org"), "Corpus y.org not found.", 404)


@ONCE
@pytest.mark.parametrize("domain", ["", "a b", "-rf", "../x", "a\u0000", "A.org", "x" * 254])
def test_corpus_invalid_domain_is_refused(operator: TestClient, domain: str) -> None:
    assert operator.post("/api/v1/corpus/runs", json={"domain": domain}).status_code == 422


def test_corpus_unknown_run_or_page_is_a_404(operator: TestClient, run: CorpusRun) -> None:
    for path in ("/api/v1/corpus/runs/none", at(run, f"/pages/{'0' * 16}"), "/api/v1/corpus/runs/none/pages"):
        assert operator.get(path).status_code == 404, path
    assert operator.post("/api/v1/corpus/runs/none/approve").status_code == 404
    refused(operator.post(at(run, f"/pages/{'0' * 16}/reject"), json=_WHY), "the run has no page")


def test_corpus_publish_and_rollback_need_typed_name(
    operator: TestClient, viewer: TestClient, served: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rori_spiders.monitor.corpus import publishing_api

    monkeypatch.setattr(publishing_api, "sources_of", lambda catalog, run: {})
    references = f"/api/v1/corpus/domains/{DOMAIN}/references"
    assert viewer.get(references).json() == {"items": [], "total": 0, "version": None}
    for number, words in enumerate(("before", "as 12 CFR 1024.17 says"), 1):
        run = a_run(served.ledger, state="ready_for_review")
        known = texts(served.store, "fees", clean=CLEAN + words)
        made = document.build_document(
            CLEAN + words,
            title="Late fees",
            description=None,
            language="en",
            source_url=address("fees"),
            source_subtype="web_page",
            doc_id="web_00000000_fees",
            run_id=run.run_id,
        )
        known |= {"doc_id": made.front.doc_id, "content_hash": made.front.content_hash, "title": made.front.title}
        known["document_object"] = served.store.put_object(document.format_document(made).encode())
        a_page(served.ledger, run, "fees", **known)
        operator.post(at(run, "/approve-publishable"))
        body = {"domain": DOMAIN, "reason": "a large change"}
        refused(operator.post(at(run, "/publish"), json=body), "approve it first")
        operator.post(at(run, "/approve"))
        refused(operator.post(at(run, "/publish"), json=body | {"domain": "other.gov"}), "Type example.gov")
        told = operator.post(at(run, "/publish"), json=body).json()
        assert (told["version"], told["state"], told["published_by"], told["pages"]) == (number, "published", "olga", 1)
        assert viewer.get(at(run)).json()["state"] == "published"
    [reference] = viewer.get(references).json()["items"]
    wanted = {"from_title": "Late fees", "from_page_id": page_id("fees"), "citation": "12 C.F.R. § 1024.17"}
    assert wanted.items() <= reference.items()
    assert viewer.get(f"/api/v1/corpus/runs/{reference['from_run_id']}/pages/{page_id('fees')}").status_code == 200
    path = f"/api/v1/corpus/domains/{DOMAIN}/rollback"
    back = {"domain": DOMAIN, "version": 1, "reason": "the second was wrong"}
    refused(operator.post(path, json=back | {"domain": ""}), "Type example.gov")
    refused(operator.post(path, json=back | {"version": 9}), "no published version 9")
    assert operator.post(path, json=back).json()["rolled_back_to"] == 1
    told = viewer.get(f"/api/v1/corpus/domains/{DOMAIN}").json()
    assert [one["version"] for one in told["versions"]] == [3, 2, 1]
    assert viewer.get("/api/v1/corpus").json()["items"][0]["latest"]["version"] == 3
    load = f"/api/v1/corpus/domains/{DOMAIN}/load"
    refused(operator.post(load), "the loader of version 3 is not configured")
    served.settings["RORI_CORPUS_LOADER"] = "load"  # type: ignore[index]  # what the fixture gave is a dict
    latest = viewer.get(f"/api/v1/corpus/domains/{DOMAIN}").json()["versions"][0]
    assert (latest["loader_state"], latest["may_load"]) == ("not started", True)
    refused(operator.post(load), f"Run: scrapy corpus load {DOMAIN}")
    for one in (load, path, at(run, "/publish")):
        assert viewer.post(one, json=back).status_code == 403, one
    done = [one["action"] for one in viewer.get("/api/v1/actions").json()["items"] if one["actor"] == "olga"]
    assert done[0] == "corpus_roll_back" and done.count("corpus_publish") == 2
    assert done.count("corpus_roll_back") == 1, "that of version 9 was refused"
