"""Tables of the append-only audit, and of the robots.txt that justified each run."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    text,
)

from rori_spiders.ledger.tables.base import AnyText, Json, UtcDateTime, metadata
from rori_spiders.ledger.tables.failure_severity import FAILED_PAGE, SEVERITIES, severity_condition

#: SQL of a row that is not an unchanged page's.
NOT_UNCHANGED = "state != 'unchanged'"


def _partial_index(name: str, *columns: str, where: str) -> Index:
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


audit = Table(
    "audit",
    metadata,
    Column("audit_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("seq", Integer, nullable=False),  # 1, 2, ... per run
    Column("kind", String(10), nullable=False),  # page | robots | sitemap | api | list
    # the audit record of the specification (§8), in its order and with its names
    Column("timestamp", UtcDateTime, nullable=False),
    Column("manifest_id", String(200), nullable=False),
    Column("url", AnyText, nullable=False),
    Column("engine", String(20), nullable=False),
    Column("http_status", Integer),
    Column("content_hash", String(64)),
    Column("content_changed", Boolean),
    Column("response_time_ms", Integer),
    Column("credits_consumed", Integer, nullable=False),
    Column("retry_count", Integer, nullable=False),
    Column("error", AnyText),
    Column("staged_path", AnyText),
    # and what an examiner asks beyond it
    Column("url_hash", String(64), nullable=False),
    Column("state", String(10), nullable=False),  # final state of the URL; `fetched` or `failed` for other kinds
    Column("reason", AnyText),
    Column("reason_code", String(40)),  # a `ReasonCode`; None in rows from before there were codes
    Column("reason_detail", Json),
    Column("verdict", String(20)),
    Column("rules", Json),  # names of the verdict's rules that fired
    Column("final_url", AnyText),
    Column("redirects", Json),  # [[status, url], ...]
    Column("ip_address", String(45)),
    Column("request_headers", Json),  # redacted
    Column("response_headers", Json),
    Column(
        "raw_hash", String(64)
    ),  # of the bytes as received (of a refusal: the first MiB); an object, unless unchanged
    Column("robots_object", String(64)),  # object with the robots.txt that allowed it
    Column("attempts", Json),  # of each what `Attempt.as_json` gives
    Column("build", String(60), nullable=False),  # version of this program
    UniqueConstraint("run_id", "seq"),
    Index("ix_audit_source_time", "manifest_id", "timestamp"),
    Index("ix_audit_time", "timestamp"),
    # without those of unchanged pages, which are nearly all: a query must say NOT_UNCHANGED word for word
    _partial_index("ix_audit_state_time", "state", "timestamp", where=NOT_UNCHANGED),
    # of the hash: an index over the URL itself would refuse URLs of more than 2,700 bytes on PostgreSQL
    Index("ix_audit_url_time", "url_hash", "timestamp"),
    # of failed pages alone, which are few: by source, and by severity. `kind` is always the same;
    # SQLite, which counts terms, would else take the index of the state for both
    _partial_index("ix_audit_failed_source", "kind", "manifest_id", "timestamp", where=FAILED_PAGE),
    *(
        _partial_index(f"ix_audit_failed_{one}", "kind", "timestamp", where=severity_condition(one))
        for one in SEVERITIES
    ),
)

#: Rows of the audit whose line in the error log is due, and not known to be on the disk.
unlogged_errors = Table(
    "unlogged_errors",
    metadata,
    Column("audit_id", ForeignKey("audit.audit_id"), primary_key=True),
)

robots_seen = Table(
    "robots_seen",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("origin", String(300), primary_key=True),  # scheme://host[:port]
    Column("fetched_at", UtcDateTime, nullable=False),
    Column("status", Integer),  # None: no answer
    Column("outcome", String(12), nullable=False),  # rules | no_rules | unavailable
    Column("reason", AnyText),
    Column("object", String(64)),  # the bytes
    Column("crawl_delay_s", Float),
)
