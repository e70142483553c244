"""Documents to audit, and what an audit of them gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.auditing.audit import PageAudit, audit_page
from rori_spiders.corpus.auditing.page_checks import ExpectedDocument
from rori_spiders.corpus.documents.document import build_document, format_document
from rori_spiders.corpus.documents.identity import doc_id_for

if TYPE_CHECKING:
    from rori_spiders.corpus.auditing.findings import Finding

BASE = "https://www.example.gov"
RUN = "0b7e9f0e-5d0c-4e53-9a52-8a4a3f6f0001"
SENTENCES = (
    "The servicer shall provide the borrower with an annual escrow account statement within thirty days of the end of"
    " the computation year. It itemizes each payment, each disbursement, and the balance at the end of the period."
    " A shortage may be spread over twelve months. The borrower is told of it in writing, and may pay it at once."
)
GOOD = f"# Escrow accounts\n\n## What a servicer owes\n\n{SENTENCES}\n"


def expected(path: str = "/escrow") -> ExpectedDocument:
    return ExpectedDocument(BASE + path, doc_id_for(BASE + path), RUN)


def file(body: str = GOOD, path: str = "/escrow", **other: Any) -> str:
    known: dict[str, Any] = {
        "title": "Escrow accounts",
        "description": "What a servicer owes to a borrower.",
        "language": "en",
        "source_url": BASE + path,
        "source_subtype": "web_page",
        "doc_id": doc_id_for(BASE + path),
        "run_id": RUN,
    }
    return format_document(build_document(body, **{**known, **other}))


def audit_of(body: str, path: str = "/escrow", **other: Any) -> PageAudit:
    return audit_page(file(body, path, **other), expected(path))


def findings(body: str, **other: Any) -> list[Finding]:
    return audit_of(body, **other).findings


def codes(body: str, **other: Any) -> list[str]:
    """The codes of what is found, but for those that every document of a line has."""
    return [one.code for one in findings(body, **other)]
