"""What the corpus' audit finds on real pages, and how long it takes: `python -m benchmarks.corpus_audit FOLDER`.

Each page of FOLDER (.html, .xml, .pdf, gzipped or not) is converted, made a document and audited, as it came: nothing
is cleaned before. ``--texts`` sets so many documents beside each other that are made of those pages by changing every
figure, as sections of laws differ from each other: none is a duplicate. ``--show CODE`` lists the findings of a code.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.reading import body_of
from rori_spiders.content.convert import Converted, digest
from rori_spiders.corpus.auditing.audit import audit_page, audit_set
from rori_spiders.corpus.auditing.document_lines import strip_markup
from rori_spiders.corpus.auditing.page_checks import ExpectedDocument
from rori_spiders.corpus.documents.document import build_document, describe_page, format_document, parse_document
from rori_spiders.corpus.documents.identity import doc_id_for, subtype_row_for
from rori_spiders.exceptions import ConversionError
from rori_spiders.ledger.corpus.page_ids import page_id_for_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rori_spiders.corpus.auditing.findings import AuditReport

_BASE, _RUN = "https://www.example.gov", "0b7e9f0e-5d0c-4e53-9a52-8a4a3f6f0001"
_TYPES = {".html": "text/html", ".xml": "application/xml", ".pdf": "application/pdf"}
#: For ``--texts``: pages with as many figures as a section of a law, and no longer than one.
_FEWEST_FIGURES, _MOST_CHARS = 10, 40_000


def pages_in(folder: Path) -> Iterator[tuple[str, Converted]]:
    for path in sorted(folder.rglob("*")):
        medium = _TYPES.get(Path(path.name.removesuffix(".gz")).suffix)
        if medium is None:
            continue
        try:
            yield path.name, digest(body_of(path), url=f"{_BASE}/{path.name}", content_type=medium)
        except ConversionError as error:
            print(f"{path.name}: {error}")


def file_of(url: str, page: Converted, body: str) -> str:
    document = build_document(
        body,
        title=page.title,
        description=describe_page(page.metadata.description, body),
        language=page.language,
        source_url=url,
        source_subtype=subtype_row_for(url).subtype,
        doc_id=doc_id_for(url),
        run_id=_RUN,
    )
    return format_document(document)


def told_of(files: Mapping[str, str]) -> AuditReport:
    """The report on documents by address, and how long it took."""
    began = time.process_time()
    pages = [audit_page(file, ExpectedDocument(url, doc_id_for(url), _RUN)) for url, file in files.items()]
    alone = time.process_time() - began
    by_id = {page_id_for_url(url): file for url, file in files.items()}
    told = audit_set(
        pages,
        domain="example.gov",
        run_id=_RUN,
        texts_of=lambda ids: [parse_document(by_id[page_id]).body for page_id in ids],
    )
    beside = time.process_time() - began - alone
    chars = sum(map(len, files.values()))
    print(f"{len(files):,} documents, {chars:,} characters: {alone:.1f} s CPU alone, {beside:.1f} s beside each other")
    return told


def varied(pages: Sequence[tuple[str, Converted]], count: int) -> dict[str, str]:
    """*count* documents of the text of pages, each with other figures."""
    texts = {strip_markup(page.markdown): page for _, page in pages if len(page.markdown) <= _MOST_CHARS}
    fit = [page for text, page in texts.items() if len(re.findall(r"\d+", text)) >= _FEWEST_FIGURES]
    files = {}
    for at in range(count):
        page, more = fit[at % len(fit)], at // len(fit)
        body = re.sub(r"\d+", lambda figure, more=more: str(int(figure[0]) + more), page.markdown)
        url = f"{_BASE}/sections/{at}"
        files[url] = file_of(url, page, body)
    return files


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.corpus_audit", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=int, default=0)
    parser.add_argument("--show", metavar="CODE")
    given = parser.parse_args(arguments)
    pages = list(pages_in(given.folder))
    if not pages:
        parser.error(f"no pages in {given.folder}")
    addresses = {f"{_BASE}/{name}": page for name, page in pages}
    told = told_of({url: file_of(url, page, page.markdown) for url, page in addresses.items()})
    print(told.totals.model_dump_json(indent=2))
    severities = Counter((one.code, one.severity) for page in told.pages for one in page.findings)
    print("\n".join(f"{times:6} {code} ({severity})" for (code, severity), times in sorted(severities.items())))
    for page in told.pages:
        print(
            "".join(f"{page.url}: {one.where}: {one.says}\n" for one in page.findings if one.code == given.show), end=""
        )
    if given.texts:
        flags = told_of(varied(pages, given.texts)).totals.flags
        print(f"duplicates {flags.get('duplicate', 0)}, near-duplicates {flags.get('near_duplicate', 0)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
