"""The audit of one document: a file in, what was found out, with what is needed to compare it with all others."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.corpus.auditing.chunks import chunks_of
from rori_spiders.corpus.auditing.finding import Finding, found
from rori_spiders.corpus.auditing.front import front_of
from rori_spiders.corpus.auditing.prints import Print, hash_of, print_of
from rori_spiders.corpus.auditing.reading import Reading
from rori_spiders.corpus.auditing.refused import refused
from rori_spiders.corpus.auditing.sensitive import sensitive_in
from rori_spiders.corpus.auditing.spoken import language_of
from rori_spiders.corpus.auditing.structure import structure_of
from rori_spiders.corpus.documents.document import NotADocument, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rori_spiders.corpus.auditing.chunks import Chunk
    from rori_spiders.corpus.auditing.front import Expected
    from rori_spiders.corpus.documents.document import Document
    from rori_spiders.runtime.redaction import Redactor

#: A page that has more of a kind is known by then, and a report stays one that people read.
_MOST_OF_A_KIND = 20


class Audited(NamedTuple):
    """What the audit of one file gave. ``print``: None for what is no document. ``sizes``: tokens of each chunk."""

    expected: Expected
    findings: list[Finding]
    print: Print | None
    sizes: tuple[int, ...]


def audited(file: str, expected: Expected, *, removed: Iterable[str] = (), secrets: Redactor | None = None) -> Audited:
    """The audit of *file*, as it would be published.

    *removed* are boilerplate texts that cleaning took out of the site's pages: no document is to hold one of them.
    *secrets* knows what this installation must never show. Never raises for what a file holds.
    """
    try:
        document = read(file)
    except NotADocument as error:
        return Audited(expected, [found("not_a_document", "", problem) for problem in error.problems], None, ())
    reading = Reading(document.body, file[: file.rindex(document.body)].count("\n") if document.body else 0)
    chunks = chunks_of(document.body)
    findings = _fewer(_findings(document, reading, chunks, expected, removed, secrets))
    return Audited(expected, findings, print_of(reading), tuple(chunk.tokens for chunk in chunks))


def _fewer(findings: Iterable[Finding]) -> list[Finding]:
    """*findings* without those of one kind that nobody would read to the end; how many they are is said."""
    kept: list[Finding] = []
    seen: Counter[tuple[str, str]] = Counter()
    for one in findings:
        kind = (one.code, one.severity)
        seen[kind] += 1
        if seen[kind] <= _MOST_OF_A_KIND:
            kept.append(one)
    for at, one in enumerate(kept):
        kind = (one.code, one.severity)
        if (more := seen.pop(kind, 0) - _MOST_OF_A_KIND) > 0:
            kept[at] = one.model_copy(update={"says": f"{one.says} (and {more} more of the kind than are listed)"})
    return kept


def _findings(
    document: Document,
    reading: Reading,
    chunks: list[Chunk],
    expected: Expected,
    removed: Iterable[str],
    secrets: Redactor | None,
) -> Iterator[Finding]:
    yield from front_of(document, expected)
    yield from refused(document.front.title, reading)
    yield from structure_of(reading, chunks)
    yield from language_of(reading, document.front.language)
    yield from sensitive_in(reading, secrets)
    taken_out = {hash_of(line) for text in removed for line in text.split("\n") if line.strip()}
    for line in reading.lines if taken_out else ():
        if line.kind != "blank" and hash_of(line.text) in taken_out:
            yield found("boilerplate_back", line.number, "cleaning had removed this line from the site's pages")
