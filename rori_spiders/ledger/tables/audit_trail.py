"""What proves the record: the append-only audit, the robots.txt that justified each run, and the log of facts, one
Merkle tree over what the ledger's rows say, with its signed heads and the chains that it replaced. The severity of
a failed page stands here, since indexes of the audit are made by it.
"""

from typing import Final, Literal

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
    text,
)

from rori_spiders.ledger.tables.base import AnyText, Json, UtcDateTime, metadata

Severity = Literal["high", "warning", "info"]

#: Refused, or not there: what opens an alert of that severity where it is a start URL (``reviews/events.py``).
HIGH_VERDICTS: Final = ("captcha", "challenge", "denied", "filtered", "login_wall", "not_found", "parked", "soft_404")
#: What passes by itself, as a rule: the next run asks again. So does no answer at all, which has no verdict.
INFO_VERDICTS: Final = ("maintenance", "rate_limited", "server_error")
#: SQL of a page that ended failed, as the indexes for such pages have it.
FAILED_PAGE: Final = "state = 'failed' AND kind = 'page'"
SEVERITIES: Final[tuple[Severity, ...]] = ("high", "warning", "info")


def severity_of(verdict: str | None) -> Severity:
    """The severity of a failure with this verdict (None: there was no answer to judge)."""
    if verdict in HIGH_VERDICTS:
        return "high"
    return "info" if verdict is None or verdict in INFO_VERDICTS else "warning"


def severity_condition(severity: Severity) -> str:
    """SQL that holds for failed pages of this severity, word for word as in the index for them."""
    high, info = (", ".join(f"'{one}'" for one in some) for some in (HIGH_VERDICTS, INFO_VERDICTS))
    return {
        "high": f"{FAILED_PAGE} AND verdict IN ({high})",
        "warning": f"{FAILED_PAGE} AND verdict NOT IN ({high}, {info})",  # NULL is in none of the lists, nor outside
        "info": f"{FAILED_PAGE} AND (verdict IS NULL OR verdict IN ({info}))",
    }[severity]


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


#: Leaves of one transaction and subject, which stand one after the other in the tree.
fact_leaves = Table(
    "fact_leaves",
    metadata,
    # of the first leaf in the tree: 0, and then the position before it and its number of leaves
    Column("position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),  # ledger/audit/facts.py
    Column("subject", AnyText, nullable=False),  # what they are facts of: a run, a manifest, ...
    Column("hashes", LargeBinary, nullable=False),  # 32 bytes each
)

#: The last hash of each run's chain of audit rows, from before there was a log of facts.
audit_chains = Table(
    "audit_chains",
    metadata,
    Column("run_id", String(36), primary_key=True),
    Column("rows", Integer, nullable=False),  # that the chain covers: seq 1 to this
    Column("row_hash", String(64), nullable=False),
)

#: The heads of the log that were signed, one a size.
log_heads = Table(
    "log_heads",
    metadata,
    Column("size", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),  # leaves
    Column("at", UtcDateTime, nullable=False),
    Column("note", AnyText, nullable=False),  # the signed note (evidence/checkpoints.py)
    Column("receipts", AnyText, nullable=False),  # further signature lines: timestamps, cosignatures
    Column("frontier", LargeBinary, nullable=False),  # roots of the perfect subtrees, 32 bytes each: the next goes on
)

#: How far each destination of RORI_EVIDENCE_HEADS has the heads.
head_destinations = Table(
    "head_destinations",
    metadata,
    Column("destination", AnyText, primary_key=True),  # as it is shown: without user, password and secret path
    Column("size", BigInteger().with_variant(Integer, "sqlite"), nullable=False),  # of the last head that it has
    Column("failed_at", UtcDateTime),  # when it first did not accept one; NULL: the last was accepted
    Column("error", AnyText),
)
