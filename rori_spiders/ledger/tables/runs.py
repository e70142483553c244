"""The queue of jobs that all nodes share; runs, and the frontier: one row a URL that a run discovered."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    text,
)

from rori_spiders.ledger.tables.base import AnyText, Json, UtcDateTime, metadata

RUN_STATES = ("running", "complete", "partial", "incomplete", "suspect", "failed", "cancelled")
#: States of a run that a later job may go on with.
OPEN_RUN_STATES = ("running", "partial")
#: Of such a run; a query that says it word for word can use the index for it.
OPEN_RUN = "state IN ('running', 'partial')"
#: What a URL of a run can be; the last five are final.
URL_STATES = ("pending", "captured", "unchanged", "excluded", "failed", "gone")
FINAL_URL_STATES = URL_STATES[1:]
#: Of a URL that is still to be fetched; a query that says it word for word can use the index for it.
PENDING = "state = 'pending'"


def _check_one_of(column: str, values: tuple[str, ...]) -> str:
    return f"{column} IN ({', '.join(repr(value) for value in values)})"


runs = Table(
    "runs",
    metadata,
    Column("run_id", String(36), primary_key=True),
    Column("source_id", String(200), nullable=False),
    Column("manifest_version", String(50), nullable=False),
    Column("method", String(20), nullable=False),
    Column("state", String(12), nullable=False),
    Column("reason", AnyText),  # why it is not `complete`, in words for a person
    Column("reason_code", String(40)),  # a `ReasonCode`; null while it is open and running
    Column("reason_detail", Json),  # what its sentence is made of: {"pending": ..., "discovered": ..., ...}
    Column("operator", String(10), nullable=False),  # system | manual
    Column("job_id", String(36), nullable=False),  # scheduler_job_id of the job that worked on it last
    Column("started_at", UtcDateTime, nullable=False),
    Column("resumed_at", UtcDateTime),
    Column("finished_at", UtcDateTime),
    Column("counts", Json),  # at the end: {"discovered": n, "captured": n, ..., "changed": n}
    Column("requests", Integer, nullable=False, server_default="0"),
    Column("browser_pages", Integer, nullable=False, server_default="0"),
    Column("credits", Integer, nullable=False, server_default="0"),
    Column("seconds", Float, nullable=False, server_default="0"),  # that jobs worked on it, nights in between left out
    Column("compacted", Integer, nullable=False, server_default="0"),  # unchanged pages whose one row is in the audit
    Column("plugins", Json),  # that were active in any job of it: [{"name", "kind", "package", "version", "code"}, ...]
    CheckConstraint(_check_one_of("state", RUN_STATES), name="state"),
    Index("ix_runs_source_started", "source_id", "started_at"),
    Index("ix_runs_started", "started_at"),
    Index("ix_runs_state", "state", "source_id", "finished_at"),  # the few that failed, for each plan
    # One open run a source: two jobs can never both believe that they own it.
    Index(
        "uq_runs_open_source",
        "source_id",
        unique=True,
        sqlite_where=text(OPEN_RUN),
        postgresql_where=text(OPEN_RUN),
    ),
)

_Total = BigInteger().with_variant(Integer, "sqlite")

#: Sums over the runs that are closed, kept by triggers on ``runs`` (migration 0045): no scrape reads every run.
run_totals = Table(
    "run_totals",
    metadata,
    Column("state", String(12), primary_key=True),
    Column("method", String(20), primary_key=True),
    Column("runs", _Total, nullable=False),
    Column("requests", _Total, nullable=False),
    Column("browser_pages", _Total, nullable=False),
    Column("seconds", Float, nullable=False),
    *(Column(state, _Total, nullable=False) for state in FINAL_URL_STATES),
)

#: Versions of closed runs, kept by triggers on ``runs`` and ``versions``.
change_totals = Table(
    "change_totals",
    metadata,
    Column("change_type", String(10), primary_key=True),
    Column("versions", _Total, nullable=False),
)

run_urls = Table(
    "run_urls",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("url_hash", String(64), primary_key=True),
    Column("url", AnyText, nullable=False),
    # page | sitemap | api. Only pages count in the sum of a run; a sitemap is here so that a killed run reads it again
    Column("kind", String(10), nullable=False, server_default="page"),
    Column("state", String(10), nullable=False),
    Column("reason", AnyText),  # in words for a person; "" for captured
    Column("reason_code", String(40)),  # a `ReasonCode`
    Column("reason_detail", Json),  # what its sentence is made of: {"target_url": ..., "http_status": ..., ...}
    Column("depth", Integer, nullable=False),
    Column("found_on", AnyText),  # the page, sitemap or API answer that named it; None for the start URL
    # start | link | sitemap | feed | map | api | kept; a sitemap by: manifest | robots | guess | sitemap | feed |
    # alternate (a feed of the start page)
    Column("found_by", String(10), nullable=False),
    Column("tier", String(20)),
    Column("verdict", String(20)),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("settled_at", UtcDateTime),
    Column("lastmod", String(40)),  # when it changed last, in the words of the sitemap: what goes first
    # What is asked for first (`RANK_NEW` and the others of `items.py`)
    Column("rank", Integer, nullable=False, server_default="1"),
    CheckConstraint(_check_one_of("state", URL_STATES), name="state"),
    Index("ix_run_urls_state", "run_id", "state"),
    Index(
        "ix_run_urls_pending",
        "run_id",
        "rank",
        "depth",
        "url_hash",
        sqlite_where=text(PENDING),
        postgresql_where=text(PENDING),
    ),
)

#: URLs that a list names and the run leaves out, counted by reason: none of them has a row in ``run_urls``.
list_exclusions = Table(
    "list_exclusions",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("list_hash", String(64), primary_key=True),  # of the list's URL
    Column("mark", Integer, primary_key=True),  # of these URLs among the marks
    Column("list_url", AnyText, nullable=False),
    Column("list_object", String(64), nullable=False),  # the list, as received
    Column("marks_object", String(64), nullable=False),  # what became of each URL, in the order of the list
    Column("kind", String(10), nullable=False),  # page | sitemap
    Column("reason", AnyText, nullable=False),
    Column("reason_code", String(40), nullable=False),
    Column("reason_detail", Json),
    Column("urls", Integer, nullable=False),  # those that no list before it in the run has named
    Column("settled_at", UtcDateTime, nullable=False),
)

#: What a crawl came to, as its file in the staging area has it. A run that is accepted later gets another one.
run_summaries = Table(
    "run_summaries",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("path", AnyText, nullable=False, unique=True),
    Column("text", AnyText, nullable=False),  # the file, byte by byte: it can be written again after a crash
    Column("made_at", UtcDateTime, nullable=False),
    Column("written", Boolean, nullable=False),
)


jobs = Table(
    "jobs",
    metadata,
    Column("job_id", String(36), primary_key=True),
    Column("spider", String(200), nullable=False),
    Column("sources", Json, nullable=False),  # a list of their ids
    Column("arguments", Json),  # what schedule.json was given beside them: settings, version, spider arguments
    Column("priority", Float, nullable=False),  # the highest first
    Column("operator", String(10), nullable=False),  # system | manual
    Column("state", String(10), nullable=False),  # waiting | leased | running | ended | cancelled | lost
    Column("attempt", Integer, nullable=False, server_default="1"),
    Column("follows", String(36)),  # the lost job whose sources it takes up
    Column("node", String(200)),  # "host:port" of its Scrapyd; the host alone where there is none
    Column("owner", String(200)),  # of its leases: "host:pid:job id", once its process has begun
    Column("queued_at", UtcDateTime, nullable=False),
    Column("leased_at", UtcDateTime),
    Column("leased_until", UtcDateTime),  # later than that, it is lost
    Column("started_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    Column("outcome", String(20)),
    Column("reason", Text),
    Column("cancelled_by", String(100)),  # who asked for its end
    Index("ix_jobs_order", "state", "priority", "queued_at"),
    Index("ix_jobs_started", "started_at"),  # what the dispatcher counts in each round
    Index("ix_jobs_ended", "ended_at"),  # those that ended last, and long ago
    Index("ix_jobs_outcome", "outcome", "ended_at"),  # those that found their groups locked
)

job_groups = Table(
    "job_groups",
    metadata,
    Column("job_id", ForeignKey("jobs.job_id"), primary_key=True),
    Column("group", String(255), primary_key=True),
)
