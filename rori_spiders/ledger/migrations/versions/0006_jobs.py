"""The queue of jobs that all nodes share."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def _time(name: str, *, nullable: bool = True) -> "sa.Column[str]":
    """As 0001 has it."""
    return sa.Column(name, sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql"), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.String(36), primary_key=True),
        sa.Column("spider", sa.String(200), nullable=False),
        sa.Column("sources", sa.JSON, nullable=False),
        sa.Column("arguments", sa.JSON),
        sa.Column("priority", sa.Float, nullable=False),
        sa.Column("operator", sa.String(10), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False, server_default="1"),
        sa.Column("follows", sa.String(36)),
        sa.Column("node", sa.String(200)),
        sa.Column("owner", sa.String(200)),
        _time("queued_at", nullable=False),
        _time("leased_at"),
        _time("leased_until"),
        _time("started_at"),
        _time("ended_at"),
        sa.Column("outcome", sa.String(20)),
        sa.Column("reason", sa.Text),
        sa.Column("cancelled_by", sa.String(100)),
    )
    op.create_index("ix_jobs_order", "jobs", ["state", "priority", "queued_at"])
    op.create_table(
        "job_groups",
        sa.Column(
            "job_id", sa.String(36), sa.ForeignKey("jobs.job_id", name="fk_job_groups_job_id_jobs"), primary_key=True
        ),
        sa.Column("group", sa.String(255), primary_key=True),
    )
