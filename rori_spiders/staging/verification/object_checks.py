"""Every object that a row names: there, and with the bytes that its name stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select

from rori_spiders.exceptions import StagingError
from rori_spiders.ledger.tables import (
    audit,
    corpus_approvals,
    corpus_pages,
    corpus_runs,
    list_exclusions,
    pages,
    robots_seen,
    versions,
)
from rori_spiders.staging.verification.finding import Finding

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from sqlalchemy import ColumnElement, Select

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store

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


class ObjectChecker:
    """Opens objects, each once: however many rows name it."""

    def __init__(self, store: Store, counts: Counter[str]) -> None:
        self._store = store
        self._counts = counts
        self._good: set[bytes] = set()

    def check(self, digest: str, where: str, what: str) -> Iterator[Finding]:
        """A finding at *where* when the object with its *what* is missing or damaged."""
        try:
            name = bytes.fromhex(digest)
            if name in self._good:
                return
            self._counts["objects"] += 1
            self._store.get_object(digest)
            self._good.add(name)
        except FileNotFoundError:
            yield Finding("object_missing", where, f"the object with its {what} is missing: {digest}")
        except (StagingError, ValueError) as error:
            yield Finding("object_damaged", where, f"its {what}: {error}")


def check_objects(ledger: Ledger, objects: ObjectChecker) -> Iterator[Finding]:
    """Every object that any row of the ledger names."""
    for what, query in _named_objects():
        with ledger.connect() as conn:
            for digest, where in conn.execute(query.execution_options(yield_per=500)):
                yield from objects.check(digest, where, what)


def _named_objects() -> Iterator[tuple[str, Select[Any]]]:
    """What each object is, and the query of its hashes, each with the URL or run whose row names it."""
    yield "bytes as received", _distinct(audit.c.raw_hash, audit.c.url).where(_HAS_OBJECT)
    yield "robots.txt", _distinct(audit.c.robots_object, audit.c.run_id)
    yield "robots.txt", _distinct(robots_seen.c.object, robots_seen.c.origin)
    yield "raw bytes", _distinct(versions.c.raw_object, pages.c.url).join_from(versions, pages)
    yield "body", _distinct(versions.c.body_object, pages.c.url).join_from(versions, pages)
    yield "list", _distinct(list_exclusions.c.list_object, list_exclusions.c.list_url)
    yield "marks", _distinct(list_exclusions.c.marks_object, list_exclusions.c.list_url)
    yield "questions to a model", _distinct(corpus_runs.c.triage_object, corpus_runs.c.domain)
    for column in _CORPUS_PAGE_OBJECTS:
        yield (
            column.replace("_object", " text").replace("_", " "),
            _distinct(corpus_pages.c[column], corpus_pages.c.url),
        )
    yield "source text", _distinct(corpus_approvals.c.raw_object, corpus_approvals.c.domain)
    yield "approved text", _distinct(corpus_approvals.c.clean_object, corpus_approvals.c.domain)


def _distinct(digest: ColumnElement[Any], where: ColumnElement[Any]) -> Select[Any]:
    return select(digest, where).where(digest.is_not(None)).distinct()
