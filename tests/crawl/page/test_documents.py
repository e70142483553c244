"""Documents other than HTML, from a server to the envelope: told by their bytes, not by their names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.content.documents.docx import docx, item, numbering, p, zipped
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_FIXTURES = Path(__file__).parents[2] / "content" / "documents" / "fixtures"
_OPENAPI = _FIXTURES / "openapi-3.0"
_LETTER = docx(p("Mortgagee letter") + item("who", 0) + item("when", 0), numbering=numbering(("lowerLetter", "(%1)")))
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_BOOK = zipped(
    {
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships"><sheets><sheet name="Limits" r:id="r1"/></sheets></workbook>'.encode(),
        "xl/_rels/workbook.xml.rels": b'<Relationships><Relationship Id="r1" Type="x/worksheet" Target="s.xml"/>'
        b"</Relationships>",
        "xl/s.xml": f'<worksheet xmlns="{_SHEET}"><sheetData><row><c t="inlineStr"><is><t>County</t></is></c><c '
        't="inlineStr"><is><t>Limit</t></is></c></row><row><c t="inlineStr"><is><t>Kern</t></is></c><c><v>498257</v>'
        "</c></row></sheetData></worksheet>".encode(),
    }
)
_LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(600)


@pytest.fixture(scope="module")
def crawl_output(shared: Project, new_site: Callable[[], Site]) -> CrawlOutput:
    """What one crawl of a page with an OpenAPI file, and of a site of documents, left."""
    site = new_site()
    site.page("/docs", page("The interface"))
    site.page("/files/", page("Files", "/files/letter", "/files/limits.html", "/files/locked.docx"))
    site.page("/v1/openapi", _OPENAPI.joinpath("input.yaml").read_bytes(), content_type="text/html")
    site.page("/files/letter", _LETTER, content_type="text/html; charset=utf-8")
    site.page("/files/limits.html", _BOOK, content_type="text/html")
    site.page("/files/locked.docx", _LOCKED, content_type="application/octet-stream")
    api = source("an-api", site.at("/docs"), swagger=site.at("/v1/openapi"))
    shared.manifest([api, source("files", site.at("/files/"), "crawl")], delay_s=0.05)
    done = shared.scrapy("crawl", "sources", "-a", "sources=an-api,files")
    assert done.returncode == 0, done.stdout + done.stderr
    return CrawlOutput(shared)


def test_document_openapi_file_is_page_of_its_run(crawl_output: CrawlOutput) -> None:
    assert crawl_output.states("an-api") == {"/docs": "captured", "/v1/openapi": "captured"}
    staged = crawl_output.envelope("/v1/openapi")
    assert staged["content"]["format"] == "markdown"
    assert staged["page_metadata"]["title"] == "Lender Registry API"
    body = staged["content"]["body"]
    expected = (_OPENAPI / "expected.md").read_text(encoding="utf-8")
    assert body.startswith("# Lender Registry API\n")
    assert [line for line in body.splitlines() if line.startswith("#")] == [
        line for line in expected.splitlines() if line.startswith("#")
    ]
    assert "| `as_of` | query | string (date) | no |" in body


def test_document_office_files_are_read_under_any_media_type(crawl_output: CrawlOutput) -> None:
    letter, limits = crawl_output.envelope("/files/letter"), crawl_output.envelope("/files/limits.html")
    assert letter["content"]["body"] == "Mortgagee letter\n\n- (a) who\n- (b) when\n"
    assert limits["content"]["body"] == "## Limits\n\n| County | Limit |\n| --- | --- |\n| Kern | 498257 |\n"
    for staged in (letter, limits):
        assert staged["content"]["format"] == "markdown"
        assert staged["content"]["body_html"] is None
        assert staged["content"]["encoding"] is None
        assert staged["content"]["raw_object"]


def test_document_locked_file_fails_with_reason(crawl_output: CrawlOutput) -> None:
    state, reason = crawl_output.urls("files")["/files/locked.docx"]
    assert state == "failed"
    assert reason.code == "unreadable_document"
    assert "encrypted and needs a password" in reason


def test_documents_run_accounts_for_every_url(crawl_output: CrawlOutput) -> None:
    crawl_output.assert_sums()
    crawl_output.assert_verified()
