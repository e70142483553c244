"""Audit documents: each file alone, then the set (duplicates, repeated ids, boilerplate); and write the report."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.corpus.auditing.chunks import Chunk, split_into_chunks
from rori_spiders.corpus.auditing.document_lines import DocumentLines
from rori_spiders.corpus.auditing.findings import (
    AuditReport,
    Chunking,
    Finding,
    Gate,
    PageReport,
    Totals,
    flags_for,
    gate_for,
    make_finding,
)
from rori_spiders.corpus.auditing.near_duplicates import (
    NEAR_DUPLICATE_SHARE,
    Fingerprint,
    fingerprint_of,
    likely_duplicates,
    line_hash,
    share_without_changed_facts,
)
from rori_spiders.corpus.auditing.page_checks import (
    ExpectedDocument,
    check_front_matter,
    check_is_page,
    check_language,
    check_structure,
)
from rori_spiders.corpus.auditing.sensitive_data import find_sensitive_data
from rori_spiders.corpus.documents.document import Document, NotADocument, parse_document
from rori_spiders.runtime.plurals import format_count

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from rori_spiders.runtime.redaction import Redactor

    ReadTexts = Callable[[Sequence[str]], Iterable[str]]


#: Most findings of one kind that are listed for a page.
_MAX_PER_CODE = 20


class PageAudit(NamedTuple):
    """Result of auditing one file. ``print``: fingerprint, None if not a document. ``sizes``: tokens by chunk."""

    expected: ExpectedDocument
    findings: list[Finding]
    print: Fingerprint | None
    sizes: tuple[int, ...]


def audit_page(
    file: str, expected: ExpectedDocument, *, removed: Iterable[str] = (), secrets: Redactor | None = None
) -> PageAudit:
    """Audit *file*, a document as it would be published.

    *removed* are boilerplate texts that cleaning took out of the site's pages: no document is to hold one of them.
    *secrets* knows what this installation must never show. Never raises for what a file holds.
    """
    try:
        document = parse_document(file)
    except NotADocument as error:
        return PageAudit(
            expected, [make_finding("not_a_document", "", problem) for problem in error.problems], None, ()
        )
    reading = DocumentLines(document.body, file[: file.rindex(document.body)].count("\n") if document.body else 0)
    chunks = split_into_chunks(document.body)
    findings = _limit_findings(_page_findings(document, reading, chunks, expected, removed, secrets))
    return PageAudit(expected, findings, fingerprint_of(reading), tuple(chunk.tokens for chunk in chunks))


def _limit_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Limit the findings of one kind; the last one kept says how many more there are."""
    listed: list[Finding] = []
    seen: Counter[tuple[str, str]] = Counter()
    for one in findings:
        kind = (one.code, one.severity)
        seen[kind] += 1
        if seen[kind] <= _MAX_PER_CODE:
            listed.append(one)
    for at, one in enumerate(listed):
        kind = (one.code, one.severity)
        if (more := seen.pop(kind, 0) - _MAX_PER_CODE) > 0:
            listed[at] = one.model_copy(update={"says": f"{one.says} (and {more} more of this kind)"})
    return listed


def _page_findings(
    document: Document,
    reading: DocumentLines,
    chunks: list[Chunk],
    expected: ExpectedDocument,
    removed: Iterable[str],
    secrets: Redactor | None,
) -> Iterator[Finding]:
    yield from check_front_matter(document, expected)
    yield from check_is_page(document.front.title, reading)
    yield from check_structure(reading, chunks)
    yield from check_language(reading, document.front.language)
    yield from find_sensitive_data(reading, secrets)
    taken_out = {line_hash(line) for text in removed for line in text.split("\n") if line.strip()}
    for line in reading.lines if taken_out else ():
        if line.kind != "blank" and line_hash(line.text) in taken_out:
            yield make_finding(
                "boilerplate_back", line.number, "cleaning removed this line from other pages of the site"
            )


# The audit of a set: findings that need several documents, and the report.

#: A sentence in at least this many documents, and in this share of them, is boilerplate.
_BOILERPLATE_PAGES = 5
_BOILERPLATE_SHARE = 0.2
#: Sketches err by some hundredths, so candidates may look a little less alike than they are.
_LIKELY_SHARE = NEAR_DUPLICATE_SHARE - 0.1

#: Documents that are compared with others in one go, since a read may wait for a bucket.
_PAIRS_AT_ONCE = 50

_SetFinding = tuple[int, Finding]


def audit_set(
    pages: Sequence[PageAudit],
    *,
    domain: str,
    run_id: str,
    texts_of: ReadTexts,
    published: Collection[str] | None = None,
    tombstones: Collection[str] = (),
) -> AuditReport:
    """Audit a set of documents, in any order, and return the report.

    *texts_of* gives the texts of pages by their ids, in their order, where two may be alike. *published* are the doc
    ids of the version before, *tombstones* those that get one; without *published* that is not looked at yet.
    """
    # The shortest URL first: of two duplicates it is the one that people use.
    rows = sorted(pages, key=lambda page: (len(page.expected.url), page.expected.url))
    more: dict[int, list[Finding]] = {}
    for at, finding in (*_find_repeated_ids(rows), *_find_duplicates(rows, texts_of), *_find_boilerplate(rows)):
        more.setdefault(at, []).append(finding)
    reports = sorted((_page_report(page, more.get(at, [])) for at, page in enumerate(rows)), key=lambda page: page.url)
    left = {page.doc_id for page in reports if page.gate != "excluded"}
    of_set = [] if published is None else list(missing_tombstones(published, left, tombstones))
    return AuditReport(
        domain=domain,
        run_id=run_id,
        gate=_set_gate(reports, of_set),
        totals=_count_totals(reports),
        findings=of_set,
        pages=reports,
    )


