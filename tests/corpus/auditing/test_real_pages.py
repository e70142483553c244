"""The real pages of this repository, as they were converted: what is law passes, what is an error does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.content.convert import digest
from rori_spiders.corpus.auditing.audit import audit_set
from rori_spiders.corpus.auditing.chunks import CHUNK_TOKENS, split_into_chunks
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from tests.corpus.auditing.audits import BASE, RUN, audit_of
from tests.house.code import PACKAGE, REPOSITORY
from tests.support.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.corpus.auditing.findings import AuditReport

SITE = PACKAGE / "terminal" / "demo" / "site"
ANSWERS = SITE / "_answers"
PAGES = [path for path in sorted(SITE.rglob("*.html")) if not path.is_relative_to(ANSWERS)]
CONVERTED = sorted((REPOSITORY / "tests" / "content").rglob("fixtures/*/expected.md"))


def converted(path: Path) -> tuple[str | None, str]:
    page = digest(path.read_bytes(), url=f"{BASE}/{path.name}", content_type="text/html")
    return page.title, page.markdown


@pytest.fixture(scope="module")
def told() -> AuditReport:
    texts = {f"/{path.relative_to(SITE)}": converted(path) for path in PAGES}
    texts |= {f"/fixtures/{path.parent.name}": (path.parent.name, path.read_text("utf-8")) for path in CONVERTED}
    audits = [audit_of(text, path, title=title) for path, (title, text) in texts.items()]
    by_id = {page_id_for_url(BASE + path): text for path, (_, text) in texts.items()}
    return audit_set(audits, domain="example.gov", run_id=RUN, texts_of=lambda ids: map(by_id.__getitem__, ids))


def test_audit_law_texts_have_no_error_duplicate_or_number_finding(told: AuditReport) -> None:
    wrong = {"error_page", "form_page", "non_english", "credential", "social_security_number", "duplicate"}
    wrong |= {"other_language", "other_hash", "not_a_document", "empty"}
    assert len(told.pages) == len(PAGES) + len(CONVERTED) > 40
    assert {page.url: page.findings for page in told.pages if wrong & {one.code for one in page.findings}} == {}
    assert told.totals.gates.get("excluded", 0) == 0
    # A whole part, once from its printed page and once from the Federal Register's XML; its sections are none.
    near = {page.url.removeprefix(BASE) for page in told.pages if "near_duplicate" in page.flags}
    assert near == {"/rules-policy/regulations/1006/print/index.html"}


@pytest.mark.parametrize("path", sorted(ANSWERS.glob("*.html")), ids=lambda path: path.stem)
def test_audit_refusal_pages_are_detected(path: Path) -> None:
    title, text = converted(path)
    assert "error_page" in [one.code for one in audit_of(text, title=title).findings]


@cases("path", CONVERTED, ids=lambda path: path.parent.name)
def test_split_document_real_texts_join_to_whole_text(path: Path) -> None:
    body = path.read_text("utf-8")
    chunks = split_into_chunks(body)
    assert "".join(body[one.own : one.end] for one in chunks) == body
    for one in chunks:
        text = body[one.own : one.end].strip()
        assert one.tokens <= CHUNK_TOKENS or (text.startswith("|") and "\n" not in text)
