"""Which rows of the ledger make a case: of a source, of a page, of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, or_, select

from rori_spiders.exceptions import UnknownName
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.audit.facts import FACT_KINDS
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import actions, audit, pages, versions
from rori_spiders.urls.canonical import url_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection

#: Rows of one question: SQLite takes some thousand values at most.
_TOGETHER = 400


@dataclass(frozen=True, slots=True)
class CaseScope:
    """What a case is about. One of *source_id* (whole source), *url* (in that source, or in all), *run_id*."""

    source_id: str | None = None
    url: str | None = None
    run_id: str | None = None

    def __str__(self) -> str:
        if self.run_id is not None:
            return f"run {self.run_id}"
        if self.url is not None:
            return f"page {self.url}" + (f" of source {self.source_id}" if self.source_id else "")
        return f"source {self.source_id}"


class CaseSelection:
    """The rows of a case, read from one connection. Raises UnknownName where the ledger has nothing of it."""

    def __init__(self, conn: Connection, scope: CaseScope) -> None:
        self.scope = scope
        self._conn = conn
        self._urls = self._addresses() if scope.url is not None else []
        of_scope = self._condition()
        found = conn.execute(select(audit.c.run_id, audit.c.manifest_id).where(of_scope).distinct()).all()
        if not found:
            raise UnknownName(f"nothing recorded of {scope}. `scrapy audit` lists what is, `scrapy runs` the runs.")
        self.run_ids = sorted({row.run_id for row in found})
        self.source_ids = sorted({row.manifest_id for row in found})
        self.pages = self._pages()

    def stream_audit_rows(self) -> Iterator[dict[Any, Any]]:
        """The audit rows as they are stored, oldest first: those of texts that are confirmed, then the case's own."""
        if self.scope.run_id is not None:
            yield from self._confirmed_rows()
        query = select(audit).where(self._condition()).order_by(audit.c.timestamp, audit.c.audit_id)
        with self._conn.execute(query.execution_options(yield_per=_TOGETHER)) as rows:
            yield from (dict(row) for row in rows.mappings())

    def with_whole_values(self, row: Mapping[Any, Any], models: audit_log.ModelRows) -> dict[Any, Any]:
        """*row* with all of its headers, whichever row of its run has them."""
        return audit_log.with_whole_values(self._conn, row, models)

    def stream_versions(self) -> Iterator[dict[Any, Any]]:
        """Versions as facts have them, with ``source_id`` and ``url``; of each page from the first on."""
        kind = FACT_KINDS["version"]
        for page_id in self.pages:
            query = kind.query.where(versions.c.page_id == page_id).order_by(versions.c.seq)
            for row in self._conn.execute(query).mappings().all():
                if self.scope.run_id is None or row["seq"] in self.pages[page_id]:
                    yield dict(row)

    def stream_facts(self, name: str) -> Iterator[dict[Any, Any]]:
        """The rows of a kind that belongs to runs: ``run``, ``robots``, ``list``, ``summary``."""
        kind = FACT_KINDS[name]
        run_id = kind.query.selected_columns["run_id"]
        for at in range(0, len(self.run_ids), _TOGETHER):
            some = self.run_ids[at : at + _TOGETHER]
            for row in self._conn.execute(kind.query.where(run_id.in_(some)).order_by(*kind.key)).mappings().all():
                yield dict(row)

    def find_envelope(self, row: Mapping[Any, Any]) -> dict[Any, Any] | None:
        """The envelope that was staged with an audit row or version."""
        kind = FACT_KINDS["envelope"]
        columns = kind.query.selected_columns
        same = (columns["run_id"] == row["run_id"], columns["url"] == row["url"])
        found = self._conn.execute(kind.query.where(*same)).mappings().first()
        return dict(found) if found is not None else None

    def stream_actions(self) -> Iterator[dict[Any, Any]]:
        """What people and rules did to these sources, runs and pages."""
        kind = FACT_KINDS["action"]
        targets = [*self.source_ids, *self.run_ids, *self._urls]
        for at in range(0, len(targets), _TOGETHER):
            query = kind.query.where(actions.c.target.in_(targets[at : at + _TOGETHER])).order_by(actions.c.action_id)
            yield from (dict(row) for row in self._conn.execute(query).mappings().all())

    def _condition(self) -> ColumnElement[bool]:
        scope = self.scope
        if scope.run_id is not None:
            return audit.c.run_id == scope.run_id
        of_source = audit.c.manifest_id == scope.source_id
        if scope.url is None:
            return of_source
        of_page: ColumnElement[bool] = audit.c.url_hash.in_([url_hash(url) for url in self._urls])
        if scope.source_id is not None:
            of_page = and_(of_page, of_source)
        # and the robots.txt of the runs that looked at it
        its_runs = select(audit.c.run_id).where(of_page)
        return or_(of_page, and_(audit.c.kind == "robots", audit.c.run_id.in_(its_runs)))

    def _addresses(self) -> list[str]:
        assert self.scope.url is not None
        return page_history.page_urls(self._conn, self.scope.url, self.scope.source_id)

    def _pages(self) -> dict[int, set[int]]:
        """The pages by their number; of a run the versions that it captured or confirmed, by theirs."""
        scope = self.scope
        if scope.run_id is not None:
            return self._confirmed_versions(scope.run_id)
        query = select(pages.c.page_id).where(pages.c.last_seq > 0).order_by(pages.c.url)
        if scope.source_id is not None:
            query = query.where(pages.c.source_id == scope.source_id)
        if scope.url is not None:
            query = query.where(pages.c.url_hash.in_([url_hash(url) for url in self._urls]))
        return {page_id: set() for page_id in self._conn.execute(query).scalars()}

    def _confirmed_versions(self, run_id: str) -> dict[int, set[int]]:
        same_page = (pages.c.source_id == audit.c.manifest_id) & (pages.c.url_hash == audit.c.url_hash)
        same_text = (versions.c.page_id == pages.c.page_id) & (versions.c.captured_at <= audit.c.timestamp)
        query = (
            select(pages.c.page_id, versions.c.seq)
            .select_from(audit)
            .join(pages, same_page)
            .join(versions, same_text & (versions.c.content_hash == audit.c.content_hash))
            .where(audit.c.run_id == run_id, audit.c.kind == "page")
            .order_by(pages.c.url, versions.c.seq)
        )
        found: dict[int, set[int]] = {}
        for row in self._conn.execute(query):
            found[row.page_id] = {row.seq}  # the newest
        return found

    def _confirmed_rows(self) -> Iterator[dict[Any, Any]]:
        """The captures in other runs whose texts this run confirmed."""
        for row in self.stream_versions():
            if row["run_id"] == self.scope.run_id:
                continue
            same = (audit.c.run_id == row["run_id"], audit.c.url_hash == url_hash(row["url"]), audit.c.kind == "page")
            found = self._conn.execute(select(audit).where(*same).order_by(audit.c.seq.desc())).mappings().first()
            if found is not None:
                yield dict(found)
