"""Every object that a row names: there, and with the bytes that its name stands for."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import or_, select

from rori_spiders.exceptions import StagingError
from rori_spiders.ledger.pages.imported_captures import IMPORTED
from rori_spiders.ledger.tables import (
    audit,
    corpus_approvals,
    corpus_pages,
    corpus_runs,
    imported_captures,
    list_exclusions,
    pages,
    robots_seen,
    versions,
)
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.parallel_reads import map_in_threads

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from sqlalchemy import ColumnElement, Select

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store
    from rori_spiders.staging.verification.selection import Selection

#: An unchanged page has other bytes than those that are held, and only their hash is kept.
_HAS_OBJECT = or_(audit.c.state != "unchanged", audit.c.kind != "page")
_CORPUS_PAGE_OBJECTS = (
    "raw_object",
    "draft_object",
    "removals_object",
    "clean_object",
    "cleaning_object",
    "document_object",
)
#: Named in the JSON of ``corpus_pages.linked``.
_LINKED_OBJECTS = {"own_object": "own text", "object": "text of the linked document"}


class ObjectChecker:
    """Opens objects, each once: however many rows name it. Any thread may ask."""

    def __init__(self, store: Store, counts: Counter[str]) -> None:
        self._store = store
        self._counts = counts
        self._lock = Lock()
        self._good: set[bytes] = set()
        self._bad: dict[str, _Problem] = {}

    @property
    def concurrent_reads(self) -> int:
        return self._store.concurrent_reads

    def is_opened(self, digest: str) -> bool:
        """Whether the object was found whole already."""
        try:
            return bytes.fromhex(digest) in self._good
        except ValueError:
            return False

    def check(self, digest: str, where: str, what: str) -> Iterator[Finding]:
        """A finding at *where* when the object with its *what* is missing or damaged."""
        if self.is_opened(digest):
            return
        problem = self._bad.get(digest) or self._open(digest)
        if problem is not None:
            yield Finding(problem.kind, where, problem.sentence.format(what=what))

    def _open(self, digest: str) -> _Problem | None:
        problem = None
        try:
            name = bytes.fromhex(digest)
            self._store.get_object(digest)
        except FileNotFoundError:
            problem = _Problem("object_missing", f"the object with its {{what}} is missing: {_literal(digest)}")
        except (StagingError, ValueError) as error:
            problem = _Problem("object_damaged", f"its {{what}}: {_literal(error)}")
        with self._lock:
            if problem is not None:
                self._counts["objects"] += digest not in self._bad
                self._bad[digest] = problem
            elif name not in self._good:
                self._counts["objects"] += 1
                self._good.add(name)
        return problem


class _Problem(NamedTuple):
    """Why an object proves nothing. ``{what}`` in the sentence stands for the caller's name of it."""

    kind: str
    sentence: str


def _literal(value: object) -> str:
    return str(value).replace("{", "{{").replace("}", "}}")


def check_objects(ledger: Ledger, objects: ObjectChecker, selection: Selection) -> Iterator[Finding]:
    """Every object that any row of the ledger names and that is not opened yet; of those, what *selection* opens."""
    chosen = selection.choose("objects", _list_unopened(ledger, objects, selection))
    for findings in map_in_threads(lambda one: list(objects.check(*one)), chosen, threads=objects.concurrent_reads):
        yield from findings


def _list_unopened(ledger: Ledger, objects: ObjectChecker, selection: Selection) -> Iterator[tuple[str, str, str]]:
    """The hash of each object, where it is named, and what it is."""
    for what, query in _named_objects(selection):
        with ledger.connect() as conn:
            for digest, where in conn.execute(query.execution_options(yield_per=500)):
                if not objects.is_opened(digest):
                    yield digest, where, what
    with ledger.connect() as conn:
        linked = select(corpus_pages.c.linked, corpus_pages.c.url).where(corpus_pages.c.linked.is_not(None))
        of_runs = linked.where(corpus_pages.c.run_id.in_(_recent_corpus_runs(selection)))
        for link, url in conn.execute(of_runs.execution_options(yield_per=500)):
            for name, what in _LINKED_OBJECTS.items():
                digest = link.get(name) if isinstance(link, dict) else None
                if isinstance(digest, str) and not objects.is_opened(digest):
                    yield digest, url, what


def _named_objects(selection: Selection) -> Iterator[tuple[str, Select[Any]]]:
    """What each object is, and the query of its hashes, each with the URL or run whose row names it."""

    def of_runs(digest: ColumnElement[Any], where: ColumnElement[Any], run_id: ColumnElement[Any]) -> Select[Any]:
        return selection.restrict(_distinct(digest, where), run_id)

    of_audit, of_version = audit.c.run_id, versions.c.run_id
    yield "bytes as received", of_runs(audit.c.raw_hash, audit.c.url, of_audit).where(_HAS_OBJECT)
    yield "robots.txt", of_runs(audit.c.robots_object, audit.c.run_id, of_audit)
    yield "robots.txt", of_runs(robots_seen.c.object, robots_seen.c.origin, robots_seen.c.run_id)
    yield "raw bytes", of_runs(versions.c.raw_object, pages.c.url, of_version).join_from(versions, pages)
    yield "body", of_runs(versions.c.body_object, pages.c.url, of_version).join_from(versions, pages)
    yield "picture", of_runs(versions.c.screenshot_object, pages.c.url, of_version).join_from(versions, pages)
    for what, name in (("list", "list_object"), ("marks", "marks_object")):
        yield what, of_runs(list_exclusions.c[name], list_exclusions.c.list_url, list_exclusions.c.run_id)
    triage = _distinct(corpus_runs.c.triage_object, corpus_runs.c.domain)
    yield "questions to a model", selection.restrict_times(triage, corpus_runs.c.ended_at)
    for column in _CORPUS_PAGE_OBJECTS:
        named = _distinct(corpus_pages.c[column], corpus_pages.c.url)
        yield (
            column.replace("_object", " text").replace("_", " "),
            named.where(corpus_pages.c.run_id.in_(_recent_corpus_runs(selection))),
        )
    for what, name in (("source text", "raw_object"), ("approved text", "clean_object")):
        approved = _distinct(corpus_approvals.c[name], corpus_approvals.c.domain)
        yield what, selection.restrict_times(approved, corpus_approvals.c.approved_at)
    for what, name in (("imported bytes", "raw_hash"), ("imported text", "content_hash")):
        named = _distinct(imported_captures.c[name], imported_captures.c.url).where(
            imported_captures.c.state == IMPORTED
        )
        yield what, selection.restrict_times(named, imported_captures.c.recorded_at)


def _recent_corpus_runs(selection: Selection) -> Select[Any]:
    return selection.restrict_times(select(corpus_runs.c.run_id), corpus_runs.c.ended_at)


def _distinct(digest: ColumnElement[Any], where: ColumnElement[Any]) -> Select[Any]:
    return select(digest, where).where(digest.is_not(None)).distinct()
