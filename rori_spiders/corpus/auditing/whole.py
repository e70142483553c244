"""The audit of a set: what only shows when documents stand beside each other, and the report on all of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rori_spiders.corpus.auditing.alike import NEARLY, same_facts
from rori_spiders.corpus.auditing.finding import Finding, flags_of, found, gate_of
from rori_spiders.corpus.auditing.prints import likely_twins
from rori_spiders.corpus.auditing.report import AuditReport, Chunking, PageReport, Totals

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from rori_spiders.corpus.auditing.finding import Gate
    from rori_spiders.corpus.auditing.page import Audited

#: A sentence in so many documents, and in so great a part of them, is no page's own.
_BOILERPLATE_PAGES = 5
_BOILERPLATE_SHARE = 0.2
#: A sketch errs by some hundredths: what is compared may look a little less alike than it is.
_LIKELY = NEARLY - 0.1

_Found = tuple[int, Finding]


def audit(
    pages: Sequence[Audited],
    *,
    domain: str,
    run_id: str,
    text_of: Callable[[str], str],
    published: Collection[str] | None = None,
    tombstones: Collection[str] = (),
) -> AuditReport:
    """The report on a set of documents, whatever their order.

    *text_of* gives the text of a page by its id, where two may be alike. *published* are the doc ids of the version
    before, *tombstones* those that get one; without *published* that is not looked at yet.
    """
    # The shortest address first: of two that are the same it is the one that people know.
    rows = sorted(pages, key=lambda page: (len(page.expected.url), page.expected.url))
    more: dict[int, list[Finding]] = {}
    for at, finding in (*_twice(rows), *_same(rows, text_of), *_boilerplate(rows)):
        more.setdefault(at, []).append(finding)
    told = sorted((_told(page, more.get(at, [])) for at, page in enumerate(rows)), key=lambda page: page.url)
    left = {page.doc_id for page in told if page.gate != "excluded"}
    of_set = [] if published is None else list(missing_tombstones(published, left, tombstones))
    return AuditReport(
        domain=domain, run_id=run_id, gate=_gate(told, of_set), totals=_totals(told), findings=of_set, pages=told
    )


def missing_tombstones(
    published: Collection[str], pages: Collection[str], tombstones: Collection[str]
) -> Iterator[Finding]:
    """What keeps a loader from forgetting pages, by doc id: those published before, those that will be, tombstones."""
    for doc_id in sorted(set(published) - set(pages) - set(tombstones)):
        yield found("tombstone_missing", doc_id, f"{doc_id} was published, is no longer, and has no tombstone")
    for doc_id in sorted(set(tombstones) & set(pages)):
        yield found("tombstone_of_page", doc_id, f"{doc_id} is published and has a tombstone: it would be deleted")


# --- beside each other ----------------------------------------------------------------------------------------------


def _twice(rows: Sequence[Audited]) -> Iterator[_Found]:
    ids = Counter(row.expected.doc_id for row in rows)
    urls = Counter(row.expected.url for row in rows)
    for at, row in enumerate(rows):
        if ids[row.expected.doc_id] > 1:
            yield at, found("doc_id_twice", "doc_id", f"{ids[row.expected.doc_id]} documents have this doc_id")
        if urls[row.expected.url] > 1:
            yield at, found("page_twice", "source_url", f"{urls[row.expected.url]} documents are of this page")


def _same(rows: Sequence[Audited], text_of: Callable[[str], str]) -> Iterator[_Found]:
    """Documents with the text of one before; what is excluded anyway stands for nobody."""
    able = [at for at, row in enumerate(rows) if row.print is not None and gate_of(row.findings) != "excluded"]
    first: dict[bytes, int] = {}
    single = []
    for at in able:
        its = rows[at].print
        assert its is not None
        if (twin := first.setdefault(its.text, at)) != at:
            yield at, found("duplicate", "", f"the same text as {rows[twin].expected.url}")
        else:
            single.append((at, its))
    for later, likely in likely_twins([its for _, its in single], _LIKELY):
        at = single[later][0]
        text = text_of(rows[at].expected.page_id)
        for twin in (single[earlier][0] for earlier in likely):
            # One is enough: of a template's thousand pages each has hundreds.
            if (share := same_facts(text_of(rows[twin].expected.page_id), text)) is not None:
                said = f"{share:.0%} of the text of {rows[twin].expected.url}, and the same figures, names and duties"
                yield at, found("near_duplicate", "", said)
                break


def _boilerplate(rows: Sequence[Audited]) -> Iterator[_Found]:
    counts = Counter(sentence for row in rows if row.print for sentence in row.print.sentences)
    fewest = max(_BOILERPLATE_PAGES, _BOILERPLATE_SHARE * len(rows))
    for at, row in enumerate(rows):
        if row.print is None:
            continue
        lines = [number for sentence, number in row.print.sentences.items() if counts[sentence] >= fewest]
        if lines:
            said = f"{len(lines)} lines stand in at least {round(fewest)} of {len(rows)} documents; the first is here"
            yield at, found("boilerplate", min(lines), said)


# --- the report -----------------------------------------------------------------------------------------------------


def _told(page: Audited, more: list[Finding]) -> PageReport:
    findings = [*page.findings, *more]
    return PageReport(
        page_id=page.expected.page_id,
        doc_id=page.expected.doc_id,
        url=page.expected.url,
        gate=gate_of(findings),
        flags=flags_of(findings),
        chunking=Chunking(chunks=len(page.sizes), tokens=sum(page.sizes), largest=max(page.sizes, default=0)),
        findings=findings,
    )


def _totals(pages: Sequence[PageReport]) -> Totals:
    return Totals(
        pages=len(pages),
        chunks=sum(page.chunking.chunks for page in pages),
        tokens=sum(page.chunking.tokens for page in pages),
        gates=dict(sorted(Counter(page.gate for page in pages).items())),
        flags=dict(sorted(Counter(flag for page in pages for flag in page.flags).items())),
        codes=dict(sorted(Counter(code for page in pages for code in {one.code for one in page.findings}).items())),
    )


def _gate(pages: Sequence[PageReport], of_set: list[Finding]) -> Gate:
    gates = {page.gate for page in pages}
    if gate_of(of_set) == "excluded" or gates <= {"excluded"}:
        return "excluded"
    return "needs_review" if "needs_review" in gates else "publishable"
