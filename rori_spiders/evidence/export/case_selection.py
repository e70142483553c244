"""Which rows of the ledger make a case: of a source, of a page, of a run; of the former two also since a day."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from sqlalchemy import ColumnElement, Connection, String, and_, case, cast, func, or_, select

from rori_spiders.exceptions import UnknownName
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.audit.facts import FACT_KINDS
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.change_assignments import ASSIGN_ACTION, COMMENT_ACTION
from rori_spiders.ledger.pages.change_readings import READ_ACTION, UNREAD_ACTION
from rori_spiders.ledger.pages.change_records import REVIEW_ACTION
from rori_spiders.ledger.pages.vocabulary import parse_version_id
from rori_spiders.ledger.tables import actions, audit, envelopes, pages, versions
from rori_spiders.urls.canonical import url_hash

#: Rows of one question: SQLite takes some thousand values at most.
_CHANGE_ACTIONS = (REVIEW_ACTION, ASSIGN_ACTION, COMMENT_ACTION, READ_ACTION, UNREAD_ACTION)
_TOGETHER = 400


@dataclass(frozen=True, slots=True)
class CaseScope:
    """What a case is about. One of *source_id* (whole source), *url* (in that source, or in all), *run_id*.

    With *since*, of a source or page, only what was recorded from then on, and the texts that it confirmed.
    """

    source_id: str | None = None
    url: str | None = None
    run_id: str | None = None
    since: datetime | None = None

    @property
    def is_part(self) -> bool:
        """Whether it confirms texts that were captured outside of it."""
        return self.run_id is not None or self.since is not None

    def __str__(self) -> str:
        if self.run_id is not None:
            return f"run {self.run_id}"
        since = f" since {_shown(self.since)}" if self.since is not None else ""
        if self.url is not None:
            return f"page {self.url}" + (f" of source {self.source_id}" if self.source_id else "") + since
        return f"source {self.source_id}{since}"


def _shown(since: datetime) -> str:
    """A day alone where it begins then, else the time to the second; both in UTC."""
    at = since.astimezone(UTC).replace(tzinfo=None)
    return f"{at.date()}" if at.time() == time.min else f"{at.isoformat(' ', 'seconds')} UTC"


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
        if self.scope.is_part:
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
                if not self.scope.is_part or row["seq"] in self.pages[page_id]:
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

    def is_pruned(self, path: str) -> bool:
        """Whether an envelope was removed on purpose."""
        query = select(envelopes.c.path).where(envelopes.c.path == path, envelopes.c.state.in_(("pruning", "pruned")))
        return self._conn.execute(query).first() is not None

    def stream_actions(self) -> Iterator[dict[Any, Any]]:
        """What people and rules did to these sources, runs and pages."""
        kind = FACT_KINDS["action"]
        targets = [*self.source_ids, *self.run_ids, *self._urls]
        for at in range(0, len(targets), _TOGETHER):
            query = kind.query.where(actions.c.target.in_(targets[at : at + _TOGETHER])).order_by(actions.c.action_id)
            if self.scope.since is not None:
                query = query.where(actions.c.at >= self.scope.since)
            yield from (dict(row) for row in self._conn.execute(query).mappings().all())
        yield from self._reviews()

    def _reviews(self) -> Iterator[dict[Any, Any]]:
        """What people said of the changes that the case's versions brought, and who was to look at them."""
        kind, page_ids = FACT_KINDS["action"], list(self.pages)
        for at in range(0, len(page_ids), _TOGETHER):
            change = cast(versions.c.page_id, String) + "-" + cast(versions.c.seq, String)
            its = select(change).where(versions.c.page_id.in_(page_ids[at : at + _TOGETHER]))
            query = kind.query.where(actions.c.action.in_(_CHANGE_ACTIONS), actions.c.target.in_(its))
            if self.scope.since is not None:
                query = query.where(actions.c.at >= self.scope.since)
            for row in self._conn.execute(query.order_by(actions.c.action_id)).mappings().all():
                page_id, seq = parse_version_id(row["target"])
                if not self.scope.is_part or seq in self.pages[page_id]:
                    yield dict(row)

    def _condition(self) -> ColumnElement[bool]:
        scope = self.scope
        if scope.run_id is not None:
            return audit.c.run_id == scope.run_id
        of_scope: list[ColumnElement[bool]] = []
        if scope.source_id is not None:
            of_scope.append(audit.c.manifest_id == scope.source_id)
        if scope.url is not None:
            of_scope.append(audit.c.url_hash.in_([url_hash(url) for url in self._urls]))
        if scope.since is not None:
            of_scope.append(audit.c.timestamp >= scope.since)
        if scope.url is None and scope.since is None:
            return and_(*of_scope)
        # and the robots.txt of the runs that looked at it
        its_runs = select(audit.c.run_id).where(*of_scope)
        return or_(and_(*of_scope), and_(audit.c.kind == "robots", audit.c.run_id.in_(its_runs)))

    def _addresses(self) -> list[str]:
        assert self.scope.url is not None
        return page_history.page_urls(self._conn, self.scope.url, self.scope.source_id)

    def _pages(self) -> dict[int, set[int]]:
        """The pages by their number; of a part the versions that it captured or confirmed, by theirs."""
        scope = self.scope
        if scope.is_part:
            return self._versions_of_rows()
        query = select(pages.c.page_id).where(pages.c.last_seq > 0).order_by(pages.c.url)
        if scope.source_id is not None:
            query = query.where(pages.c.source_id == scope.source_id)
        if scope.url is not None:
            query = query.where(pages.c.url_hash.in_([url_hash(url) for url in self._urls]))
        return {page_id: set() for page_id in self._conn.execute(query).scalars()}

    def _versions_of_rows(self) -> dict[int, set[int]]:
        """The versions that the case's rows brought, and of each text that they saw the newest version until then."""
        same_page = (pages.c.source_id == audit.c.manifest_id) & (pages.c.url_hash == audit.c.url_hash)
        earlier = versions.alias("earlier")
        newest = (
            select(func.max(earlier.c.seq))
            .where(
                earlier.c.page_id == pages.c.page_id,
                earlier.c.content_hash == audit.c.content_hash,
                earlier.c.captured_at <= audit.c.timestamp,
            )
            .scalar_subquery()
        )
        query = (
            select(pages.c.url, pages.c.page_id, versions.c.seq)
            .distinct()
            .select_from(audit)
            .join(pages, same_page)
            .join(versions, versions.c.page_id == pages.c.page_id)
            .where(self._condition(), audit.c.kind == "page")
            .where(or_(versions.c.seq == newest, versions.c.run_id == audit.c.run_id))
            .order_by(pages.c.url, versions.c.seq)
        )
        found: dict[int, set[int]] = {}
        for row in self._conn.execute(query):
            found.setdefault(row.page_id, set()).add(row.seq)
        return found

    def _confirmed_rows(self) -> Iterator[dict[Any, Any]]:
        """The captures outside of the case whose texts its rows confirmed."""
        for row in self.stream_versions():
            same = (audit.c.run_id == row["run_id"], audit.c.url_hash == url_hash(row["url"]), audit.c.kind == "page")
            its_own = case((audit.c.raw_hash == row["raw_object"], 0), else_=1)
            query = select(audit).where(*same).order_by(its_own, audit.c.seq.desc())
            found = self._conn.execute(query).mappings().first()
            if found is not None and not self._is_own(found):
                yield dict(found)

    def _is_own(self, row: Mapping[Any, Any]) -> bool:
        """Whether the row of a page is one of the case's own."""
        if self.scope.run_id is not None:
            return bool(row["run_id"] == self.scope.run_id)
        return self.scope.since is None or bool(row["timestamp"] >= self.scope.since)
