"""The queue that all nodes share: one row an attempt at a job, and the groups of servers that it asks."""

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, String, Table, Text

from rori_spiders.ledger.tables.base import Json, UtcDateTime, metadata

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
