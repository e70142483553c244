"""Versions of a corpus as the API gives them, each with what became of its loader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.publishing.loading import heard_of
from rori_spiders.ledger.corpus import versions
from rori_spiders.ledger.dialects import clock
from rori_spiders.monitor.answers.corpus import CorpusVersion

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

    from rori_spiders.monitor.served import Served

#: States of a loader in which it can be started by hand.
STARTABLE = ("not started", "unknown", "failed")


def latest(conn: Connection, served: Served, domain: str) -> CorpusVersion | None:
    """What is published of *domain*."""
    row = versions.latest(conn, domain)
    return None if row is None else _told(conn, served, row, row)


def listed(conn: Connection, served: Served, domain: str, *, limit: int) -> list[CorpusVersion]:
    """The newest versions of *domain*, newest first."""
    newest = versions.latest(conn, domain)
    return [_told(conn, served, row, newest) for row in versions.listed(conn, domain, limit=limit)]


def told(conn: Connection, served: Served, row: Row[Any]) -> CorpusVersion:
    """A version, with its loader as a person should read it now."""
    return _told(conn, served, row, versions.latest(conn, row.domain))


def _told(conn: Connection, served: Served, row: Row[Any], newest: Row[Any] | None) -> CorpusVersion:
    is_latest = newest is not None and newest.version == row.version
    state, says = heard_of(row, served.settings, now=clock(conn, served.now()), is_latest=is_latest)
    may_load = is_latest and state in STARTABLE
    known = {column: getattr(row, column) for column in CorpusVersion.model_fields if column in row._mapping}
    return CorpusVersion.model_validate({**known, "loader_state": state, "loader_says": says, "may_load": may_load})