def missing_tombstones(
    published: Collection[str], pages: Collection[str], tombstones: Collection[str]
) -> Iterator[Finding]:
    """Find errors of tombstones by doc id, given pages published before, pages to publish, and tombstones."""
    for doc_id in sorted(set(published) - set(pages) - set(tombstones)):
        yield make_finding(
            "tombstone_missing", doc_id, f"{doc_id} was published before, is not in this version, and has no tombstone"
        )
    for doc_id in sorted(set(tombstones) & set(pages)):
        yield make_finding(
            "tombstone_of_page", doc_id, f"{doc_id} is published but also has a tombstone, which would delete it"
        )


# --- across documents ----------------------------------------------------------------------------------------------


def _find_repeated_ids(rows: Sequence[PageAudit]) -> Iterator[_SetFinding]:
    ids = Counter(row.expected.doc_id for row in rows)
    urls = Counter(row.expected.url for row in rows)
    for at, row in enumerate(rows):
        if ids[row.expected.doc_id] > 1:
            yield at, make_finding("doc_id_twice", "doc_id", f"{ids[row.expected.doc_id]} documents have this doc_id")
        if urls[row.expected.url] > 1:
            yield (
                at,
                make_finding("page_twice", "source_url", f"{urls[row.expected.url]} documents belong to this page"),
            )


def _find_duplicates(rows: Sequence[PageAudit], texts_of: ReadTexts) -> Iterator[_SetFinding]:
    """Find documents with the text of an earlier one; excluded documents do not count."""
    able = [at for at, row in enumerate(rows) if row.print is not None and gate_for(row.findings) != "excluded"]
    first: dict[bytes, int] = {}
    single = []
    for at in able:
        its = rows[at].print
        assert its is not None
        if (original := first.setdefault(its.text, at)) != at:
            yield at, make_finding("duplicate", "", f"the same text as {rows[original].expected.url}")
        else:
            single.append((at, its))
    likely = likely_duplicates([its for _, its in single], _LIKELY_SHARE)
    pairs = ((single[later][0], [single[one][0] for one in earlier]) for later, earlier in likely)
    while some := dict(islice(pairs, _PAIRS_AT_ONCE)):
        yield from _find_near_duplicates(rows, some, texts_of)


def _find_near_duplicates(
    rows: Sequence[PageAudit], likely: dict[int, list[int]], texts_of: ReadTexts
) -> Iterator[_SetFinding]:
    """*likely*: row -> the rows that it may be alike. The texts of all are read together, one more of each a turn."""
    texts: dict[int, str] = {}
    while likely:
        wanted = {at: None for row, others in likely.items() for at in (row, others[0])}
        texts = {at: text for at, text in texts.items() if at in wanted}
        missing = [at for at in wanted if at not in texts]
        texts |= zip(missing, texts_of([rows[at].expected.page_id for at in missing]), strict=True)
        left: dict[int, list[int]] = {}
        for at, others in likely.items():
            original = others[0]
            share = share_without_changed_facts(texts[original], texts[at])
            if share is None:
                left |= {at: others[1:]} if others[1:] else {}
                continue
            # One is enough: of a template's thousand pages each has hundreds.
            url = rows[original].expected.url
            message = f"{share:.0%} of the text of {url}, with the same figures, names and obligations"
            yield at, make_finding("near_duplicate", "", message)
        likely = left


def _find_boilerplate(rows: Sequence[PageAudit]) -> Iterator[_SetFinding]:
    counts = Counter(sentence for row in rows if row.print for sentence in row.print.sentences)
    fewest = max(_BOILERPLATE_PAGES, _BOILERPLATE_SHARE * len(rows))
    for at, row in enumerate(rows):
        if row.print is None:
            continue
        lines = [number for sentence, number in row.print.sentences.items() if counts[sentence] >= fewest]
        if lines:
            shared = format_count(len(lines), "line")
            message = f"{shared} that at least {round(fewest)} of {len(rows)} documents have; this is the first"
            yield at, make_finding("boilerplate", min(lines), message)


# --- the report -----------------------------------------------------------------------------------------------------


def _page_report(page: PageAudit, more: list[Finding]) -> PageReport:
    findings = [*page.findings, *more]
    return PageReport(
        page_id=page.expected.page_id,
        doc_id=page.expected.doc_id,
        url=page.expected.url,
        gate=gate_for(findings),
        flags=flags_for(findings),
        chunking=Chunking(chunks=len(page.sizes), tokens=sum(page.sizes), largest=max(page.sizes, default=0)),
        findings=findings,
    )


def _count_totals(pages: Sequence[PageReport]) -> Totals:
    return Totals(
        pages=len(pages),
        chunks=sum(page.chunking.chunks for page in pages),
        tokens=sum(page.chunking.tokens for page in pages),
        gates=dict(sorted(Counter(page.gate for page in pages).items())),
        flags=dict(sorted(Counter(flag for page in pages for flag in page.flags).items())),
        codes=dict(sorted(Counter(code for page in pages for code in {one.code for one in page.findings}).items())),
    )


def _set_gate(pages: Sequence[PageReport], of_set: list[Finding]) -> Gate:
    gates = {page.gate for page in pages}
    if gate_for(of_set) == "excluded" or gates <= {"excluded"}:
        return "excluded"
    return "needs_review" if "needs_review" in gates else "publishable"
